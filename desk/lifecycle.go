package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/site"
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
	k.nextDue = k.due(b.config.Keep)
	b.replace(old, k)
	b.about(k, w, b.now, old.Interval, k.Interval)
	if started {
		b.about(k, HasStarted, b.now, bookahead.Interval{}, k.Interval)
	}
}

func (Cancel) verb() string { return "cancel" }

func (Cancel) check() error { return nil }

func (c Cancel) decide(b *books, _ *effort.Meter) (Decision, error) {
	_, err := b.cancellable(c.ID)
	return Decision{Booking: c.ID}, err
}

func (c Cancel) apply(b *books, _ *Decision) error {
	old, err := b.cancellable(c.ID)
	if err != nil {
		return err
	}
	return b.finish(old, Cancelled, WasCancelled, b.now)
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
	return b.finish(old, Ended, HasEnded, b.now)
}

// finish ends a booking at a tick, and gives back the rest of its time, but for the buffers behind running parts. The
// place of a part that has not begun becomes empty, and stays in the list, so that each place keeps its index.
func (b *books) finish(old *Booking, state State, w What, at bookahead.Time) error {
	for i, id := range old.ids {
		if id == 0 || old.Places[i].clean(b.now) {
			continue
		}
		err := b.schedules[old.on[i]].vacate(old, i, id, 0, b.now)
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
	k.nextDue = k.due(b.config.Keep)
	if b.config.Keep > 0 {
		b.replace(old, k)
	} else {
		b.recharge(old, k)
		b.remember(k)
		b.forget(old)
		b.dropped = k
	}
	b.about(k, w, at, old.Interval, k.Interval)
}

// leaveTails leaves the buffers of a booking that ends as it was booked, where its reservations end by themselves.
func (b *books) leaveTails(k *Booking) {
	for i, id := range k.ids {
		p := &k.Places[i]
		if id != 0 && p.After > 0 && !p.clean(b.now) {
			b.schedules[k.on[i]].AddTail(site.Tail{ID: id, End: p.reserved().End})
		}
	}
}

func (Advance) verb() string { return "advance" }

func (Advance) check() error { return nil }

func (c Advance) decide(b *books, _ *effort.Meter) (Decision, error) {
	if c.Now < b.now {
		return Decision{}, limits.Invalid("Advance.Now", c.Now, fmt.Sprintf("is before %d", b.now))
	}
	for _, s := range b.schedules {
		if c.Now > bookahead.MaxTime-bookahead.Time(s.ahead()) {
			return Decision{}, limits.Invalid("Advance.Now", c.Now, fmt.Sprintf("plus the horizon of %q overflows", s.name))
		}
	}
	return Decision{}, nil
}

// ahead returns how many ticks ahead of the clock a schedule can be booked; 0 if to the end of the axis, or on a broker. A
// Horizon that reaches the end of the axis just now is no horizon by the Frame, and yet lets the clock go no further.
func (s *schedule) ahead() bookahead.Duration {
	switch k := s.kind.(type) {
	case Pool:
		return k.Horizon
	case Servers:
		return k.Horizon
	case Nodes:
		return k.Horizon
	}
	return 0
}

// apply lets everything happen that is due, by tick. At one tick a booking that ends or expires comes before one that
// starts, since the one makes room for the other; then the lower ID comes first. Holds are released while the clocks
// of the schedules still stand at the old time, which makes no difference to the time from now on.
//
// No number of ticks makes it longer. happen takes a booking one state on, and none goes back, so a booking comes up at
// most three times: to start, to end or expire, and to be forgotten. The agenda has each booking once, for its next
// change. tellLacks lists each series and schedule once, and neither is asked for again before another command gives it
// more. So the loop ends after three turns for each booking and one for each need.
func (c Advance) apply(b *books, _ *Decision) error {
	_, err := c.decide(b, nil)
	if err != nil {
		return err
	}
	starts, needs := b.starts(c.Now), b.needs(c.Now)
	for {
		next, ok := b.agenda.next()
		ok = ok && next.at <= c.Now
		if len(starts) > 0 && (!ok || starts[0].at < next.at) {
			next, starts, ok = starts[0], starts[1:], true
		}
		if !ok {
			break
		}
		needs = b.tellLacks(needs, next.at)
		err := b.happen(next)
		if err != nil {
			return err
		}
	}
	b.tellLacks(needs, c.Now)
	for _, s := range b.schedules {
		if s.of != nil {
			continue
		}
		err := s.Advance(c.Now)
		if err != nil {
			return fmt.Errorf("schedule %q: %w", s.name, err)
		}
	}
	b.now = c.Now
	b.dropOutages()
	b.accounts.Sweep(b.counting(), b.now)
	b.tell(Event{At: b.now, What: WasAdvanced})
	return nil
}

// tellLacks tells which series and schedules need more up to a tick, at one tick the series first. It returns the
// schedules whose ticks are later.
func (b *books) tellLacks(list []need, to bookahead.Time) []need {
	for len(list) > 0 && list[0].at <= to {
		b.tellSeries(list[0].at)
		list = b.tellNeeds(list, list[0].at)
	}
	b.tellSeries(to)
	return list
}

// happen carries out the next change that is due for a booking: it starts, ends, expires, lapses or is forgotten.
func (b *books) happen(next due) error {
	old, _ := b.booking(next.id)
	k := *old
	switch old.State {
	case Held, Waiting:
		return b.finish(old, Expired, HasExpired, next.at)
	case Booked:
		k.State = Running
		k.nextDue = k.due(b.config.Keep)
		b.replace(old, &k)
		b.about(&k, HasStarted, next.at, bookahead.Interval{}, k.Interval)
	case Running:
		b.leaveTails(old)
		k.State, k.ids = Ended, nil
		b.retire(old, &k, HasEnded, next.at)
	default:
		b.remember(old)
		b.forget(old)
	}
	return nil
}
