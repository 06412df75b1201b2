package carts

import (
	"iter"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// BTree keeps the slots in a B-tree that shares its nodes with its clones, so
// that Clone costs next to nothing, whatever the number of reservations.
type BTree struct {
	pool  pool.Pool
	slots *btree.BTreeG[Slot] // by start; the first starts now, neighbours differ
	moved []Slot              // room for the slots that add changes
}

var (
	_ bookahead.Schedule = (*BTree)(nil)
	_ bookahead.Profiler = (*BTree)(nil)
	_ bookahead.Offerer  = (*BTree)(nil)
	_ bookahead.Cloner   = (*BTree)(nil)
	_ bookahead.Resizer  = (*BTree)(nil)
)

const degree = 32

// NewBTree returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(n log n) for n reservations in Config.Booked.
func NewBTree(capacity int64, c Config) (*BTree, error) {
	p, slots, err := open(capacity, c)
	if err != nil {
		return nil, err
	}
	b := &BTree{pool: p}
	b.slots = btree.NewG(degree, func(x, y Slot) bool { return x.Start < y.Start })
	for _, s := range slots {
		b.slots.ReplaceOrInsert(s)
	}
	return b, nil
}

// Search implements bookahead.Schedule (Kurowski et al., Algorithm 2).
// O(log v + k) for k slots between the ready time and the start found; it does
// not allocate.
func (b *BTree) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := b.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	d := bookahead.Time(r.Duration)
	t, found := first, false
	for end, free := range b.from(first) {
		if free < r.Units {
			t = end
		} else if end-t >= d {
			found = t <= last
			break
		}
		if t > last {
			break
		}
	}
	if !found {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return pool.OfferAt(t, r), nil
}

// Reserve implements bookahead.Schedule. O((1 + m) log v + k) for m slots in the
// window that is booked, and k as in Search.
func (b *BTree) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := b.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	b.add(o.Interval, -o.Units)
	return b.pool.Enter(o), nil
}

// Release implements bookahead.Schedule. O((1 + m) log v) for m slots in the
// window that is given back.
func (b *BTree) Release(id bookahead.ID) error {
	e, err := b.pool.Strike(id)
	if err != nil {
		return err
	}
	b.add(e.Interval, e.Units)
	return nil
}

// Resize implements bookahead.Resizer. O((1 + m) log v) for m slots in what is
// given back and in what is booked.
func (b *BTree) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return b.pool.Resize(id, to, units, b.least, b.add)
}

// RangeQuery implements bookahead.Schedule. O(log v + m) for m slots in w.
func (b *BTree) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := b.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: b.least(w)}, nil
}

// least returns the least that is free in w.
func (b *BTree) least(w bookahead.Interval) int64 {
	least := b.pool.Capacity
	for end, free := range b.from(w.Start) {
		least = min(least, free)
		if end >= w.End {
			break
		}
	}
	return least
}

// Advance implements bookahead.Schedule. O(log v) amortised over the slots that
// were made.
func (b *BTree) Advance(now bookahead.Time) error {
	if err := b.pool.Advance(now); err != nil {
		return err
	}
	running := b.at(now)
	for {
		s, _ := b.slots.Min()
		if s.Start > now {
			break
		}
		b.slots.DeleteMin()
		if s == running {
			break
		}
	}
	b.slots.ReplaceOrInsert(Slot{now, running.Free})
	return nil
}

// Blocks implements bookahead.Profiler: one block for each slot that is not
// full, so that blocks never overlap. O(log v + m) for m slots in w.
func (b *BTree) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := b.pool.Window(w)
		if err != nil || w.Empty() {
			return
		}
		t := w.Start
		for end, free := range b.from(t) {
			cut := bookahead.Interval{Start: t, End: min(end, w.End)}
			if free > 0 && !yield(bookahead.Block{Interval: cut, Units: free}) {
				return
			}
			if t = end; t >= w.End {
				return
			}
		}
	}
}

// Offers implements bookahead.Offerer. O(log v + k) for k slots up to the last
// offer that is taken, and O(1) for each offer.
func (b *BTree) Offers(r bookahead.Request) iter.Seq[bookahead.Offer] {
	return func(yield func(bookahead.Offer) bool) {
		t, last, err := b.pool.Starts(r)
		if err != nil {
			return
		}
		d := bookahead.Time(r.Duration)
		for end, free := range b.from(t) {
			if free < r.Units {
				t = end
			}
			for ; t <= min(end-d, last); t++ { // the stretch so far holds these starts
				if !yield(pool.OfferAt(t, r)) {
					return
				}
			}
			if t > last {
				return
			}
		}
	}
}

// Clone implements bookahead.Cloner. O(1), and the ledger's directory.
func (b *BTree) Clone() bookahead.Schedule {
	return &BTree{pool: b.pool.Clone(), slots: b.slots.Clone()}
}

// at returns the slot that contains t, which is not in the past.
func (b *BTree) at(t bookahead.Time) (s Slot) {
	b.slots.DescendLessOrEqual(Slot{Start: t}, func(it Slot) bool {
		s = it
		return false
	})
	return s
}

// from yields the end of each slot and what is free in it, from the one that
// contains t on.
func (b *BTree) from(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		s := b.at(t)
		more := true
		b.slots.AscendGreaterOrEqual(Slot{Start: t + 1}, func(next Slot) bool {
			more = yield(next.Start, s.Free)
			s = next
			return more
		})
		if more {
			yield(bookahead.MaxTime, s.Free)
		}
	}
}

// add changes what is free throughout w by delta.
func (b *BTree) add(w bookahead.Interval, delta int64) {
	b.split(w.Start)
	b.split(w.End)
	b.moved = b.moved[:0]
	b.slots.AscendRange(Slot{Start: w.Start}, Slot{Start: w.End}, func(s Slot) bool {
		b.moved = append(b.moved, Slot{s.Start, s.Free + delta})
		return true
	})
	for _, s := range b.moved {
		b.slots.ReplaceOrInsert(s)
	}
	b.merge(w.End)
	b.merge(w.Start)
}

// split makes a slot start at t.
func (b *BTree) split(t bookahead.Time) {
	if s := b.at(t); s.Start != t {
		b.slots.ReplaceOrInsert(Slot{t, s.Free})
	}
}

// merge joins the slot that starts at t to the one before if nothing changes
// between them.
func (b *BTree) merge(t bookahead.Time) {
	if t > b.pool.Now && b.at(t).Free == b.at(t-1).Free {
		b.slots.Delete(Slot{Start: t})
	}
}
