package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// tail is a reservation that no longer belongs to a booking: the buffer behind a part that has ended, or moved away.
//
//	booking   ████│                ends here, or goes elsewhere
//	tail          │▓▓▓▓            until end
type tail struct {
	id  bookahead.ID
	end bookahead.Time
}

func (x tail) compare(y tail) int { return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.id, y.id)) }

// leave ends a part that has begun, and leaves its buffer as a tail. Where a closed unit lets no reservation change, it
// gives back everything.
func (s *schedule) leave(id bookahead.ID, w want, now bookahead.Time) error {
	if w.End > now {
		w.End = now
		if w.After == 0 {
			return s.release(id)
		}
		err := s.rebook(id, w, now)
		if err == bookahead.ErrUnavailable {
			return s.release(id)
		}
		if err != nil {
			return err
		}
	}
	s.addTail(tail{id, w.reserved().End})
	return nil
}

// addTail adds a tail, in order, to a new list: clones share the old one.
func (s *schedule) addTail(x tail) {
	i, _ := slices.BinarySearchFunc(s.tails, x, tail.compare)
	s.tails = slices.Insert(slices.Clone(s.tails), i, x)
}

// resume makes a tail a reservation of its part again. An error changes nothing.
func (s *schedule) resume(id bookahead.ID, w want, now bookahead.Time) error {
	if w.End > now {
		err := s.rebook(id, w, now)
		if err != nil {
			return err
		}
	}
	s.tails = slices.DeleteFunc(slices.Clone(s.tails), func(x tail) bool { return x.id == id })
	return nil
}

// leaves reports whether a reservation is a tail.
func (s *schedule) leaves(id bookahead.ID) bool {
	return slices.ContainsFunc(s.tails, func(x tail) bool { return x.id == id })
}

// dropTails takes out the tails that are over.
func (s *schedule) dropTails(now bookahead.Time) {
	i := 0
	for i < len(s.tails) && s.tails[i].end <= now {
		i++
	}
	s.tails = slices.Clip(s.tails[i:])
	if len(s.tails) == 0 {
		s.tails = nil
	}
}

// giveUp gives back a reservation that a booking no longer has; for a running part it leaves the buffer. closed is 1 + the
// index of a schedule on which no buffer is left, or 0.
func (s *schedule) giveUp(k *Booking, i int, id bookahead.ID, closed int32, now bookahead.Time) error {
	if k.State != Running || k.Places[i].Start > now || closed == k.on[i]+1 {
		return s.release(id)
	}
	return s.leave(id, want{k.Places[i], k.Shapes[k.Shape][i].Tasks}, now)
}

// leaveTails leaves the buffers of a booking that ends as it was booked, where its reservations end by themselves.
func (b *books) leaveTails(k *Booking) {
	for i, id := range k.ids {
		p := &k.Places[i]
		if id != 0 && p.After > 0 && !p.clean(b.now) {
			b.schedules[k.on[i]].addTail(tail{id, p.reserved().End})
		}
	}
}

// verifyTails checks D15.
func (s *schedule) verifyTails(now bookahead.Time) error {
	for i, x := range s.tails {
		if i > 0 && s.tails[i-1].compare(x) >= 0 || x.end <= now {
			return broken("D15", "tail %d of %q ends at %d, by now or before the last", x.id, s.name, x.end)
		}
		p, err := s.place(x.id)
		if err != nil || p.Start > now || p.End != x.end {
			return broken("D15", "tail %d of %q up to %d has the reservation %v (%v)", x.id, s.name, x.end, p.Interval, err)
		}
	}
	return nil
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
