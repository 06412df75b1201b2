package account

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/quota"
)

// Trial is the accounts as they would be: those of Accounts, but other steps for each account that the trial has changed.
// The Accounts stay as they are. maps.Clone copies a trial, whose zero value has changed nothing.
//
//	accounts   ann   bob   cid
//	trial      ▲     ▓▓▓   ▲         the account of bob has changed
type Trial map[Key]quota.Steps

// Used is Accounts.Used on the trial.
func (t Trial) Used(x *Accounts, q *Rule, owner string, now bookahead.Time) quota.Steps {
	use, ok := t[q.Key(owner)]
	if !ok {
		use = x.Used(q, owner, now)
	}
	return use
}

// Charge carries out postings. O(1) for each account.
func (t *Trial) Charge(p Postings) {
	for i := range p.list {
		if *t == nil {
			*t = Trial{}
		}
		(*t)[p.list[i].of] = p.list[i].after
	}
}

// Postings are changes of accounts that are tried together: a use is taken off, and another one is added. The zero value
// changes nothing.
type Postings struct {
	list     []posting
	trial    Trial
	accounts *Accounts
	now      bookahead.Time
	owner    cow.Owner // of the nodes that are new; the nodes of before stay as they are
}

// posting is the change of one account.
type posting struct {
	rule          *Rule
	of            Key
	before, after quota.Steps
	when          bookahead.Interval // the changes lie in it
}

// Post returns postings on a trial, which change nothing yet.
func (t Trial) Post(x *Accounts, now bookahead.Time) Postings {
	p := Postings{trial: t, accounts: x, now: now}
	p.owner.Renew()
	return p
}

// Add counts the uses of an owner, as Accounts.Charge does, from the first tick on that matters to the rule. It returns how
// many of the uses lie there. Calls for one account follow one another. O(u log n) for u uses.
func (p *Postings) Add(q *Rule, owner string, uses []quota.Use, sign int64) (parts int) {
	since := q.Bounds.Since(p.now)
	of := q.Key(owner)
	if len(p.list) == 0 || p.list[len(p.list)-1].of != of {
		use := p.trial.Used(p.accounts, q, owner, p.now)
		p.list = append(p.list, posting{rule: q, of: of, before: use, after: use})
	}
	x := &p.list[len(p.list)-1]
	for i := range uses {
		w := uses[i].Interval
		w.Start = max(w.Start, since)
		if w.Empty() {
			continue
		}
		x.after.Add(p.owner, w, sign*uses[i].Amount)
		parts++
		if x.when.Empty() {
			x.when = w
		}
		x.when.Start, x.when.End = min(x.when.Start, w.Start), max(x.when.End, w.End)
	}
	return parts
}

// Breaks reports whether the postings break a bound that was not broken before, or break it further, of a rule that is
// asked. quota.Bounds.Worse has the cost for each account.
func (p Postings) Breaks(asked func(name string) bool, m *effort.Meter) bool {
	for i := range p.list {
		x := &p.list[i]
		if asked(x.rule.Name) && !x.when.Empty() && x.rule.Bounds.Worse(x.before, x.after, x.when, p.now, m) {
			return true
		}
	}
	return false
}

// FromAccounts returns postings that start from the use in the Accounts, and not from that of the trial: then use that the
// trial has taken off may be added again, even beyond a bound. O(log n) for each account.
func (p Postings) FromAccounts() Postings {
	p.list = slices.Clone(p.list)
	for i := range p.list {
		x := &p.list[i]
		x.before = p.accounts.Used(x.rule, x.of.Owner, p.now)
	}
	return p
}
