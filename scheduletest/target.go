package scheduletest

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// Config holds the arguments of a constructor.
type Config struct {
	Capacity int64              // units, or servers
	Origin   bookahead.Time     // the time of the clock at first
	Horizon  bookahead.Duration // how far ahead can be booked; 0 means to the end of the axis
}

// Target is a structure under test, with the limits of its representation. Requests are drawn
// within these limits; nothing is skipped.
type Target struct {
	// Name is the structure's name in benchmarks, such as "carts.Flat".
	Name string
	// New makes an empty schedule. The schedule of a Snapshotter is a pointer, unless the target is
	// Made, because snapshots are read into the zero value of its type.
	New func(Config) (bookahead.Schedule, error)
	// Booked makes a schedule that holds reservations from the start, with IDs from 1;
	// nil if that is not possible.
	Booked func(Config, []bookahead.Offer) (bookahead.Schedule, error)
	// Servers says that the schedule knows its servers; otherwise it is a pool.
	Servers bool
	// Bounded says that the schedule needs a horizon.
	Bounded bool
	// Slot is the width to whose multiples a booking is rounded outwards; 0
	// means 1, no rounding.
	Slot bookahead.Duration
	// Step is the distance between the starts that Search tries, counted from
	// the ready time; 0 means 1, every tick.
	Step bookahead.Duration
	// MaxCapacity is the largest capacity of a pool that is drawn; 0 means the largest there is.
	// A structure that keeps each unit needs a smaller one.
	MaxCapacity int64
	// Cells says that the schedule has a cell for each tick of its reservations. Then its memory
	// grows with the numbers of a request, and Run does not hunt it.
	Cells bool
	// MaxLive is the largest number of live reservations that Benchmark makes; 0 means a million.
	// A list whose operations are linear needs fewer.
	MaxLive int
	// Attempts is how many starts Search tries; 0 means all.
	Attempts int
	// Made says that a snapshot can be read only into a schedule that New has made;
	// otherwise a zero value must do.
	Made bool
}

// rules returns the rules of the target's oracle.
func (target Target) rules(c Config) oracle.Rules {
	return oracle.Rules{
		Capacity: c.Capacity, Origin: c.Origin, Horizon: c.Horizon, Servers: target.Servers,
		Bounded: target.Bounded, Slot: target.Slot, Step: target.Step, Attempts: target.Attempts,
	}
}

// Operations returns how many operations Small runs for each pool. The other parts of Run draw in proportion to it: see
// the page of the package.
func Operations() int { return depth.Operations() }
