package bench

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/slotted"
)

// Config is what a schedule is made with, whatever the structure.
type Config struct {
	Origin  bookahead.Time     // where the clock stands at first
	Horizon bookahead.Duration // how far ahead can be booked, in ticks; at least 1
}

// Structure is a structure of the library, with all of its settings but its
// capacity and Config.
type Structure struct {
	Name string // package and type, such as "carts.Flat"
	// Answers names a promise: structures with the same one answer every call
	// alike, IDs and the kind of error included. Empty promises nothing.
	Answers string
	// Choice says who chooses servers, and when.
	Choice string
	// New makes an empty schedule of that many units, or servers.
	New func(capacity int64, c Config) (bookahead.Schedule, error)
}

// The promises of what is exact to the tick.
const (
	exactPool     = "exact pool"
	lowestServers = "exact servers, lowest index"
)

// Who chooses the servers of a pool is not its affair: they can be bound when a
// reservation starts.
const atTheStart = "at the start"

// Default is the structure to take if there is no reason for another. The others are
// measured by it.
const Default = "carts.Indexed"

// Structures returns every structure of the library, in the order in which they
// are shown: the default first.
func Structures() []Structure {
	return []Structure{
		{Default, exactPool, atTheStart, with(carts.NewIndexed, cartsConfig)},
		{"carts.Flat", exactPool, atTheStart, with(carts.NewFlat, cartsConfig)},
		{"carts.BTree", exactPool, atTheStart, with(carts.NewBTree, cartsConfig)},
		{"freelist.TimeExclusive", exactPool, atTheStart, with(freelist.NewTimeExclusive, freelistConfig)},
		{"freelist.CapacityHierarchical", exactPool, atTheStart, with(freelist.NewCapacityHierarchical, freelistConfig)},
		{"freelist.Mixed", exactPool, atTheStart, with(freelist.NewMixed, freelistConfig)},
		{"freelist.Used", exactPool, atTheStart, with(freelist.NewUsed, freelistConfig)},
		{"freelist.UsedList", exactPool, atTheStart, with(freelist.NewUsedList, freelistConfig)},
		{"slotted.Indexed-1", exactPool, atTheStart, with(slotted.NewIndexed, slots(1))},
		{"slotted.Scan-60", "pool in slots of 60", atTheStart, with(slotted.NewScan, slots(60))},
		{"slotted.Indexed-60", "pool in slots of 60", atTheStart, with(slotted.NewIndexed, slots(60))},
		{"slotted.Scan-600", "pool in slots of 600", atTheStart, with(slotted.NewScan, slots(600))},
		{"slotted.Scan-3600", "pool in slots of 3600", atTheStart, with(slotted.NewScan, slots(3600))},
		{"idletree.Lists", lowestServers, "lowest index", with(idletree.NewLists, prefer(nil))},
		{"idletree.Tree-lowest", lowestServers, "lowest index", with(idletree.NewTree, prefer(idletree.LowestIndex))},
		{"carts.SR", lowestServers, "lowest index", with(carts.NewSR, cartsConfig)},
		{"avail.Schedule-1", lowestServers, "lowest index", with(avail.NewSchedule, columns(1))},
		{"avail.Schedule-60", "servers in slots of 60", "lowest index", with(avail.NewSchedule, columns(60))},
		{"idletree.Tree", "", "first found", with(idletree.NewTree, prefer(nil))},
		{"idletree.Tree-best", "", "best fit", with(idletree.NewTree, prefer(idletree.BestFit))},
		{"idletree.Tree-worst", "", "worst fit", with(idletree.NewTree, prefer(idletree.WorstFit))},
		{"idletree.Slotted-900", "", "latest idle start", with(idletree.NewSlotted, trees(900))},
	}
}

func freelistConfig(c Config) freelist.Config { return freelist.Config(c) }

// slots makes them so many ticks wide.
func slots(width bookahead.Duration) func(Config) slotted.Config {
	return func(c Config) slotted.Config {
		return slotted.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: width}
	}
}

// columns is slots for rows of bits.
func columns(width bookahead.Duration) func(Config) avail.Config {
	return func(c Config) avail.Config {
		return avail.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: width}
	}
}

func cartsConfig(c Config) carts.Config {
	return carts.Config{Origin: c.Origin, Horizon: c.Horizon}
}

// prefer is how servers are chosen.
func prefer(p idletree.Prefer) func(Config) idletree.Config {
	return func(c Config) idletree.Config {
		return idletree.Config{Origin: c.Origin, Horizon: c.Horizon, Prefer: p}
	}
}

// trees has one for each slot of so many ticks, as published.
func trees(width bookahead.Duration) func(Config) idletree.SlottedConfig {
	return func(c Config) idletree.SlottedConfig {
		return idletree.SlottedConfig{Origin: c.Origin, Horizon: c.Horizon, Slot: width}
	}
}

// with returns a structure's own constructor, fed by a Config.
func with[S bookahead.Schedule, C any](create func(int64, C) (S, error), config func(Config) C) func(int64, Config) (bookahead.Schedule, error) {
	return func(capacity int64, c Config) (bookahead.Schedule, error) {
		s, err := create(capacity, config(c))
		if err != nil {
			return nil, err // not s: a nil pointer is no nil Schedule
		}
		return s, nil
	}
}
