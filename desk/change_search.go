package desk

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/site"
)

// findAnew returns the place of a booking for another request. Its own place counts as free. The search may leave the
// booking taken out of the trial, so the caller uses the trial for nothing else.
func (s *trial) findAnew(k *Booking, to *Request) (spot, error) {
	if k.begun(s.now) {
		return s.extendRunning(k, to)
	}
	return s.findAhead(k, to)
}

// findOwn is findAnew for a booking of one part that stays on its schedule: SearchFor leaves its reservation out, so no
// clone is needed. ok is false for other bookings.
func (s *trial) findOwn(k *Booking, to *Request) (x spot, ok bool, err error) {
	if len(k.Places) != 1 || to.bent() || len(to.Shapes) != 1 || len(to.Shapes[0]) != 1 {
		return spot{}, false, nil
	}
	p := &to.Shapes[0][0]
	on := s.names[p.On]
	if on != k.on[0] || p.Offset != 0 || p.Tasks != nil && p.Tasks.Patience != 0 || k.Places[0].reserved().Start <= s.now { // a buffer that has begun counts as running on the schedule
		return spot{}, false, nil
	}
	place, err := s.searchForAllowed(k, s.at(on), s.held(k)[0], p, to)
	return spot{places: []Place{place}, on: []int32{on}}, true, err
}

// findAhead is findAnew for a booking that has not begun. A part of its own place needs no Notice, and may be beyond a
// quota that was set later, if it goes no further beyond:
//
//	Notice 5     now ├────┤
//	before           · · ██████████        booked long ago
//	after            · · ██████            a Change to fewer ticks, with the same Ready
//	not this         · · · · ▒▒▒▒▒▒        the first start that Notice allows
func (s *trial) findAhead(k *Booking, to *Request) (spot, error) {
	x, own, err := s.findOwn(k, to)
	if !own {
		x, err = s.findMoved(k, to)
	}
	found := err == nil
	if err != nil && err != bookahead.ErrUnavailable || to.bent() || !s.boundsPlace(k) || found && own && x.places[0].Start <= max(to.Ready, k.Start) {
		return x, err
	}
	if own {
		err := s.move(k, nil, nil, nil)
		if err != nil {
			return spot{}, err
		}
	}
	y, within, failed := s.findInside(k, to)
	if failed != nil {
		return spot{}, failed
	}
	if within && (!found || y.end() < x.end()) {
		return y, nil
	}
	return x, err
}

// findMoved takes a booking out of the trial, and returns the first place for another request.
func (s *trial) findMoved(k *Booking, to *Request) (spot, error) {
	err := s.move(k, nil, nil, nil)
	if err != nil {
		return spot{}, err
	}
	return s.find(to)
}

// boundsPlace reports whether a quota, Notice or Ahead may refuse a part of the place of a booking.
func (s *trial) boundsPlace(k *Booking) bool {
	return len(s.rules) > 0 || slices.ContainsFunc(k.on, func(on int32) bool {
		t := s.terms(s.at(on))
		return t != nil && (t.Notice != 0 || t.Ahead != 0)
	})
}

// findInside returns the first place for another request when Notice, Ahead and quotas are not asked. ok is true if that
// place is a part of the place of the booking, and breaks no quota further. The booking has been taken out of the trial.
func (s *trial) findInside(k *Booking, to *Request) (x spot, ok bool, err error) {
	r, at := k.inside(to)
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
	return x, !s.postings(k, as).FromAccounts().Breaks(s.asks, s.meter), nil
}

// inside returns a request for a part of the place of a booking, and the index in to of each of its shapes. A shape
// qualifies if each part can lie on the schedule of the old part, with no more units, and on servers that it has.
func (k *Booking) inside(to *Request) (r Request, at []int) {
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

// extendRunning is findAnew for a booking that has begun: each part keeps its start. Running parts give units back before
// others gain them, and parts that have not begun come last, in their order:
//
//	part 0   ████▒▒▒▒▒          gains 4 ticks, which are free since part 1 has given them up
//	part 1   ████░░░░░
//	now          ▲
//
// A part that first gives servers back does not look at its new end yet, and may keep servers that are booked by then.
// So a part gives back first only if another running part on its schedule may gain the servers.
func (s *trial) extendRunning(k *Booking, to *Request) (spot, error) {
	err := k.checkBegun(to, s.now)
	if err != nil {
		return spot{}, err
	}
	if !s.staysAdmitted(k, to) {
		return spot{}, bookahead.ErrUnavailable
	}
	shape := to.Shapes[0]
	was := k.withPast()
	x := spot{places: append([]Place(nil), was...), on: append([]int32(nil), k.on...)}
	for i := range shape {
		t := s.terms(s.at(k.on[i]))
		if t != nil && !t.goesOn(to, &shape[i], &was[i], s.now) {
			return spot{}, bookahead.ErrUnavailable
		}
	}
	// Parts that have not begun make room first, and come back last.
	ids := append([]bookahead.ID(nil), s.held(k)...)
	for i, p := range k.Places {
		if p.Start > s.now && ids[i] != 0 {
			err := s.spendOn(k.on[i:i+1], k.Places[i:i+1])
			if err == nil {
				err = s.open(k.on[i]).Release(ids[i])
			}
			if err != nil {
				return spot{}, err
			}
			ids[i] = 0
		}
	}
	if len(shape) > 1 {
		first := make(Shape, len(shape))
		for i, part := range shape {
			old := was[i]
			part.Units = min(part.Units, old.Units)
			part.Duration = min(part.Duration, bookahead.Duration(old.End-old.Start))
			first[i] = part
		}
		err := s.lengthen(&x, ids, first, func(i int) bool { return shape[i].Tasks == nil && k.runningOn(k.on[i], s.now) > 1 })
		if err != nil {
			return spot{}, err
		}
	}
	err = s.lengthen(&x, ids, shape, func(int) bool { return true })
	if err != nil {
		return spot{}, err
	}
	for i := range shape {
		p := &x.places[i]
		if p.Start <= s.now {
			continue
		}
		at := s.open(k.on[i])
		var err error
		*p, err = s.searchAt(at, &shape[i], *p)
		if err != nil {
			return spot{}, err
		}
		ids[i], err = at.Reserve(site.Place(*p), shape[i].Tasks, s.now)
		if err != nil {
			return spot{}, err
		}
	}
	as := k.goingOn(to, x, s.now)
	postings := s.postings(k, as)
	if postings.Breaks(s.asks, s.meter) {
		return spot{}, bookahead.ErrUnavailable
	}
	s.note(k, ids, x.on)
	s.recordMove(k, as, postings)
	return x, nil
}

// runningOn returns how many parts of a booking run on a schedule.
func (k *Booking) runningOn(on int32, now bookahead.Time) (n int) {
	for i, p := range k.Places {
		if k.on[i] == on && p.Contains(now) {
			n++
		}
	}
	return n
}

// lengthen books anew the running parts for which which is true, as a shape has them.
func (s *trial) lengthen(x *spot, ids []bookahead.ID, shape Shape, which func(i int) bool) error {
	for i := range shape {
		p, at := &x.places[i], x.on[i]
		if p.End <= s.now || p.Start > s.now || !which(i) {
			continue
		}
		place, err := s.longer(at, ids[i], &shape[i], *p)
		if err != nil {
			return err
		}
		err = s.spendOn(x.on[i:i+1], x.places[i:i+1])
		if err != nil {
			return err
		}
		err = s.open(at).Rebook(ids[i], site.Place(place), shape[i].Tasks, s.now)
		if err != nil {
			return err
		}
		*p = place
	}
	return nil
}

// longer returns the place of a running part with another end, or other units.
func (s *trial) longer(on int32, id bookahead.ID, part *Part, old Place) (Place, error) {
	at := s.at(on)
	end := old.Start + bookahead.Time(part.Duration)
	has, err := at.Place(id) // the reservation may have begun after the part
	if err != nil {
		return Place{}, err
	}
	if bookahead.Time(old.After) > bookahead.MaxTime-end {
		return Place{}, bookahead.ErrUnavailable
	}
	behind := end + bookahead.Time(old.After)
	place, err := s.searchAnew(at, id, part, has.Start, behind, bookahead.Duration(behind-has.Start))
	place.Interval, place.On = bookahead.Interval{Start: old.Start, End: end}, old.On
	place.Before, place.After = old.Before, old.After
	return place, err
}

// searchAt returns the place of a part with the start and the buffers of another place.
func (s *trial) searchAt(at *schedule, part *Part, w Place) (Place, error) {
	w.End = w.Start + bookahead.Time(part.Duration)
	if bookahead.Time(w.After) > bookahead.MaxTime-w.End {
		return Place{}, cmp.Or(s.spend(at, part.Units), error(bookahead.ErrUnavailable)) // a search that finds nothing
	}
	in := w.reserved()
	in.Start = max(in.Start, s.now)
	place, err := s.search(at, part, in.Start, in.End, bookahead.Duration(in.End-in.Start))
	place.Interval, place.On, place.Before, place.After = w.Interval, at.name, w.Before, w.After
	return place, err
}

// checkBegun checks that a booking that has begun can have another request.
func (k *Booking) checkBegun(to *Request, now bookahead.Time) error {
	if len(to.Shapes) != 1 || len(to.Shapes[0]) != len(k.Places) {
		return limits.Invalid("Change.To.Shapes", len(to.Shapes), fmt.Sprintf("are not the one of %d parts that has begun", len(k.Places)))
	}
	if to.bent() && !(same(to.Volume, k.Volume) && same(to.Pieces, k.Pieces)) {
		return limits.Invalid("Change.To", to.bends(), fmt.Sprintf("is not %s, which has begun", k.bends()))
	}
	was, places := k.Shapes[k.Shape], k.withPast()
	for i := range to.Shapes[0] {
		p, place := &to.Shapes[0][i], &places[i]
		end := place.Start + bookahead.Time(p.Duration)
		field := fmt.Sprintf("Change.To.Shapes[0][%d]", i)
		switch {
		case p.On != was[i].On:
			return limits.Invalid(field+".On", p.On, fmt.Sprintf("is not %q, where the part has begun", was[i].On))
		case place.Start > bookahead.MaxTime-bookahead.Time(p.Duration):
			return limits.Invalid(field+".Duration", p.Duration, fmt.Sprintf("after the start %d overflows", place.Start))
		case place.End <= now && !p.equal(&was[i]):
			return limits.Invalid(field, *p, fmt.Sprintf("is not the part that is over since %d", place.End))
		case place.End > now && end <= now:
			return limits.Invalid(field+".Duration", p.Duration, fmt.Sprintf("ends at %d, by now", end))
		case to.Deadline != 0 && end > to.Deadline:
			return bookahead.ErrUnavailable
		}
	}
	return nil
}

// searchFor returns the place that a reservation can have instead of its present one, from a tick on, within the terms.
func (s *trial) searchFor(at *schedule, id bookahead.ID, p *Part, r *Request, ready bookahead.Time) (Place, error) {
	t := s.terms(at)
	if t == nil {
		return s.searchAnew(at, id, p, ready, r.Deadline, p.Duration)
	}
	from := *r
	from.Ready = ready
	return t.search(&from, p, s.now, s.meter, func(ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
		return s.searchAnew(at, id, p, ready, deadline, length)
	})
}

// searchAnew returns the place of some length that a reservation can have instead of its present one, and counts the search.
func (s *trial) searchAnew(at *schedule, id bookahead.ID, p *Part, ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
	err := s.spend(at, p.Units)
	if err != nil {
		return Place{}, err
	}
	place, err := at.SearchFor(id, p.within(ready, deadline, length), p.Tasks)
	place.On = at.name
	return Place(place), err
}
