package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
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

func (c Change) decide(b *books, m *effort.Meter) (Decision, error) {
	k, err := b.live(c.ID)
	if err == nil {
		err = b.fit(&c.To)
	}
	if err != nil {
		return Decision{}, err
	}
	return b.decideChange(m, k, demand{request: &c.To, rule: c.Force, priority: c.To.Priority, own: k})
}

// decideChange places a booking for a demand with another request.
func (b *books) decideChange(m *effort.Meter, k *Booking, d demand) (Decision, error) {
	to := d.request
	by := Decision{Booking: k.ID, Shape: k.Shape}
	if to.equal(&k.Request) {
		s := stage{books: b, meter: m}
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
	s := stage{books: b, meter: m}
	x, err := s.findAnew(k, to)
	if err == bookahead.ErrUnavailable && d.rule != Nobody {
		s = stage{books: b, meter: m}
		x, by.Moved, err = s.force(d)
	}
	by.Shape, by.Places = x.shape, x.places
	return by, err
}

// findAnew returns the place of a booking for another request. Its own place counts as free. The search may leave the
// booking taken out of the stage, so the caller uses the stage for nothing else.
func (s *stage) findAnew(k *Booking, to *Request) (spot, error) {
	if k.begun(s.now) {
		return s.findLonger(k, to)
	}
	return s.findAhead(k, to)
}

// findOwn is findAnew for a booking of one part that stays on its schedule: SearchFor leaves its reservation out, so no
// clone is needed. ok is false for other bookings.
func (s *stage) findOwn(k *Booking, to *Request) (x spot, ok bool, err error) {
	if len(k.Places) != 1 || len(to.Shapes) != 1 || len(to.Shapes[0]) != 1 {
		return spot{}, false, nil
	}
	p := &to.Shapes[0][0]
	on := s.names[p.On]
	if on != k.on[0] || p.Offset != 0 || k.Places[0].reserved().Start <= s.now { // a buffer that has begun counts as running on the schedule
		return spot{}, false, nil
	}
	place, err := s.searchForAllowed(k, s.at(on), s.held(k)[0], p, to)
	return spot{places: []Place{place}, on: []int32{on}}, true, err
}

// searchFor returns the place that a reservation can have instead of its present one, from a tick on, within the terms.
func (s *stage) searchFor(at *schedule, id bookahead.ID, p *Part, r *Request, ready bookahead.Time) (Place, error) {
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

// searchAnew is schedule.searchFor, and counts it.
func (s *stage) searchAnew(at *schedule, id bookahead.ID, p *Part, ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
	err := s.spend(at)
	if err != nil {
		return Place{}, err
	}
	return at.searchFor(id, p, ready, deadline, length)
}

func (c Change) apply(b *books, by *Decision) error { return b.applyChange(by, &c.To) }

// applyChange gives a booking another request, in the place that was decided.
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

func (c Overrun) decide(b *books, m *effort.Meter) (Decision, error) {
	k, err := c.of(b)
	if err != nil {
		return Decision{}, err
	}
	return b.decideChange(m, k, demand{request: k.until(c.Until), rule: c.Force, priority: k.Priority, own: k, overrun: true})
}

// of returns the booking that goes on; its present end is before Until.
func (c Overrun) of(b *books) (*Booking, error) {
	k, err := b.running("Overrun.ID", c.ID)
	if err == nil && c.Until <= k.End {
		err = limits.Invalid("Overrun.Until", c.Until, fmt.Sprintf("is not after the end, %d", k.End))
	}
	return k, err
}

// until returns the request of a booking whose last parts end later.
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

// note remembers on the stage the reservations of a booking, and counts the booking on the schedules where it lies now.
func (s *stage) note(k *Booking, ids []bookahead.ID, on []int32) {
	s.count(s.holding(k).on, -1)
	s.count(on, 1)
	if s.moved == nil {
		s.moved = &moves{}
	}
	if s.moved.holds == nil {
		s.moved.holds = map[BookingID]holding{}
	}
	s.moved.holds[k.ID] = holding{ids, on}
}
