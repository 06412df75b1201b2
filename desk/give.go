package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// giveWay releases the places of bookings that give way. Until settleIn the books have them as they were, but without
// reservations. closed is as in giveUp.
func (b *books) giveWay(moved []Moved, closed int32) error {
	for _, m := range moved {
		old, err := b.live(m.Booking)
		if err != nil {
			return fmt.Errorf("booking %d, which gives way: %w", m.Booking, err)
		}
		_, err = settle(b.real, b.now, closed, old, old.ids, nil, nil, nil)
		if err != nil {
			return fmt.Errorf("booking %d, which gives way: %w", m.Booking, err)
		}
		k := *old
		k.ids = make([]bookahead.ID, len(old.ids))
		b.all.Set(bookahead.ID(k.ID), record{&k})
	}
	return nil
}

// settleIn books the bookings that have given way in their new places, in turn. Bookings without a new place are displaced.
func (b *books) settleIn(moved []Moved) error {
	for _, m := range moved {
		old, err := b.live(m.Booking)
		switch {
		case err != nil:
		case len(m.Places) == 0:
			err = b.close(old, Displaced, WasDisplaced, b.now)
		default:
			err = b.moveTo(old, &m)
		}
		if err != nil {
			return fmt.Errorf("booking %d, which gives way: %w", m.Booking, err)
		}
	}
	return nil
}

// moveTo books a booking that has given way in its new place. If it had begun, it becomes a booking of the rest of its
// shape, from now on.
func (b *books) moveTo(old *Booking, m *Moved) error {
	k := *old
	if old.begun(b.now) {
		err := old.checkPast()
		if err != nil {
			return err
		}
		k.Past, k.pastOn = old.pastOfAll(b.now)
		rest, _ := old.rest(b.now)
		k.askOtherwise(rest)
	}
	on, err := b.placed(&k.Request, m.Shape, m.Places, nil)
	if err != nil {
		return err
	}
	k.Shape, k.Places, k.on = m.Shape, m.Places, on
	k.ids, err = settle(b.real, b.now, 0, old, old.ids, k.Shapes[k.Shape], k.Places, on)
	if err != nil {
		return err
	}
	k.Interval = k.extent()
	if k.State == Running {
		k.State = Booked // until its new time has come
	}
	started := k.begin(b.now) && old.State != Running
	k.change = k.due(b.config.Keep)
	b.replace(old, &k)
	b.aboutPlaces(old, &k, WasMoved)
	if started {
		b.about(&k, HasStarted, b.now, bookahead.Interval{}, k.Interval)
	}
	return nil
}
