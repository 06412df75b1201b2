package structures

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/slotted"
)

// Default is the structure to take if there is no reason for another. The other structures are
// measured against it.
const Default = "carts.Indexed"

// Ways to choose servers.
const (
	atTheStart  = "at the start" // a pool leaves the choice to its caller, who can wait until a reservation starts
	lowestIndex = "lowest index"
)

// Simple returns the structures that keep their reservations themselves.
func Simple() []Structure {
	return []Structure{
		pool(Default, with(carts.NewIndexed, cartsConfig)),
		pool("carts.Flat", with(carts.NewFlat, cartsConfig)),
		pool("carts.BTree", with(carts.NewBTree, cartsConfig)),
		pool("freelist.TimeExclusive", with(freelist.NewTimeExclusive, freelistConfig)),
		pool("freelist.CapacityHierarchical", with(freelist.NewCapacityHierarchical, freelistConfig)),
		pool("freelist.Mixed", with(freelist.NewMixed, freelistConfig)),
		pool("freelist.Used", with(freelist.NewUsed, freelistConfig)),
		pool("freelist.UsedList", with(freelist.NewUsedList, freelistConfig)),
		pool("slotted.Indexed", with(slotted.NewIndexed, slottedConfig), 1, 60),
		pool("slotted.Scan", with(slotted.NewScan, slottedConfig), 60, 600, 3600),
		servers("idletree.Lists", lowestIndex, with(idletree.NewLists, prefer(idletree.Prefer{}))),
		servers("idletree.Tree-lowest", lowestIndex, with(idletree.NewTree, prefer(idletree.LowestIndex))),
		servers("carts.SR", lowestIndex, with(carts.NewSR, cartsConfig)),
		servers("avail.Schedule", lowestIndex, with(avail.NewSchedule, availConfig), 1, 60),
		servers("idletree.Tree", "first found", with(idletree.NewTree, prefer(idletree.Prefer{}))),
		servers("idletree.Tree-best", "best fit", with(idletree.NewTree, prefer(idletree.BestFit))),
		servers("idletree.Tree-worst", "worst fit", with(idletree.NewTree, prefer(idletree.WorstFit))),
		servers("idletree.Slotted", "latest idle start", with(idletree.NewSlotted, treesConfig), 900),
	}
}

// Composed returns the structures that are made of other schedules.
func Composed() []Structure {
	return []Structure{
		{Name: "grid.Binder", Choice: atTheStart, New: newBinder},
		{Name: "grid.Broker", Choice: atTheStart, New: newBroker},
	}
}

// opener is the type of Structure.New.
type opener = func(capacity int64, c Config) (bookahead.Keeper, error)

// pool returns a structure that counts units.
func pool(name string, open opener, widths ...bookahead.Duration) Structure {
	return Structure{Name: name, Answers: "exact pool", Choice: atTheStart, Widths: widths, New: open}
}

// servers returns a structure that knows its servers. Only structures that choose the lowest
// index answer alike.
func servers(name, choice string, open opener, widths ...bookahead.Duration) Structure {
	s := Structure{Name: name, Servers: true, Choice: choice, Widths: widths, New: open}
	if choice == lowestIndex {
		s.Answers = "exact servers, lowest index"
	}
	return s
}

// with returns a structure's own constructor, fed by a Config.
func with[S bookahead.Keeper, C any](create func(int64, C) (S, error), config func(Config) C) opener {
	return func(capacity int64, c Config) (bookahead.Keeper, error) {
		return keeper(create(capacity, config(c)))
	}
}

// keeper returns the result of a constructor, and nil with an error: a nil
// pointer would be no nil Keeper.
func keeper[S bookahead.Keeper](s S, err error) (bookahead.Keeper, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func cartsConfig(c Config) carts.Config { return carts.Config{Origin: c.Origin, Horizon: c.Horizon} }

func freelistConfig(c Config) freelist.Config {
	return freelist.Config{Origin: c.Origin, Horizon: c.Horizon}
}

func slottedConfig(c Config) slotted.Config {
	return slotted.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: c.Slot}
}

func availConfig(c Config) avail.Config {
	return avail.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: c.Slot}
}

func treesConfig(c Config) idletree.SlottedConfig {
	return idletree.SlottedConfig{Origin: c.Origin, Horizon: c.Horizon, Slot: c.Slot, Step: c.Step}
}

// prefer returns the function that makes an idletree.Config of a Config, with a way to choose
// servers.
func prefer(p idletree.Prefer) func(Config) idletree.Config {
	return func(c Config) idletree.Config {
		return idletree.Config{Origin: c.Origin, Horizon: c.Horizon, Prefer: p}
	}
}

// newBinder makes a Binder on the default.
func newBinder(capacity int64, c Config) (bookahead.Keeper, error) {
	s, err := carts.NewIndexed(capacity, cartsConfig(c))
	if err != nil {
		return nil, err
	}
	return keeper(grid.NewBinder(s))
}

// newBroker makes a Broker of two providers: one of the capacity, and before it one of half.
func newBroker(capacity int64, c Config) (bookahead.Keeper, error) {
	small, err := carts.NewFlat((capacity+1)/2, cartsConfig(c))
	if err != nil {
		return nil, err
	}
	big, err := carts.NewIndexed(capacity, cartsConfig(c))
	if err != nil {
		return nil, err
	}
	return keeper(grid.NewBroker(grid.Config{Origin: c.Origin}, small, big))
}
