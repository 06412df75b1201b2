package slotted

import "github.com/bookahead/bookahead"

var (
	_ bookahead.Resizer = (*Scan)(nil)
	_ bookahead.Resizer = (*Indexed)(nil)
)

// Resize implements bookahead.Resizer. O(m) for m slots in what is given back and
// in what is booked.
func (s *Scan) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return s.pool.ResizeRounded(id, to, units, s.ring.round, s.least, s.add)
}

// Resize implements bookahead.Resizer. O(m/B + B) for m slots in what is given
// back and in what is booked.
func (x *Indexed) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	take := func(w bookahead.Interval, delta int64) { x.add(w, -delta) }
	return x.pool.ResizeRounded(id, to, units, x.ring.round, x.least, take)
}

// round returns the slots that w touches, as an interval.
func (r ring) round(w bookahead.Interval) bookahead.Interval {
	from, to := r.span(w)
	return bookahead.Interval{Start: r.start(from), End: r.end(to - 1)}
}
