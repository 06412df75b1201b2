package desk

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

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
