package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// leaveTails leaves the buffers of a booking that ends as it was booked, where its reservations end by themselves.
func (b *books) leaveTails(k *Booking) {
	for i, id := range k.ids {
		p := &k.Places[i]
		if id != 0 && p.After > 0 && !p.clean(b.now) {
			b.schedules[k.on[i]].addTail(tail{id, p.reserved().End})
		}
	}
}

// noteTails remembers which reservations of a booking, of those that it had on the stage, are tails now.
func (s *stage) noteTails(k *Booking, had []bookahead.ID) {
	if k.State != Running {
		return
	}
	if s.moved.tails == nil {
		s.moved.tails = map[BookingID][]bookahead.ID{}
	}
	ids := make([]bookahead.ID, len(had))
	for i, id := range had {
		if id != 0 && s.at(k.on[i]).leaves(id) {
			ids[i] = id
		}
	}
	s.moved.tails[k.ID] = ids
}

// tailsOf returns the tails that a booking has left on the stage, by part; 0 where there is none.
func (s *stage) tailsOf(k *Booking) []bookahead.ID {
	for m := s.moved; m != nil; m = m.before {
		ids, ok := m.tails[k.ID]
		if ok {
			return ids
		}
	}
	return nil
}

// reachOf returns the time in which a request may hold units of a schedule, with the buffers there.
func (s *stage) reachOf(r *Request, on int32) bookahead.Interval {
	before, after := bookahead.Duration(0), bookahead.Duration(0)
	t := s.terms(s.at(on))
	if t != nil {
		before, after = t.Before, t.After
	}
	when := bookahead.Interval{Start: max(s.now, max(0, r.Ready)-bookahead.Time(before)), End: bookahead.MaxTime}
	if r.Deadline != 0 {
		when.End = addTicks(max(0, r.Deadline), after)
	}
	return when
}

// checkTerms checks the terms and tails of a schedule in a snapshot.
func (s *schedule) checkTerms(now bookahead.Time) error {
	if s.terms != nil {
		err := SetTerms{s.name, *s.terms}.check()
		if err == nil && s.terms.zero() {
			err = limits.Invalid("terms", s.name, "allow everything, and such terms are never written")
		}
		if err != nil {
			return err
		}
	}
	return s.verifyTails(now)
}
