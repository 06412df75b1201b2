package freelist

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// TimeExclusive keeps one block of free capacity for each stretch of time in
// which what is free does not change; none where nothing is (§5, Fig. 4).
type TimeExclusive struct {
	pool pool.Pool
	free timeline
}

var (
	_ bookahead.Schedule = (*TimeExclusive)(nil)
	_ bookahead.Profiler = (*TimeExclusive)(nil)
	_ bookahead.Cloner   = (*TimeExclusive)(nil)
)

// NewTimeExclusive returns a pool of capacity units. The error wraps
// bookahead.ErrInvalid. O(1).
func NewTimeExclusive(capacity int64, c Config) (*TimeExclusive, error) {
	p, err := pool.New(capacity, c.Origin, c.Horizon)
	if err != nil {
		return nil, err
	}
	l := &TimeExclusive{pool: p}
	l.free.add(nil, rest(c.Origin), capacity)
	return l, nil
}

// Search implements bookahead.Schedule (Fig. 4). O(b).
func (l *TimeExclusive) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, _, err := l.find(r)
	return o, err
}

// find searches, and returns also the block in which the offer starts.
func (l *TimeExclusive) find(r bookahead.Request) (bookahead.Offer, *block, error) {
	first, last, err := l.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, nil, err
	}
	run := bookahead.Interval{Start: first, End: first} // where there is enough, as far as seen
	from := l.free.after(first)                         // where that begins
	for b := from; b != nil && run.Start <= last; b = b.next {
		if b.units < r.Units {
			continue
		}
		if b.Start > run.End { // not adjacent
			run.Start, from = b.Start, b
		}
		if run.End = b.End; run.End-run.Start >= bookahead.Time(r.Duration) && run.Start <= last {
			return pool.OfferAt(run.Start, r), from, nil
		}
	}
	return bookahead.Offer{}, nil, bookahead.ErrUnavailable
}

// Reserve implements bookahead.Schedule. O(b).
func (l *TimeExclusive) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, from, err := l.find(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	l.free.add(from, o.Interval, -o.Units)
	return l.pool.Enter(o), nil
}

// Release implements bookahead.Schedule. O(b).
func (l *TimeExclusive) Release(id bookahead.ID) error {
	b, err := l.pool.Strike(id)
	if err != nil {
		return err
	}
	l.free.add(nil, b.Interval, b.Units)
	return nil
}

// RangeQuery implements bookahead.Schedule. O(b).
func (l *TimeExclusive) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := l.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: l.least(w)}, nil
}

// least returns the least that is free in w.
func (l *TimeExclusive) least(w bookahead.Interval) int64 {
	least, t := l.pool.Capacity, w.Start
	for b := l.free.after(t); t < w.End; b = b.next {
		if b == nil || b.Start > t {
			return 0 // nothing is free at t
		}
		least, t = min(least, b.units), b.End
	}
	return least
}

// Advance implements bookahead.Schedule. O(1) amortised over the blocks made.
func (l *TimeExclusive) Advance(now bookahead.Time) error {
	if err := l.pool.Advance(now); err != nil {
		return err
	}
	l.free.forget(now)
	return nil
}

// Blocks implements bookahead.Profiler: the blocks of the list. O(b).
func (l *TimeExclusive) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return inWindow(&l.pool, w, func(w bookahead.Interval, yield func(bookahead.Block) bool) {
		for b := l.free.after(w.Start); b != nil && b.Start < w.End; b = b.next {
			if !cut(w, b.Interval, b.units, yield) {
				return
			}
		}
	})
}

// Clone implements bookahead.Cloner. O(b).
func (l *TimeExclusive) Clone() bookahead.Schedule {
	return &TimeExclusive{pool: l.pool.Clone(), free: l.free.clone()}
}
