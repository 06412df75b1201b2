package desk

import (
	"fmt"
	"strings"

	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/quota"
)

// keptRule is a quota in a snapshot, with the use by forgotten bookings in its accounts. All other use follows from the
// bookings.
type keptRule struct {
	SetQuota
	accounts []keptAccount // by owner, only accounts with use by forgotten bookings
}

type keptAccount struct {
	owner string
	past  []quota.Piece
}

func (q *keptRule) code(x coder) {
	q.SetQuota.code(x)
	objects(x, "accounts", &q.accounts)
}

func (a *keptAccount) code(x coder) {
	x.text("owner", &a.owner)
	list(x, "past", &a.past, func(p *quota.Piece) {
		x.open("")
		span(x, &p.Interval)
		number(x, "units", &p.Units)
		counter(x, "more", &p.More)
		x.close()
	})
}

// keptRules returns the quotas in the form of a snapshot.
func (b *books) keptRules() (list []keptRule) {
	for _, q := range b.rules {
		kept := keptRule{SetQuota: q.SetQuota}
		since := q.bounds.Since(b.now)
		for of, a := range b.accounts.of(q.id) {
			past := a.past.Pieces(since)
			if len(past) > 0 {
				kept.accounts = append(kept.accounts, keptAccount{of.owner, past})
			}
		}
		list = append(list, kept)
	}
	return list
}

// codeRules codes the quotas. A reader checks them against the schedules, and opens their accounts.
func (b *books) codeRules(x coder) {
	var kept []keptRule
	if !x.reads() {
		kept = b.keptRules()
	}
	objects(x, "quotas", &kept)
	for i := 0; x.reads() && x.ok() && i < len(kept); i++ {
		err := b.restoreRule(&kept[i])
		if err != nil {
			x.fail("quota", kept[i].Name, fmt.Sprintf("makes no sense: %v", err))
		}
	}
}

// restoreRule puts in force a quota that was read, behind the earlier ones.
func (b *books) restoreRule(kept *keptRule) error {
	err := kept.check()
	if err != nil {
		return err
	}
	n := len(b.rules)
	if n > 0 && b.rules[n-1].Name >= kept.Name {
		return limits.Invalid("Quota.Name", kept.Name, fmt.Sprintf("does not come behind %q", b.rules[n-1].Name))
	}
	q, err := b.resolve(&kept.SetQuota)
	if err != nil {
		return err
	}
	b.ruleIDs++
	q.id = b.ruleIDs
	b.rules = append(b.rules, q)
	for i := range kept.accounts {
		a := &kept.accounts[i]
		of := q.account(a.owner)
		misplaced := of.owner != a.owner || q.Each && !q.counts(a.owner, []string{q.Label})
		if misplaced || i > 0 && strings.Compare(kept.accounts[i-1].owner, a.owner) >= 0 {
			return limits.Invalid("owner", a.owner, "has no such account, or does not come behind the last")
		}
		err := checkText("owner", a.owner)
		if err == nil {
			err = q.checkPast(b, a.past)
		}
		if err != nil {
			return err
		}
		b.openAccount(of, a.past)
	}
	return nil
}

// checkPast checks that pieces are over by now, still matter, and are divided as a writer divides them.
func (q *rule) checkPast(b *books, past []quota.Piece) error {
	if len(past) == 0 {
		return limits.Invalid("past", len(past), "pieces are too few")
	}
	end := q.bounds.Since(b.now)
	for i, p := range past {
		last := &past[max(0, i-1)]
		one := i > 0 && p.Start == end && p.Units == last.Units && p.More == last.More
		if p.Empty() || p.Start < end || p.End > b.now || p.Units < 0 || p.Units >= 1<<62 || p.Units == 0 && p.More == 0 || one {
			return limits.Invalid("past", p.Interval, "is no piece of the past")
		}
		end = p.End
	}
	return nil
}

// verifyCharge counts a booking for D12.
func (v *verifier) verifyCharge(k *Booking) { v.expect.charge(k, 1) }

// verifyAccounts checks D12, after all bookings have been counted.
func (v *verifier) verifyAccounts() error {
	for i, q := range v.rules {
		if i > 0 && v.rules[i-1].Name >= q.Name {
			return broken("D12", "quota %q comes behind %q", q.Name, v.rules[i-1].Name)
		}
		since := q.bounds.Since(v.now)
		for of, a := range v.accounts.of(q.id) {
			want, _ := v.expect.accounts.get(of)
			if !a.use.Equal(want.use, since) {
				return broken("D12", "the account of %q for quota %q does not have the use of its bookings", of.owner, q.Name)
			}
			if len(a.past.Pieces(v.now)) > 0 {
				return broken("D12", "the account of %q for quota %q has forgotten a use that is to come", of.owner, q.Name)
			}
		}
		for of, want := range v.expect.accounts.of(q.id) {
			_, ok := v.accounts.get(of)
			if !ok && !want.use.Equal(quota.Steps{}, since) {
				return broken("D12", "there is no account of %q for quota %q", of.owner, q.Name)
			}
		}
	}
	for of := range v.accounts.all() {
		if of.rule == 0 || !v.hasRule(of.rule) {
			return broken("D12", "the account of %q is for no quota", of.owner)
		}
	}
	return nil
}

func (v *verifier) hasRule(id uint32) bool {
	for _, q := range v.rules {
		if q.id == id {
			return true
		}
	}
	return false
}

// expected returns books with nothing but the quotas and the use by forgotten bookings.
func (b *books) expected() *books {
	c := &books{now: b.now, schedules: b.schedules, names: b.names, rules: b.rules}
	for _, q := range b.rules {
		for of, a := range b.accounts.of(q.id) {
			c.openAccount(of, a.past.Pieces(q.bounds.Since(b.now)))
		}
	}
	return c
}
