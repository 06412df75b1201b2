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
