package freelist

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Used keeps the blocks of used capacity: one for each stretch of time in which
// what is used does not change, and none where nothing is (§6). An AVL tree over
// their starts leads to the first that matters; without it (NewUsedList) the
// list is walked from its head.
type Used struct {
	pool pool.Pool
	used timeline
}

var (
	_ bookahead.Schedule = (*Used)(nil)
	_ bookahead.Profiler = (*Used)(nil)
	_ bookahead.Cloner   = (*Used)(nil)
)

// NewUsed returns a pool of capacity units whose list has an AVL tree. The error
// wraps bookahead.ErrInvalid. O(1).
func NewUsed(capacity int64, c Config) (*Used, error) {
	l, err := NewUsedList(capacity, c)
	if err != nil {
		return nil, err
	}
	l.used.index = &avl{}
	return l, nil
}

// NewUsedList returns a pool of capacity units whose list has no tree: the
// baseline of §8.2. The error wraps bookahead.ErrInvalid. O(1).
func NewUsedList(capacity int64, c Config) (*Used, error) {
	p, err := pool.New(capacity, c.Origin, c.Horizon)
	if err != nil {
		return nil, err
	}
	return &Used{pool: p}, nil
}

// Search implements bookahead.Schedule. O(log b + k) with the tree, O(b) without.
func (l *Used) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, _, err := l.find(r)
	return o, err
}

// find searches, and returns also the last block that was in the way, or else
// the first that was looked at.
func (l *Used) find(r bookahead.Request) (bookahead.Offer, *block, error) {
	first, last, err := l.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, nil, err
	}
	t, most := first, l.pool.Capacity-r.Units
	from := l.used.after(first)
	for b := from; b != nil && b.Start-t < bookahead.Time(r.Duration); b = b.next {
		if b.units > most {
			if t, from = b.End, b; t > last {
				return bookahead.Offer{}, nil, bookahead.ErrUnavailable
			}
		}
	}
	return pool.OfferAt(t, r), from, nil
}

// Reserve implements bookahead.Schedule. O(k + m log b) with the tree, O(b)
// without.
func (l *Used) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, from, err := l.find(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	l.used.add(from, o.Interval, o.Units)
	return l.pool.Enter(o), nil
}

// Release implements bookahead.Schedule. O(m log b) with the tree, O(b) without.
func (l *Used) Release(id bookahead.ID) error {
	b, err := l.pool.Strike(id)
	if err != nil {
		return err
	}
	l.used.add(nil, b.Interval, -b.Units)
	return nil
}

// RangeQuery implements bookahead.Schedule. O(log b + m) with the tree, O(b)
// without.
func (l *Used) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := l.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: l.least(w)}, nil
}

// least returns the least that is free in w.
func (l *Used) least(w bookahead.Interval) int64 {
	most := int64(0)
	for b := l.used.after(w.Start); b != nil && b.Start < w.End; b = b.next {
		most = max(most, b.units)
	}
	return l.pool.Capacity - most
}

// Advance implements bookahead.Schedule. O(log b) amortised over the blocks
// made, and O(1) without the tree.
func (l *Used) Advance(now bookahead.Time) error {
	if err := l.pool.Advance(now); err != nil {
		return err
	}
	l.used.forget(now)
	return nil
}

// Blocks implements bookahead.Profiler: what the list leaves free, one block at a
// time. O(log b + m) with the tree, O(b) without.
func (l *Used) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return inWindow(&l.pool, w, func(w bookahead.Interval, yield func(bookahead.Block) bool) {
		t := w.Start
		for b := l.used.after(t); b != nil && b.Start < w.End; b = b.next {
			between := bookahead.Interval{Start: t, End: b.Start}
			if !cut(w, between, l.pool.Capacity, yield) || !cut(w, b.Interval, l.pool.Capacity-b.units, yield) {
				return
			}
			t = b.End
		}
		cut(w, rest(t), l.pool.Capacity, yield)
	})
}

// Clone implements bookahead.Cloner. O(b log b) with the tree, O(b) without.
func (l *Used) Clone() bookahead.Schedule {
	return &Used{pool: l.pool.Clone(), used: l.used.clone()}
}
