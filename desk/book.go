package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

func (Book) verb() string { return "book" }

func (c Book) check() error {
	err := checkText("Book.Key", c.Key)
	if err == nil {
		err = c.Request.check()
	}
	if err == nil {
		err = c.Force.check()
	}
	if err == nil && c.Hold < 0 {
		err = limits.Invalid("Book.Hold", c.Hold, "is negative")
	}
	if err == nil && (c.Wait < 0 || c.Wait != 0 && c.Hold != 0) {
		err = limits.Invalid("Book.Wait", c.Wait, fmt.Sprintf("is negative, or that of a hold until %d", c.Hold))
	}
	return err
}

func (c Book) decide(b *books, m *effort.Meter) (Decision, error) {
	if c.Key != "" {
		id, ok := b.keys.Get(c.Key)
		if ok {
			k, _ := b.booking(id)
			if !c.Request.same(k.first()) {
				return Decision{}, kindError{ErrKey, limits.Invalid("Book.Key", c.Key, fmt.Sprintf("is that of booking %d, which was asked for otherwise", id))}
			}
			return Decision{Booking: id, same: true}, nil
		}
	}
	err := c.inTime(b)
	if err == nil {
		err = b.fit(&c.Request)
	}
	if err != nil {
		return Decision{}, err
	}
	by := Decision{Booking: b.last + 1}
	s := trial{books: b, meter: m}
	x, err := s.find(&c.Request)
	if err == bookahead.ErrUnavailable && c.Force != Nobody {
		x, by.Moved, err = s.preempt(c.demand())
	}
	if err == bookahead.ErrUnavailable && c.Wait != 0 {
		err = s.searchable(&c.Request)
		if err != nil {
			return Decision{}, err
		}
		return c.decideWait(b)
	}
	by.Shape, by.Places, by.on = x.shape, x.places, x.on
	return by, err
}

// inTime checks that there is an ID for another booking, and that neither its hold nor its wait would be over at once.
func (c Book) inTime(b *books) error {
	switch {
	case c.Hold != 0 && c.Hold <= b.now:
		return limits.Invalid("Book.Hold", c.Hold, fmt.Sprintf("is not after now, %d", b.now))
	case c.Wait != 0 && c.Wait <= b.now:
		return limits.Invalid("Book.Wait", c.Wait, fmt.Sprintf("is not after now, %d", b.now))
	}
	return checkLast(b.last)
}

// checkLast checks that there is another ID behind the last one.
func checkLast(last BookingID) error {
	if last >= maxBookings {
		return limits.Invalid("Booking.ID", uint64(last), "is the last ID")
	}
	return nil
}

func (c Book) apply(b *books, by *Decision) error {
	if by.Booking != b.last+1 {
		return limits.Invalid("Decision.Booking", by.Booking, fmt.Sprintf("does not follow %d", b.last))
	}
	on, asked := by.on, &c.Request
	if c.bent() {
		laid := c.laid(by.Places)
		asked = &laid
	}
	if on == nil {
		id, known := b.keys.Get(c.Key)
		if known {
			return limits.Invalid("Book.Key", c.Key, fmt.Sprintf("is that of booking %d", id))
		}
		err := c.inTime(b)
		if err != nil {
			return err
		}
		if c.Wait != 0 && len(by.Places) == 0 {
			return c.applyWait(b, by)
		}
		on, err = b.checkDecided(asked, by.Shape, by.Places, nil)
		if err != nil {
			return err
		}
	}
	err := b.releaseMoved(by.Moved, 0)
	if err != nil {
		return err
	}
	k := &Booking{Key: c.Key, Request: c.Request, State: Booked, Shape: by.Shape, Places: by.Places, on: on}
	k.keep()
	if c.bent() {
		k.askOtherwise(*asked)
	}
	if c.Hold != 0 {
		k.State, k.Expiry = Held, c.Hold
	}
	err = b.bookIn(k)
	if err != nil {
		return err
	}
	return b.settleMoved(by.Moved)
}

// bookIn books a new booking in its places, and adds the events.
func (b *books) bookIn(k *Booking) (err error) {
	k.Interval = spanOf(k.Places)
	k.ids, err = moveReservations(b.schedule, b.now, 0, k, nil, k.Shapes[k.Shape], k.Places, k.on)
	if err != nil {
		return err
	}
	started := k.begin(b.now)
	k.nextDue = k.due(b.config.Keep)
	b.enter(k)
	b.about(k, WasBooked, b.now, bookahead.Interval{}, k.Interval)
	if started {
		b.about(k, HasStarted, b.now, bookahead.Interval{}, k.Interval)
	}
	return nil
}

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
		s := trial{books: b, meter: m}
		if s.postings(k, k.relabelled(to)).Breaks(s.asks, s.meter) || !s.staysAdmitted(k, to) {
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
	s := trial{books: b, meter: m}
	x, err := s.findAnew(k, to)
	if err == bookahead.ErrUnavailable && d.rule != Nobody {
		s = trial{books: b, meter: m}
		x, by.Moved, err = s.preempt(d)
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
	k.askOtherwise(to.Clone())
	if to.bent() && !old.begun(b.now) {
		k.Request = k.laid(by.Places)
	}
	if by.Places == nil && !to.equal(&old.Request) {
		return limits.Invalid("Decision.Places", 0, "are too few for another request")
	}
	if by.Places != nil {
		on, err := b.checkDecided(&k.Request, by.Shape, by.Places, old.begunAt(b.now))
		if err == nil && old.begun(b.now) {
			err = old.checkPast()
		}
		if err == nil {
			err = b.releaseMoved(by.Moved, 0)
		}
		if err != nil {
			return err
		}
		k.Shape, k.Places, k.on = by.Shape, by.Places, on
		k.ids, err = moveReservations(b.schedule, b.now, 0, old, old.ids, k.Shapes[k.Shape], k.Places, on)
		if err != nil {
			return err
		}
		if old.begun(b.now) {
			k.split(old, b.now)
		}
		k.Interval = k.extent()
	}
	started := k.begin(b.now)
	k.nextDue = k.due(b.config.Keep)
	b.replace(old, &k)
	b.aboutPlaces(old, &k, WasChanged)
	if started {
		b.about(&k, HasStarted, b.now, bookahead.Interval{}, k.Interval)
	}
	return b.settleMoved(by.Moved)
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
	r := k.Request.Clone()
	r.Shapes = []Shape{r.Shapes[k.Shape]}
	r.Volume, r.Pieces = nil, nil // nobody knows how much is left
	if r.Deadline != 0 {
		r.Deadline = max(r.Deadline, end)
	}
	for i, p := range k.withPast() {
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
