package account

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/quota"
)

// Remembered returns accounts of the same rules that have only the use that Remember has kept. Once all other use is
// charged to them, they are the accounts that there should be.
func (x *Accounts) Remembered(rules iter.Seq[*Rule], now bookahead.Time) (only Accounts) {
	for q := range rules {
		for owner, past := range x.Past(q, now) {
			only.open(q.Key(owner), past)
		}
	}
	return only
}

// Verify checks that the accounts of each rule have the use that want has, as far back as it matters, that only use of the
// past is remembered, and that each account has a rule. O(q a + n) for a accounts of q rules with n edges.
func (x *Accounts) Verify(rules iter.Seq[*Rule], want *Accounts, now bookahead.Time) error {
	known := map[uint32]bool{}
	for q := range rules {
		known[q.number] = true
		since := q.Bounds.Since(now)
		for of, a := range x.of(q) {
			should, _ := want.all.Get(of)
			if !a.use.Equal(should.use, since) {
				return fmt.Errorf("the account of %q for quota %q does not have the use of its bookings", of.Owner, q.Name)
			}
			if len(a.past.Pieces(now)) > 0 {
				return fmt.Errorf("the account of %q for quota %q has forgotten a use that is to come", of.Owner, q.Name)
			}
		}
		for of, should := range want.of(q) {
			_, ok := x.all.Get(of)
			if !ok && !should.use.Equal(quota.Steps{}, since) {
				return fmt.Errorf("there is no account of %q for quota %q", of.Owner, q.Name)
			}
		}
	}
	for of := range x.all.All() {
		if !known[of.rule] {
			return fmt.Errorf("the account of %q is for no quota", of.Owner)
		}
	}
	return nil
}
