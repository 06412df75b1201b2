package slotted

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// maxSlots is the number of slots of the largest ring, which takes a gigabyte.
const maxSlots = 1 << 27

// Config holds the settings of the constructors.
type Config struct {
	// Origin is the time of the clock at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked. It must be given: the ring has
	// a slot for every Slot ticks of the horizon.
	Horizon bookahead.Duration
	// Slot is the width Δt of a slot, in ticks; 0 means 1, which is exact.
	Slot bookahead.Duration
	// Booked are the reservations that the schedule holds from the start, in any order; the k-th
	// gets ID k+1. Each must end after the Origin. It may have begun before the Origin, but not
	// before tick 0. O(n log n) for n reservations, and O(1) for each slot.
	Booked []bookahead.Offer
}

// Slots returns the number of slots of the ring: enough for the horizon, wherever in a slot the
// clock stands. The ring takes 8 bytes for each slot. The error wraps bookahead.ErrInvalid if the
// horizon is missing, the width is negative, or the number exceeds 1<<27.
func (c Config) Slots() (int, error) {
	if c.Horizon < 1 {
		return 0, limits.Invalid("Config.Horizon", c.Horizon, "is less than 1: a ring needs an end")
	}
	if c.Slot < 0 {
		return 0, limits.Invalid("Config.Slot", c.Slot, "is negative")
	}
	whole := (c.Horizon - 1) / c.width()
	if whole > maxSlots-2 {
		return 0, limits.Invalid("Config.Horizon", c.Horizon,
			fmt.Sprintf("takes more than %d slots of %d ticks", maxSlots, c.width()))
	}
	return int(whole) + 2, nil
}

func (c Config) width() bookahead.Duration { return max(c.Slot, 1) }

// ring turns time into slots, and slots into places of an array.
type ring struct {
	width bookahead.Time
	size  int64 // places in the array; at least Config.Slots
}

// newRing returns the ring for a config.
func newRing(c Config) (ring, error) {
	n, err := c.Slots()
	return ring{width: bookahead.Time(c.width()), size: int64(n)}, err
}

// slot returns the number of the slot that contains t, which is never negative.
func (r ring) slot(t bookahead.Time) int64 { return int64(t / r.width) }

// start returns where a slot starts.
func (r ring) start(slot int64) bookahead.Time { return bookahead.Time(slot) * r.width }

// span returns the slots that w touches, as the half-open range [from, to).
func (r ring) span(w bookahead.Interval) (from, to int64) {
	return r.slot(w.Start), r.slot(w.End-1) + 1
}

// place returns the place of a slot in the array.
func (r ring) place(slot int64) int64 { return slot % r.size }

// end returns where a slot ends; the last slot ends at the end of the axis.
func (r ring) end(slot int64) bookahead.Time {
	start := r.start(slot)
	if start <= bookahead.MaxTime-r.width {
		return start + r.width
	}
	return bookahead.MaxTime
}

// round returns the slots that w touches, as an interval.
func (r ring) round(w bookahead.Interval) bookahead.Interval {
	from, to := r.span(w)
	return bookahead.Interval{Start: r.start(from), End: r.end(to - 1)}
}

// steps yields the end of each slot from the one that contains t on, and its free units. After
// the horizon the units mean nothing.
func (r ring) steps(t bookahead.Time, free func(slot int64) int64) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		for slot := r.slot(t); ; slot++ {
			end := r.end(slot)
			if !yield(end, free(slot)) || end == bookahead.MaxTime {
				return
			}
		}
	}
}
