package desk

import (
	"errors"
	"slices"

	"github.com/bookahead/bookahead"
)

// findAhead is findAnew for a booking that has not begun. A part of its own place needs no Notice, and may be beyond a
// quota that was set later, if it goes no further beyond:
//
//	Notice 5     now ├────┤
//	before           · · ██████████        booked long ago
//	after            · · ██████            a Change to fewer ticks, with the same Ready
//	not this         · · · · ▒▒▒▒▒▒        the first start that Notice allows
func (s *stage) findAhead(k *Booking, to *Request) (spot, error) {
	x, own, err := s.findOwn(k, to)
	if !own {
		x, err = s.findMoved(k, to)
	}
	found := err == nil
	if err != nil && err != bookahead.ErrUnavailable || !s.boundsPlace(k) || found && own && x.places[0].Start <= max(to.Ready, k.Start) {
		return x, err
	}
	if own {
		err := s.move(k, nil, nil, nil)
		if err != nil {
			return spot{}, err
		}
	}
	y, within, failed := s.findWithin(k, to)
	if failed != nil {
		return spot{}, failed
	}
	if within && (!found || y.end() < x.end()) {
		return y, nil
	}
	return x, err
}

// findMoved takes a booking out of the stage, and returns the first place for another request.
func (s *stage) findMoved(k *Booking, to *Request) (spot, error) {
	err := s.move(k, nil, nil, nil)
	if err != nil {
		return spot{}, err
	}
	return s.find(to)
}

// boundsPlace reports whether a quota, Notice or Ahead may refuse a part of the place of a booking.
func (s *stage) boundsPlace(k *Booking) bool {
	return len(s.rules) > 0 || slices.ContainsFunc(k.on, func(on int32) bool {
		t := s.terms(s.at(on))
		return t != nil && (t.Notice != 0 || t.Ahead != 0)
	})
}

// findWithin returns the first place for another request when Notice, Ahead and quotas are not asked. ok is true if that
// place is a part of the place of the booking, and breaks no quota further. The booking has been taken out of the stage.
func (s *stage) findWithin(k *Booking, to *Request) (x spot, ok bool, err error) {
	r, at := k.within(to)
	free := *s
	free.unasked, free.unruled = true, true
	x, err = free.find(&r)
	if err == bookahead.ErrUnavailable || errors.Is(err, bookahead.ErrInvalid) {
		return spot{}, false, nil
	}
	if err != nil {
		return spot{}, false, err
	}
	x.shape = at[x.shape]
	for i, p := range x.places {
		old := &k.Places[i]
		if p.Start < old.Start || p.End > old.End {
			return spot{}, false, nil
		}
	}
	as := k.elsewhere(to.Shapes[x.shape], x.places, x.on, s.now).relabelled(to)
	return x, !s.breaks(s.asBefore(s.postings(k, as))), nil
}

// within returns a request for a part of the place of a booking, and the index in to of each of its shapes. A shape
// qualifies if each part can lie on the schedule of the old part, with no more units, and on servers that it has.
func (k *Booking) within(to *Request) (r Request, at []int) {
	r = *to
	r.Shapes = nil
	r.Ready = max(to.Ready, k.Start)
	r.Deadline = k.End
	if to.Deadline != 0 {
		r.Deadline = min(to.Deadline, k.End)
	}
	for i, shape := range to.Shapes {
		less, ok := k.partOf(shape)
		if ok {
			r.Shapes, at = append(r.Shapes, less), append(at, i)
		}
	}
	return r, at
}

// partOf returns a shape with its parts on the schedules and servers of a booking; false if it asks for more, or for others.
func (k *Booking) partOf(shape Shape) (Shape, bool) {
	if len(shape) != len(k.Places) {
		return nil, false
	}
	list := slices.Clone(shape)
	for i := range list {
		p, old := &list[i], &k.Places[i]
		was := k.Shapes[k.Shape][i]
		if p.Units > old.Units || p.On != old.On && p.On != was.On {
			return nil, false
		}
		was.On, was.Units, was.Duration, was.Offset, was.After, was.Servers = p.On, p.Units, p.Duration, p.Offset, p.After, p.Servers
		if !was.equal(p) {
			return nil, false // its tasks are others
		}
		p.On = old.On
		if old.Servers != nil {
			named := p.Servers
			p.Servers = slices.DeleteFunc(slices.Clone(old.Servers), func(k int) bool { return named != nil && !slices.Contains(named, k) })
		}
		if old.Servers != nil && int64(len(p.Servers)) < p.Units {
			return nil, false
		}
	}
	return list, true
}
