// Package bench compares the structures of the library with each other.
package bench

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/slotted"
)

// Config is what a schedule is made with, whatever the structure.
type Config struct {
	Origin  bookahead.Time     // where the clock stands at first
	Horizon bookahead.Duration // how far ahead can be booked, in ticks; at least 1
}

// Structure is a structure of the library, with all that it can be told but
// its capacity and Config.
type Structure struct {
	Name string // package and type, such as "carts.Flat"
	// Answers names a promise: structures with the same one answer every call
	// alike, IDs and the kind of error included. Empty promises nothing.
	Answers string
	// New makes an empty schedule of that many units, or servers.
	New func(capacity int64, c Config) (bookahead.Schedule, error)
}

// exactPool is the promise of every pool that is exact to the tick.
const exactPool = "exact pool"

// Baseline is the structure that the others are measured by.
const Baseline = "carts.Flat"

// Structures returns every structure of the library, in the order in which they
// are to be shown.
func Structures() []Structure {
	return []Structure{
		{Baseline, exactPool, with(carts.NewFlat, cartsConfig)},
		{"carts.BTree", exactPool, with(carts.NewBTree, cartsConfig)},
		{"freelist.TimeExclusive", exactPool, with(freelist.NewTimeExclusive, freelistConfig)},
		{"freelist.CapacityHierarchical", exactPool, with(freelist.NewCapacityHierarchical, freelistConfig)},
		{"freelist.Mixed", exactPool, with(freelist.NewMixed, freelistConfig)},
		{"freelist.Used", exactPool, with(freelist.NewUsed, freelistConfig)},
		{"freelist.UsedList", exactPool, with(freelist.NewUsedList, freelistConfig)},
		{"slotted.Indexed-1", exactPool, with(slotted.NewIndexed, slots(1))},
		{"slotted.Scan-60", "pool in slots of 60", with(slotted.NewScan, slots(60))},
		{"slotted.Indexed-60", "pool in slots of 60", with(slotted.NewIndexed, slots(60))},
		{"slotted.Scan-600", "pool in slots of 600", with(slotted.NewScan, slots(600))},
		{"slotted.Scan-3600", "pool in slots of 3600", with(slotted.NewScan, slots(3600))},
	}
}

func freelistConfig(c Config) freelist.Config { return freelist.Config(c) }

// slots makes them so many ticks wide.
func slots(width bookahead.Duration) func(Config) slotted.Config {
	return func(c Config) slotted.Config {
		return slotted.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: width}
	}
}

func cartsConfig(c Config) carts.Config {
	return carts.Config{Origin: c.Origin, Horizon: c.Horizon}
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
