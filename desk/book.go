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
		id, ok := b.keys.get(c.Key)
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
	s := stage{books: b, meter: m}
	x, err := s.find(&c.Request)
	if err == bookahead.ErrUnavailable && c.Force != Nobody {
		x, by.Moved, err = s.force(c.demand())
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
	on := by.on
	if on == nil {
		id, known := b.keys.get(c.Key)
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
		on, err = b.placed(&c.Request, by.Shape, by.Places, nil)
		if err != nil {
			return err
		}
	}
	err := b.giveWay(by.Moved, 0)
	if err != nil {
		return err
	}
	k := &Booking{Key: c.Key, Request: c.Request, State: Booked, Shape: by.Shape, Places: by.Places, on: on}
	k.keep()
	if c.Hold != 0 {
		k.State, k.Expiry = Held, c.Hold
	}
	err = b.bookIn(k)
	if err != nil {
		return err
	}
	return b.settleIn(by.Moved)
}

// bookIn books a new booking in its places, and adds the events.
func (b *books) bookIn(k *Booking) (err error) {
	k.Interval = spanOf(k.Places)
	k.ids, err = settle(b.real, b.now, 0, k, nil, k.Shapes[k.Shape], k.Places, k.on)
	if err != nil {
		return err
	}
	started := k.begin(b.now)
	k.change = k.due(b.config.Keep)
	b.enter(k)
	b.about(k, WasBooked, b.now, bookahead.Interval{}, k.Interval)
	if started {
		b.about(k, HasStarted, b.now, bookahead.Interval{}, k.Interval)
	}
	return nil
}
