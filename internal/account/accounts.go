package account

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/quota"
)

// account is the use that a rule counts, as far back as it matters. The steps before that mean nothing.
type account struct {
	use  quota.Steps // all of it
	past quota.Steps // the part that Remember has kept, which nobody can charge again
}

// Accounts are the use that all rules count. The zero value is empty. The nodes of their steps belong to owner: a clone
// copies a node before it writes to it. The costs are for n edges of one account.
type Accounts struct {
	all   cow.Map[Key, account]
	owner cow.Owner

	numbers uint32 // the last that was given to a rule
	changes int    // how many since the last sweep
	left    int    // how many accounts the last sweep left
}

// Clone returns a copy. It may run beside reads and other Clones. O(1).
func (x *Accounts) Clone() Accounts {
	x.owner.Share()
	c := *x
	c.all = x.all.Clone()
	return c
}

// Charge counts the uses of an owner whom the rule counts: once if sign is 1, and -1 takes them off. O(u log n) for u uses.
func (x *Accounts) Charge(q *Rule, owner string, uses []quota.Use, sign int64, now bookahead.Time) {
	of := q.Key(owner)
	was := x.toWrite(of)
	is := was
	for i := range uses {
		is.use.Add(x.owner, uses[i].Interval, sign*uses[i].Amount)
	}
	is.use.Forget(x.owner, q.Bounds.Since(now)) // so that Used finds little to leave out
	x.put(of, was, is)
}

// toWrite returns an account, whose steps may be changed under the owner before put puts it back.
func (x *Accounts) toWrite(of Key) account {
	x.owner.Renew()
	a, _ := x.all.Get(of)
	return a
}

// put puts back an account that was changed. An account without use has no entry.
func (x *Accounts) put(of Key, was, is account) {
	switch {
	case is == was: // nothing has changed, or only nodes that no clone shares
	case !is.use.Zero() || !is.past.Zero():
		x.all.Set(of, is)
	default:
		x.all.Remove(of)
	}
	x.changes++
}

// Used returns the use of an owner that still matters to a rule. An account may have older use as well, and an account that
// was read from a snapshot has less of it. If searches looked at older use, two members would count different steps.
// O(1), and O(log n) if the account has older use.
func (x *Accounts) Used(q *Rule, owner string, now bookahead.Time) quota.Steps {
	a, _ := x.all.Get(q.Key(owner))
	return a.use.Since(q.Bounds.Since(now))
}

// Of yields the accounts of a rule by owner, each with its use. The use before the ticks that matter means nothing.
// O(a + k log k) for k of a accounts.
func (x *Accounts) Of(q *Rule) iter.Seq2[string, quota.Steps] {
	return func(yield func(string, quota.Steps) bool) {
		for of, a := range x.of(q) {
			if !yield(of.Owner, a.use) {
				return
			}
		}
	}
}

// of yields the accounts of a rule by owner. The loop may change them.
func (x *Accounts) of(q *Rule) iter.Seq2[Key, account] {
	var list []Key
	for of := range x.all.All() {
		if of.rule == q.number {
			list = append(list, of)
		}
	}
	slices.SortFunc(list, func(a, b Key) int { return cmp.Compare(a.Owner, b.Owner) })
	return func(yield func(Key, account) bool) {
		for _, of := range list {
			a, _ := x.all.Get(of)
			if !yield(of, a) {
				return
			}
		}
	}
}
