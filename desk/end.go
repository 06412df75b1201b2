package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

func (Commit) verb() string { return "commit" }

func (Commit) check() error { return nil }

func (c Commit) decide(b *books, _ *effort.Meter) (Decision, error) {
	k, err := b.live(c.ID)
	if err == nil && k.State != Held {
		err = bookahead.ErrNotFound
	}
	return Decision{Booking: c.ID}, err
}

func (c Commit) apply(b *books, _ *Decision) error {
	_, err := c.decide(b, nil)
	if err != nil {
		return err
	}
	old, _ := b.booking(c.ID)
	k := *old
	k.State, k.Expiry = Booked, 0
	b.becomes(old, &k, WasCommitted)
	return nil
}

// becomes puts a Booked booking in the place of old, adds the event, and starts the booking if its time has come.
func (b *books) becomes(old, k *Booking, w What) {
	started := k.begin(b.now)
	k.change = k.due(b.config.Keep)
	b.replace(old, k)
	b.about(k, w, b.now, old.Interval, k.Interval)
	if started {
		b.about(k, HasStarted, b.now, bookahead.Interval{}, k.Interval)
	}
}

func (Cancel) verb() string { return "cancel" }

func (Cancel) check() error { return nil }

func (c Cancel) decide(b *books, _ *effort.Meter) (Decision, error) {
	_, err := b.given(c.ID)
	return Decision{Booking: c.ID}, err
}

func (c Cancel) apply(b *books, _ *Decision) error {
	old, err := b.given(c.ID)
	if err != nil {
		return err
	}
	return b.close(old, Cancelled, WasCancelled, b.now)
}

func (End) verb() string { return "end" }

func (End) check() error { return nil }

func (c End) decide(b *books, _ *effort.Meter) (Decision, error) {
	_, err := b.running("End.ID", c.ID)
	return Decision{Booking: c.ID}, err
}

func (c End) apply(b *books, _ *Decision) error {
	_, err := c.decide(b, nil)
	if err != nil {
		return err
	}
	old, _ := b.booking(c.ID)
	return b.close(old, Ended, HasEnded, b.now)
}

// close ends a booking at a tick, and gives back the rest of its time, but for the buffers behind running parts. The
// place of a part that has not begun becomes empty, and stays in the list, so that each place keeps its index.
func (b *books) close(old *Booking, state State, w What, at bookahead.Time) error {
	for i, id := range old.ids {
		if id == 0 || old.Places[i].clean(b.now) {
			continue
		}
		err := b.schedules[old.on[i]].giveUp(old, i, id, 0, b.now)
		if err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	k := *old
	k.State, k.Expiry, k.ids = state, 0, nil
	k.Places = append([]Place(nil), old.Places...)
	for i := range k.Places {
		p := &k.Places[i]
		p.End = max(p.Start, min(p.End, at))
	}
	k.Interval = bookahead.Interval{Start: min(old.Start, at), End: min(old.End, at)}
	if old.State == Waiting {
		k.Interval = bookahead.Interval{Start: at, End: at}
	}
	b.retire(old, &k, w, at)
	return nil
}

// retire enters a booking that is over; Config.Keep says when the desk forgets it.
func (b *books) retire(old, k *Booking, w What, at bookahead.Time) {
	k.change = k.due(b.config.Keep)
	if b.config.Keep > 0 {
		b.replace(old, k)
	} else {
		b.recharge(old, k)
		b.remember(k)
		b.forget(old)
		b.gone = k
	}
	b.about(k, w, at, old.Interval, k.Interval)
}
