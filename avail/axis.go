package avail

import (
	"fmt"
	"math/bits"

	"github.com/bookahead/bookahead"
)

// Axis lays slots of equal width on the time axis: slot i is
// [Origin + i·Width, Origin + (i+1)·Width).
type Axis struct {
	Origin bookahead.Time     // where slot 0 starts
	Width  bookahead.Duration // of a slot, in ticks, at least 1
	Slots  int                // the number of slots, at most MaxSlots
}

// Window returns the span of all slots: the window to ask a Profiler for. The error wraps
// bookahead.ErrInvalid if Width or Slots is out of range, or if the span does not fit the time
// axis. O(1).
func (a Axis) Window() (bookahead.Interval, error) {
	if err := checkSlots("Axis.Slots", a.Slots); err != nil {
		return bookahead.Interval{}, err
	}
	end, err := a.Start(a.Slots)
	if err != nil {
		return bookahead.Interval{}, err
	}
	return bookahead.Interval{Start: a.Origin, End: end}, nil
}

// Start returns the tick at which slot i starts. The slot may lie outside the
// axis, as an EST can. The error wraps bookahead.ErrInvalid if Width is less than 1,
// or if the tick does not fit a Time. O(1).
func (a Axis) Start(i int) (bookahead.Time, error) {
	if a.Width < 1 {
		return 0, invalid("Axis.Width", int64(a.Width), "is less than 1")
	}
	// The product may not fit where the sum does, so both are reckoned without a sign.
	n, origin, end := uint64(i), uint64(a.Origin), uint64(bookahead.MaxTime)
	if i < 0 {
		n, end = -n, 1<<63 // the first Time of all
	}
	high, offset := bits.Mul64(n, uint64(a.Width))
	switch {
	case high > 0, i >= 0 && offset > end-origin, i < 0 && offset > origin-end:
		return 0, invalid("time", fmt.Sprintf("%d + %d * %d", a.Origin, i, a.Width), "overflows")
	case i < 0:
		return bookahead.Time(origin - offset), nil
	}
	return bookahead.Time(origin + offset), nil
}
