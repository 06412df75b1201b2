package slotted

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Scan looks at one slot after the other, as published.
type Scan struct {
	pool pool.Pool
	ring ring
	free []int64 // by place
}

var (
	_ bookahead.Schedule = (*Scan)(nil)
	_ bookahead.Profiler = (*Scan)(nil)
	_ bookahead.Cloner   = (*Scan)(nil)
)

// NewScan returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
// O(n) for a ring of n slots.
func NewScan(capacity int64, c Config) (*Scan, error) {
	p, r, err := open(capacity, c)
	if err != nil {
		return nil, err
	}
	s := &Scan{pool: p, ring: r, free: make([]int64, r.size)}
	for i := range s.free {
		s.free[i] = capacity
	}
	return s, nil
}

// Search implements bookahead.Schedule. O(k) for k slots between the ready time
// and the end of what is found.
func (s *Scan) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := s.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	d := bookahead.Time(r.Duration)
	t := first // the start, as far as seen
	for slot := s.ring.slot(first); t <= last; slot++ {
		end := s.ring.end(slot)
		if s.free[s.ring.place(slot)] < r.Units {
			t = end
		} else if end-t >= d {
			return pool.OfferAt(t, r), nil
		}
	}
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

// Reserve implements bookahead.Schedule. O(k + m) for m slots in the window that
// is booked.
func (s *Scan) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := s.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	s.add(o.Interval, -o.Units)
	return s.pool.Enter(o), nil
}

// Release implements bookahead.Schedule. O(m) for m slots in the window that is
// given back.
func (s *Scan) Release(id bookahead.ID) error {
	b, err := s.pool.Strike(id)
	if err != nil {
		return err
	}
	s.add(b.Interval, b.Units)
	return nil
}

// RangeQuery implements bookahead.Schedule. O(m) for m slots that w touches.
func (s *Scan) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := s.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: s.least(w)}, nil
}

// least returns the least that is free in the slots that w touches.
func (s *Scan) least(w bookahead.Interval) int64 {
	least := s.pool.Capacity
	from, to := s.ring.span(w)
	for slot := from; slot < to; slot++ {
		least = min(least, s.free[s.ring.place(slot)])
	}
	return least
}

// Advance implements bookahead.Schedule: the slots that have passed become the
// last ones. O(slots passed), and never more than the ring has.
func (s *Scan) Advance(now bookahead.Time) error {
	old := s.ring.slot(s.pool.Now)
	if err := s.pool.Advance(now); err != nil {
		return err
	}
	for slot := old; slot < min(s.ring.slot(now), old+s.ring.size); slot++ {
		s.free[s.ring.place(slot)] = s.pool.Capacity
	}
	return nil
}

// Blocks implements bookahead.Profiler: one block for each run of slots with the
// same number of free units. O(m) for m slots in w.
func (s *Scan) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return blocks(&s.pool, s.ring, w, func(slot int64) int64 { return s.free[s.ring.place(slot)] })
}

// Clone implements bookahead.Cloner. O(n).
func (s *Scan) Clone() bookahead.Schedule {
	return &Scan{pool: s.pool.Clone(), ring: s.ring, free: slices.Clone(s.free)}
}

// add changes what is free in the slots that w touches by delta.
func (s *Scan) add(w bookahead.Interval, delta int64) {
	from, to := s.ring.span(w)
	for slot := from; slot < to; slot++ {
		s.free[s.ring.place(slot)] += delta
	}
}

// blocks yields the runs of slots in w that have the same number of free units.
func blocks(p *pool.Pool, r ring, w bookahead.Interval, free func(slot int64) int64) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := p.Window(w)
		if err != nil || w.Empty() {
			return
		}
		from, to := r.span(w)
		for slot := from; slot < to; {
			next := slot + 1
			for next < to && free(next) == free(slot) {
				next++
			}
			cut := w.Intersect(bookahead.Interval{Start: r.start(slot), End: r.end(next - 1)})
			if units := free(slot); units > 0 && !yield(bookahead.Block{Interval: cut, Units: units}) {
				return
			}
			slot = next
		}
	}
}
