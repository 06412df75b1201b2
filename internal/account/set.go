package account

import "github.com/bookahead/bookahead"

// Set puts a rule in force, in the place of old unless that is nil, and reports whether its accounts are new. If they are,
// the caller charges all use. They have the use that Remember has kept for old, as far as old still needed it, if both rules
// have the same Label, Each, On and Resource: with Each for the owners whom both count, and otherwise if the new rule counts
// the same owners, or more.
//
// If the rule counts as old does and looks no further back, the accounts of old have all that the rule needs, and are its
// accounts from then on. O(1) then, and O(a) for a accounts of all rules if there is an old one.
func (x *Accounts) Set(q, old *Rule, now bookahead.Time) (opened bool) {
	if old != nil && old.countsLike(q) && q.Bounds.Since(now) >= old.Bounds.Since(now) {
		q.number = old.number
		return false
	}
	x.numbers++
	q.number = x.numbers
	if old == nil {
		return true
	}
	if old.knowsPastOf(q) {
		// Use that old needed no more is left out, even if no sweep has dropped it yet: the answer must not depend on
		// the time of the sweep.
		for owner, past := range x.Past(old, now) {
			if q.mayHave(owner) {
				x.open(q.Key(owner), past)
			}
		}
	}
	x.Drop(old)
	return true
}

// Drop closes the accounts of a rule. O(a) for a accounts of all rules.
func (x *Accounts) Drop(q *Rule) {
	for of := range x.of(q) {
		x.all.Remove(of)
	}
}
