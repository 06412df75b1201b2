package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

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
	case Own:
		f := s.frame()
		if f.Horizon != bookahead.MaxTime {
			return bookahead.Duration(f.Horizon - f.Now)
		}
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
		s.dropTails(c.Now)
		err := s.advance(c.Now)
		if err != nil {
			return fmt.Errorf("schedule %q: %w", s.name, err)
		}
	}
	b.now = c.Now
	b.dropOutages()
	b.sweep()
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
		return b.close(old, Expired, HasExpired, next.at)
	case Booked:
		k.State = Running
		k.change = k.due(b.config.Keep)
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
