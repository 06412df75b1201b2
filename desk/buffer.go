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
