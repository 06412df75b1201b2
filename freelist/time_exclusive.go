package freelist

import (
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// TimeExclusive keeps one block of free capacity for each stretch of time in which the free units
// do not change, and none where nothing is free (§5, Fig. 4).
type TimeExclusive struct{ exact }

// NewTimeExclusive returns a pool of capacity units. The error wraps
// bookahead.ErrInvalid. O(n log n) for n reservations in Config.Booked.
func NewTimeExclusive(capacity int64, c Config) (*TimeExclusive, error) {
	x, err := open(capacity, c, &exclusive{})
	if err != nil {
		return nil, err
	}
	return &TimeExclusive{x}, nil
}

// Clone implements bookahead.Cloner. O(b).
func (l *TimeExclusive) Clone() bookahead.Schedule { return &TimeExclusive{l.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says. It reads the snapshot of any pool that is exact to the tick. O(n log n).
func (l *TimeExclusive) UnmarshalBinary(data []byte) error { return l.read(data, &exclusive{}) }

// exclusive is the list of TimeExclusive.
type exclusive struct{ timeline }

func (l *exclusive) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t, from := l.find(first, last, d, n)
	return t, from != nil
}

// find is Search (Fig. 4). It returns the block in which the place starts, or nil if there is no
// place.
func (l *exclusive) find(first, last, d bookahead.Time, n int64) (bookahead.Time, *block) {
	run := bookahead.Interval{Start: first, End: first} // the run of blocks with enough, up to here
	from := l.after(first)                              // the block in which the run begins
	for b := from; b != nil && run.Start <= last; b = b.next {
		if b.units < n {
			continue
		}
		if b.Start > run.End { // not adjacent
			run.Start, from = b.Start, b
		}
		run.End = b.End
		if run.End-run.Start >= d && run.Start <= last {
			return run.Start, from
		}
	}
	return 0, nil
}

func (l *exclusive) Book(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t, from := l.find(first, last, d, n)
	if from == nil {
		return 0, false
	}
	l.add(from, bookahead.Interval{Start: t, End: t + d}, -n)
	return t, true
}

func (l *exclusive) Change(w bookahead.Interval, delta int64) { l.add(nil, w, delta) }

func (l *exclusive) Least(w bookahead.Interval) int64 {
	least, t := int64(math.MaxInt64), w.Start
	for b := l.after(t); t < w.End; b = b.next {
		if b == nil || b.Start > t {
			return 0 // nothing is free at t
		}
		least, t = min(least, b.units), b.End
	}
	return least
}

func (l *exclusive) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] { return l.steps(t) }

func (l *exclusive) Forget(now bookahead.Time) { l.forget(now) }

func (l *exclusive) blocks(w bookahead.Interval, yield func(bookahead.Block) bool) {
	for b := l.after(w.Start); b != nil && b.Start < w.End; b = b.next {
		if !cut(w, b.Interval, b.units, yield) {
			return
		}
	}
}

func (l *exclusive) clone() list { return &exclusive{l.timeline.clone()} }

func (l *exclusive) made(_ int64, steps []pool.Step) list {
	made := &exclusive{}
	made.generate(steps, func(s pool.Step) int64 { return s.Free })
	return made
}
