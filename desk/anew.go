package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// putBack puts bookings back that fit where they were: the most important first, which is the last of
// the list. It returns those that do not fit, in that order.
//
// A booking on a stretch that an earlier closure left overbooked is refused there if it comes back, and
// yet may stay if it is never taken out. For such a one, stays returns the stage on which only the
// others are out; or bookahead.ErrUnavailable if it is in the way.
func (s *stage) putBack(out []*Booking, stays func(k *Booking, out []*Booking) (*stage, error)) (*stage, []*Booking, error) {
	var left []*Booking
	for i, k := range slices.Backward(out) {
		err := s.restore(k)
		if err == bookahead.ErrUnavailable && s.overbooked(k) {
			var other *stage
			other, err = stays(k, slices.Concat(left, out[:i]))
			if err == nil {
				s = other
			}
		}
		switch err {
		case nil:
		case bookahead.ErrUnavailable:
			left = append(left, k)
		default:
			return nil, nil, err
		}
	}
	return s, left, nil
}

// restore books again what a booking had that was taken out. An error changes nothing.
func (s *stage) restore(k *Booking) error {
	shape := k.Shapes[k.Shape]
	ids := make([]bookahead.ID, len(k.Places))
	for i, p := range k.Places {
		if p.End <= s.now {
			continue
		}
		id, err := s.open(k.on[i]).reserve(want{p, shape[i].Tasks}, s.now)
		if err != nil {
			for j, id := range ids[:i] {
				if id != 0 {
					_ = s.open(k.on[j]).release(id) // it was booked just now
				}
			}
			return err
		}
		ids[i] = id
	}
	s.note(k, ids)
	return nil
}

// overbooked reports whether a booking lies on a stretch that was overbooked before the command.
func (b *books) overbooked(k *Booking) bool {
	if b.lastOutage == 0 {
		return false // nothing was ever closed
	}
	ahead := bookahead.Interval{Start: b.now, End: bookahead.MaxTime}
	for i := range k.Places {
		if b.schedules[k.on[i]].overbooks(&k.Places[i], ahead) {
			return true
		}
	}
	return false
}

// placeAnew finds other places for bookings that were taken out, in turn.
func (s *stage) placeAnew(list []*Booking) (moved []Moved, err error) {
	for _, k := range list {
		r, last := k.again(s.now)
		m := Moved{Booking: k.ID}
		x, err := s.findFrom(&r)
		if k.begun(s.now) && k.checkPast() != nil {
			err = bookahead.ErrUnavailable
		}
		if err == nil && x.places[0].Start-bookahead.Time(r.Shapes[x.shape][0].Offset) > last {
			err = bookahead.ErrUnavailable
		}
		if err == nil {
			m.Shape, m.Places = x.shape, x.places
			err = s.move(k, r.Shapes[x.shape], x.places, x.on)
		}
		if err != nil && err != bookahead.ErrUnavailable {
			return nil, err
		}
		moved = append(moved, m)
	}
	return moved, nil
}

// findFrom is find for a request whose Ready has moved, so that shapes may be too long by now.
func (s *stage) findFrom(r *Request) (spot, error) {
	short := *r
	short.Shapes = nil
	var at []int // of the shapes that are not too long
	for i, shape := range r.Shapes {
		end := bookahead.MaxTime
		if r.Deadline != 0 {
			end = r.Deadline
		}
		if bookahead.Time(shape.length()) > end-max(r.Ready, 0) {
			continue
		}
		short.Shapes, at = append(short.Shapes, shape), append(at, i)
	}
	x, err := s.find(&short)
	if err == nil {
		x.shape = at[x.shape]
	}
	return x, err
}

// length returns how long the shape takes if no gap is longer than its Least.
func (x Shape) length() bookahead.Duration {
	before, step := bookahead.Duration(0), bookahead.Duration(0)
	for i := range x {
		p := &x[i]
		if p.After != nil {
			before, step = addUp(before, step, p.After.Least), 0
		}
		step = max(step, addUp(p.Offset, p.Duration))
	}
	return addUp(before, step)
}
