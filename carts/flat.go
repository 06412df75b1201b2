package carts

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Flat keeps the slots in a sorted array, as published. It is simple, compact,
// and the one to beat up to some hundred reservations.
type Flat struct {
	pool  pool.Pool
	start []bookahead.Time // when slot i starts; start[0] is now
	free  []int64          // what is free in it; neighbours differ
}

var (
	_ bookahead.Schedule = (*Flat)(nil)
	_ bookahead.Profiler = (*Flat)(nil)
	_ bookahead.Offerer  = (*Flat)(nil)
	_ bookahead.Cloner   = (*Flat)(nil)
	_ bookahead.Resizer  = (*Flat)(nil)
)

// NewFlat returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(n) for n reservations in Config.Booked that also end in order, and O(n log n)
// otherwise.
func NewFlat(capacity int64, c Config) (*Flat, error) {
	p, slots, err := open(capacity, c)
	if err != nil {
		return nil, err
	}
	f := &Flat{pool: p}
	for _, s := range slots {
		f.start = append(f.start, s.Start)
		f.free = append(f.free, s.Free)
	}
	return f, nil
}

// Search implements bookahead.Schedule (Kurowski et al., Algorithm 2).
// O(log v + k) for k slots between the ready time and the start found; it does
// not allocate.
func (f *Flat) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := f.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, d := first, bookahead.Time(r.Duration) // the start, as far as seen
	for i := f.at(first); i < len(f.free) && t <= last; i++ {
		end := f.end(i)
		if f.free[i] < r.Units {
			t = end
		} else if end-t >= d {
			return pool.OfferAt(t, r), nil
		}
	}
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

// Reserve implements bookahead.Schedule. O(v).
func (f *Flat) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := f.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	f.add(o.Interval, -o.Units)
	return f.pool.Enter(o), nil
}

// Release implements bookahead.Schedule. O(v).
func (f *Flat) Release(id bookahead.ID) error {
	b, err := f.pool.Strike(id)
	if err != nil {
		return err
	}
	f.add(b.Interval, b.Units)
	return nil
}

// Resize implements bookahead.Resizer. O(v).
func (f *Flat) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return f.pool.Resize(id, to, units, f.least, f.add)
}

// RangeQuery implements bookahead.Schedule. O(log v + m) for m slots in w.
func (f *Flat) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := f.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: f.least(w)}, nil
}

// least returns the least that is free in w.
func (f *Flat) least(w bookahead.Interval) int64 {
	i := f.at(w.Start)
	free := f.free[i]
	for i++; i < len(f.start) && f.start[i] < w.End; i++ {
		free = min(free, f.free[i])
	}
	return free
}

// Advance implements bookahead.Schedule. O(1) amortised over the slots that
// were made.
func (f *Flat) Advance(now bookahead.Time) error {
	if err := f.pool.Advance(now); err != nil {
		return err
	}
	past := 0
	for past+1 < len(f.start) && f.start[past+1] <= now {
		past++
	}
	f.start, f.free = f.start[past:], f.free[past:]
	f.start[0] = now
	return nil
}

// Blocks implements bookahead.Profiler: one block for each slot that is not
// full, so that blocks never overlap. O(log v + m) for m slots in w.
func (f *Flat) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := f.pool.Window(w)
		if err != nil || w.Empty() {
			return
		}
		for i := f.at(w.Start); i < len(f.start) && f.start[i] < w.End; i++ {
			cut := w.Intersect(bookahead.Interval{Start: f.start[i], End: f.end(i)})
			if f.free[i] > 0 && !yield(bookahead.Block{Interval: cut, Units: f.free[i]}) {
				return
			}
		}
	}
}

// Offers implements bookahead.Offerer. O(log v + k) for k slots up to the last
// offer that is taken, and O(1) for each offer.
func (f *Flat) Offers(r bookahead.Request) iter.Seq[bookahead.Offer] {
	return func(yield func(bookahead.Offer) bool) {
		first, last, err := f.pool.Starts(r)
		if err != nil {
			return
		}
		t, d := first, bookahead.Time(r.Duration)
		for i := f.at(first); i < len(f.free) && t <= last; i++ {
			end := f.end(i)
			if f.free[i] < r.Units {
				t = end
			}
			for ; t <= min(end-d, last); t++ { // the stretch so far holds these starts
				if !yield(pool.OfferAt(t, r)) {
					return
				}
			}
		}
	}
}

// Clone implements bookahead.Cloner. O(v).
func (f *Flat) Clone() bookahead.Schedule {
	return &Flat{
		pool:  f.pool.Clone(),
		start: slices.Clone(f.start),
		free:  slices.Clone(f.free),
	}
}

// at returns the slot that contains t, which is not in the past.
func (f *Flat) at(t bookahead.Time) int {
	i, found := slices.BinarySearch(f.start, t)
	if !found {
		i--
	}
	return i
}

// end returns where slot i ends.
func (f *Flat) end(i int) bookahead.Time {
	if i+1 < len(f.start) {
		return f.start[i+1]
	}
	return bookahead.MaxTime
}

// add changes what is free throughout w by delta.
func (f *Flat) add(w bookahead.Interval, delta int64) {
	i := f.split(w.Start)
	j := f.split(w.End)
	for k := i; k < j; k++ {
		f.free[k] += delta
	}
	f.merge(j)
	f.merge(i)
}

// split makes a slot start at t, and returns it.
func (f *Flat) split(t bookahead.Time) int {
	i, found := slices.BinarySearch(f.start, t)
	if !found {
		f.start = slices.Insert(f.start, i, t)
		f.free = slices.Insert(f.free, i, f.free[i-1])
	}
	return i
}

// merge joins slot i to the one before if nothing changes between them.
func (f *Flat) merge(i int) {
	if i > 0 && f.free[i] == f.free[i-1] {
		f.start = slices.Delete(f.start, i, i+1)
		f.free = slices.Delete(f.free, i, i+1)
	}
}
