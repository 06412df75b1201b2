package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

func (Change) verb() string { return "change" }

func (c Change) check() error {
	err := c.To.check()
	if err == nil {
		err = c.Force.check()
	}
	return err
}

func (c Change) decide(b *books) (Decision, error) {
	k, err := b.live(c.ID)
	if err == nil {
		err = b.fit(&c.To)
	}
	if err == nil && !k.begun(b.now) && !c.To.equal(&k.Request) {
		err = b.uncoupled(&c.To)
	}
	if err != nil {
		return Decision{}, err
	}
	return b.decideChange(k, demand{request: &c.To, rule: c.Force, priority: c.To.Priority, own: k})
}

// decideChange places a booking for another request.
func (b *books) decideChange(k *Booking, d demand) (Decision, error) {
	to := d.request
	by := Decision{Booking: k.ID, Shape: k.Shape}
	if to.equal(&k.Request) {
		s := stage{books: b}
		if s.breaks(s.postings(k, k.relabelled(to))) || !s.staysAdmitted(k, to) {
			return Decision{}, bookahead.ErrUnavailable
		}
		return by, nil
	}
	if k.begun(b.now) {
		err := k.checkPast()
		if err != nil {
			return Decision{}, err
		}
	}
	s := stage{books: b}
	x, err := s.findAnew(k, to)
	if err == bookahead.ErrUnavailable && d.rule != Nobody {
		s = stage{books: b}
		x, by.Moved, err = s.force(d)
	}
	by.Shape, by.Places = x.shape, x.places
	return by, err
}

// findAnew returns the place of a booking for another request. Its own place counts as free. The stage
// may have been written to afterwards.
func (s *stage) findAnew(k *Booking, to *Request) (spot, error) {
	if k.begun(s.now) {
		return s.findLonger(k, to)
	}
	x, ok, err := s.findOwn(k, to)
	if ok {
		return x, err
	}
	err = s.move(k, nil, nil, nil)
	if err != nil {
		return spot{}, err
	}
	return s.find(to)
}

// begun reports whether the time of the present places of a booking has come.
func (k *Booking) begun(now bookahead.Time) bool { return k.begins() <= now }

// findOwn is findAnew for a booking of one part that stays on its schedule, which needs no clone. ok is
// false for others.
func (s *stage) findOwn(k *Booking, to *Request) (x spot, ok bool, err error) {
	if len(k.Places) != 1 || len(to.Shapes) != 1 || len(to.Shapes[0]) != 1 {
		return spot{}, false, nil
	}
	p := &to.Shapes[0][0]
	on := s.names[p.On]
	if on != k.on[0] || p.Offset != 0 || k.Places[0].reserved().Start <= s.now { // a buffer that has begun runs for the schedule
		return spot{}, false, nil
	}
	place, err := s.searchForAllowed(k, s.at(on), s.held(k)[0], p, to)
	return spot{places: []Place{place}, on: []int32{on}}, true, err
}

// searchFor returns the place that a reservation can have instead of its own, from a tick on, as the terms allow.
func (s *stage) searchFor(at *schedule, id bookahead.ID, p *Part, r *Request, ready bookahead.Time) (Place, error) {
	t := s.terms(at)
	if t == nil {
		return at.searchFor(id, p, ready, r.Deadline, p.Duration)
	}
	from := *r
	from.Ready = ready
	return t.search(&from, p, s.now, func(ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
		return at.searchFor(id, p, ready, deadline, length)
	})
}

// searchFor returns the place that a reservation can have instead of its own, for so many ticks.
func (s *schedule) searchFor(id bookahead.ID, p *Part, ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
	if s.machine != nil {
		whole := *p.Tasks
		whole.Ready, whole.Deadline, whole.Duration, whole.Tasks = ready, deadline, length, p.Units
		o, err := s.machine.SearchFor(id, whole)
		return Place{On: s.name, Interval: o.Interval, Units: p.Units, Nodes: o.Tasks, Head: o.Head}, err
	}
	o, err := s.keeper.SearchFor(id, bookahead.Request{Ready: ready, Deadline: deadline, Duration: length, Units: p.Units, Servers: p.Servers})
	return Place{On: s.name, Interval: o.Interval, Units: p.Units, Servers: o.Servers, Head: -1}, err
}

// findLonger is findAnew for a booking that has begun: each part keeps its start. Running parts give
// back before others gain, and parts that have not begun come last, in their order:
//
//	part 0   ████▒▒▒▒▒          gains 4 ticks, which are free since part 1 has given them up
//	part 1   ████░░░░░
//	now          ▲
//
// A part that gives servers back first does not look at its new end yet, and may keep servers that are booked
// by then. So a part does it only if another part runs on its schedule, which may gain the servers.
func (s *stage) findLonger(k *Booking, to *Request) (spot, error) {
	err := k.checkBegun(to, s.now)
	if err != nil {
		return spot{}, err
	}
	if !s.staysAdmitted(k, to) {
		return spot{}, bookahead.ErrUnavailable
	}
	shape := to.Shapes[0]
	was := k.whole()
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
			err := s.open(k.on[i]).release(ids[i])
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
		part := shape[i]
		part.On = at.name
		y, err := at.fixedAt(&part, *p, s.now)
		if err != nil {
			return spot{}, err
		}
		*p = y
		ids[i], err = at.reserve(want{*p, part.Tasks}, s.now)
		if err != nil {
			return spot{}, err
		}
	}
	as := k.goingOn(to, x, s.now)
	postings := s.postings(k, as)
	if s.breaks(postings) {
		return spot{}, bookahead.ErrUnavailable
	}
	s.note(k, ids)
	s.lie(k, as, postings)
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

// lengthen books the running parts of a place anew as a shape has them: those of which which is true.
func (s *stage) lengthen(x *spot, ids []bookahead.ID, shape Shape, which func(i int) bool) error {
	for i := range shape {
		p, at := &x.places[i], x.on[i]
		if p.End <= s.now || p.Start > s.now || !which(i) {
			continue
		}
		place, err := s.longer(at, ids[i], &shape[i], *p)
		if err != nil {
			return err
		}
		err = s.open(at).rebook(ids[i], want{place, shape[i].Tasks}, s.now)
		if err != nil {
			return err
		}
		*p = place
	}
	return nil
}

// longer returns the place of a running part with another end, or other units.
func (s *stage) longer(on int32, id bookahead.ID, part *Part, old Place) (Place, error) {
	at := s.at(on)
	end := old.Start + bookahead.Time(part.Duration)
	from, err := at.began(id)
	if err != nil {
		return Place{}, err
	}
	if bookahead.Time(old.After) > bookahead.MaxTime-end {
		return Place{}, bookahead.ErrUnavailable
	}
	behind := end + bookahead.Time(old.After)
	place, err := at.searchFor(id, part, from, behind, bookahead.Duration(behind-from)) // it may have begun after the part
	place.Interval, place.On = bookahead.Interval{Start: old.Start, End: end}, old.On
	place.Before, place.After = old.Before, old.After
	return place, err
}

// fixedAt returns the place of a part at the start and with the buffers of another place.
func (s *schedule) fixedAt(part *Part, old Place, now bookahead.Time) (Place, error) {
	w := old
	w.End = w.Start + bookahead.Time(part.Duration)
	if bookahead.Time(w.After) > bookahead.MaxTime-w.End {
		return Place{}, bookahead.ErrUnavailable
	}
	in := w.reserved()
	in.Start = max(in.Start, now)
	place, err := s.search(part, in.Start, in.End, bookahead.Duration(in.End-in.Start))
	place.Interval, place.Before, place.After = w.Interval, w.Before, w.After
	return place, err
}

// checkBegun checks that a booking that has begun can be one for another request.
func (k *Booking) checkBegun(to *Request, now bookahead.Time) error {
	if len(to.Shapes) != 1 || len(to.Shapes[0]) != len(k.Places) {
		return limits.Invalid("Change.To.Shapes", len(to.Shapes), fmt.Sprintf("are not the one of %d parts that has begun", len(k.Places)))
	}
	was, places := k.Shapes[k.Shape], k.whole()
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

func (c Change) apply(b *books, by *Decision) error { return b.applyChange(by, &c.To) }

// applyChange makes a booking one for another request.
func (b *books) applyChange(by *Decision, to *Request) error {
	old, err := b.live(by.Booking)
	if err != nil {
		return err
	}
	k := *old
	k.askOtherwise(to.clone())
	if by.Places == nil && !to.equal(&old.Request) {
		return limits.Invalid("Decision.Places", 0, "are too few for another request")
	}
	if by.Places != nil {
		on, err := b.placed(&k.Request, by.Shape, by.Places, old.begunAt(b.now))
		if err == nil && old.begun(b.now) {
			err = old.checkPast()
		}
		if err == nil {
			err = b.giveWay(by.Moved, 0)
		}
		if err != nil {
			return err
		}
		k.Shape, k.Places, k.on = by.Shape, by.Places, on
		k.ids, err = settle(b.real, b.now, 0, old, old.ids, k.Shapes[k.Shape], k.Places, on)
		if err != nil {
			return err
		}
		if old.begun(b.now) {
			k.divide(old, b.now)
		}
		k.Interval = k.extent()
	}
	started := k.begin(b.now)
	k.change = k.due(b.config.Keep)
	b.replace(old, &k)
	b.aboutPlaces(old, &k, WasChanged)
	if started {
		b.about(&k, HasStarted, b.now, bookahead.Interval{}, k.Interval)
	}
	return b.settleIn(by.Moved)
}

func (Overrun) verb() string { return "overrun" }

func (c Overrun) check() error { return c.Force.check() }

func (c Overrun) decide(b *books) (Decision, error) {
	k, err := c.of(b)
	if err != nil {
		return Decision{}, err
	}
	return b.decideChange(k, demand{request: k.until(c.Until), rule: c.Force, priority: k.Priority, own: k, overrun: true})
}

// of returns the booking that goes on, which ends before Until now.
func (c Overrun) of(b *books) (*Booking, error) {
	k, err := b.running("Overrun.ID", c.ID)
	if err == nil && c.Until <= k.End {
		err = limits.Invalid("Overrun.Until", c.Until, fmt.Sprintf("is not after the end, %d", k.End))
	}
	return k, err
}

// until returns the request of a booking that ends later.
func (k *Booking) until(end bookahead.Time) *Request {
	r := k.Request.clone()
	r.Shapes = []Shape{r.Shapes[k.Shape]}
	if r.Deadline != 0 {
		r.Deadline = max(r.Deadline, end)
	}
	for i, p := range k.whole() {
		if p.End == k.End {
			r.Shapes[0][i].Duration = bookahead.Duration(end - p.Start)
		}
	}
	return &r
}

func (c Overrun) apply(b *books, by *Decision) error {
	k, err := c.of(b)
	if err != nil {
		return err
	}
	return b.applyChange(by, k.until(c.Until))
}

// note remembers the reservations of a booking on the stage.
func (s *stage) note(k *Booking, ids []bookahead.ID) {
	if s.moved == nil {
		s.moved = &moves{}
	}
	if s.moved.ids == nil {
		s.moved.ids = map[BookingID][]bookahead.ID{}
	}
	s.moved.ids[k.ID] = ids
}
