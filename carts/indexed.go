package carts

import (
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Indexed keeps the slots in a tree that finds, changes and skips them in
// logarithmic time, however many there are and however the gaps between them
// lie. It is the one to choose unless another suits better.
type Indexed struct {
	pool  pool.Pool
	slots profileOf
}

var (
	_ bookahead.Schedule       = (*Indexed)(nil)
	_ bookahead.Profiler       = (*Indexed)(nil)
	_ bookahead.Offerer        = (*Indexed)(nil)
	_ bookahead.Cloner         = (*Indexed)(nil)
	_ bookahead.Resizer        = (*Indexed)(nil)
	_ bookahead.LatestSearcher = (*Indexed)(nil)
)

// profileOf is a profile with units of either size.
type profileOf interface {
	search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool)
	book(first, last, d bookahead.Time, n int64) (bookahead.Time, bool)
	searchLatest(first, last, d bookahead.Time, n int64) (bookahead.Time, bool)
	change(w bookahead.Interval, delta int64)
	least(w bookahead.Interval) int64
	from(t bookahead.Time) iter.Seq2[bookahead.Time, int64]
	until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time
	forget(now bookahead.Time)
	clone() profileOf
}

// NewIndexed returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(n) for n reservations in Config.Booked that also end in order, and O(n log n)
// otherwise.
func NewIndexed(capacity int64, c Config) (*Indexed, error) {
	return newIndexed(capacity, c, shape{width: fanout, patience: 8, near: 14, mayLand: 32})
}

// shape is what tests want otherwise.
type shape struct {
	width    int // the most entries of a node, from 8 to fanout
	patience int // the gaps that are too short that a search meets before it looks at the index
	near     int // the leaves that are to lie between it and its last start then
	// mayLand is how often the index may lead a search to where there is too little
	// before it must tell not only the class of requests, but the units.
	mayLand int
}

// newIndexed is NewIndexed with a shape.
func newIndexed(capacity int64, c Config, s shape) (*Indexed, error) {
	p, slots, err := open(capacity, c)
	if err != nil {
		return nil, err
	}
	x := &Indexed{pool: p}
	if capacity <= math.MaxInt32 {
		x.slots = newProfile[int32](slots, s)
	} else {
		x.slots = newProfile[int64](slots, s)
	}
	return x, nil
}

// Search implements bookahead.Schedule. O(log v) for each gap that it meets, of
// which it skips most that are too short. It does not allocate, but for the index
// when a node has none of its class.
func (x *Indexed) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := x.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, ok := x.slots.search(first, last, bookahead.Time(r.Duration), r.Units)
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return pool.OfferAt(t, r), nil
}

// Reserve implements bookahead.Schedule. A Search, and O(log v); one call in many
// goes through the ledger as well, for what has ended.
func (x *Indexed) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	first, last, err := x.pool.Starts(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	t, ok := x.slots.book(first, last, bookahead.Time(r.Duration), r.Units)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	return x.pool.Enter(pool.OfferAt(t, r)), nil
}

// Release implements bookahead.Schedule. O(log v).
func (x *Indexed) Release(id bookahead.ID) error {
	b, err := x.pool.Strike(id)
	if err != nil {
		return err
	}
	x.slots.change(b.Interval, b.Units)
	return nil
}

// Resize implements bookahead.Resizer. O(log v).
func (x *Indexed) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return x.pool.Resize(id, to, units, x.slots.least, x.slots.change)
}

// SearchLatest implements bookahead.LatestSearcher. O(log v) for each gap that is
// too short between the start that is found and the last one possible: the index
// is of no use backwards.
func (x *Indexed) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := x.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, ok := x.slots.searchLatest(first, last, bookahead.Time(r.Duration), r.Units)
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return pool.OfferAt(t, r), nil
}

// RangeQuery implements bookahead.Schedule. O(log v).
func (x *Indexed) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := x.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: x.slots.least(w)}, nil
}

// Advance implements bookahead.Schedule. O(1) amortised over the slots that
// were made.
func (x *Indexed) Advance(now bookahead.Time) error {
	if err := x.pool.Advance(now); err != nil {
		return err
	}
	x.slots.forget(now)
	return nil
}

// Blocks implements bookahead.Profiler: one block for each slot that is not
// full, so that blocks never overlap. O(log v + m) for m slots in w.
func (x *Indexed) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := x.pool.Window(w)
		if err != nil || w.Empty() {
			return
		}
		start := w.Start
		for end, free := range x.slots.from(w.Start) {
			cut := bookahead.Interval{Start: start, End: min(end, w.End)}
			if free > 0 && !yield(bookahead.Block{Interval: cut, Units: free}) || end >= w.End {
				return
			}
			start = end
		}
	}
}

// Offers implements bookahead.Offerer. A Search for each run that is long enough,
// and O(1) for each offer.
func (x *Indexed) Offers(r bookahead.Request) iter.Seq[bookahead.Offer] {
	return func(yield func(bookahead.Offer) bool) {
		first, last, err := x.pool.Starts(r)
		if err != nil {
			return
		}
		d := bookahead.Time(r.Duration)
		for first <= last {
			t, ok := x.slots.search(first, last, d, r.Units)
			if !ok {
				return
			}
			end := x.slots.until(t, r.Units, last+d) // of the run
			for ; t <= end-d; t++ {
				if !yield(pool.OfferAt(t, r)) {
					return
				}
			}
			first = max(t, end)
		}
	}
}

// Clone implements bookahead.Cloner. O(1), and the ledger's directory.
func (x *Indexed) Clone() bookahead.Schedule {
	return &Indexed{pool: x.pool.Clone(), slots: x.slots.clone()}
}
