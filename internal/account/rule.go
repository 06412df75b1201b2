package account

import (
	"maps"
	"slices"

	"github.com/bookahead/bookahead/internal/quota"
)

// Rule is what a quota counts, and its bounds. A rule that is in force never changes, since clones share it: another rule
// takes its place.
type Rule struct {
	Name string
	// Owners are the owners whose use counts; nil stands for all.
	Owners map[string]bool
	// Label counts only use that has it; "" counts all.
	Label string
	// Each gives every owner an account of his own; otherwise the owners share one.
	Each bool
	// On are the schedules whose use counts, ascending; nil stands for all.
	On []int32
	// Resource is the resource that counts; "" stands for units.
	Resource string
	Bounds   quota.Bounds

	number uint32 // of its accounts; 0 before it is in force
}

// Key names an account: that of an owner if the rule is for Each, and otherwise that of "".
type Key struct {
	rule  uint32
	Owner string
}

// Key returns the account that counts the use of an owner. The rule is in force.
func (q *Rule) Key(owner string) Key {
	if !q.Each {
		owner = ""
	}
	return Key{q.number, owner}
}

// Counts reports whether the rule counts the use of an owner with some labels. O(l) for l labels.
func (q *Rule) Counts(owner string, labels []string) bool {
	return (q.Owners == nil || q.Owners[owner]) && (q.Label == "" || slices.Contains(labels, q.Label))
}

// Covers reports whether the rule counts use of a schedule. O(log s) for the s schedules of On.
func (q *Rule) Covers(on int32) bool {
	if q.On == nil {
		return true
	}
	_, ok := slices.BinarySearch(q.On, on)
	return ok
}

// mayHave reports whether the rule may have an account of that name.
func (q *Rule) mayHave(owner string) bool {
	if q.Each {
		return q.Owners == nil || q.Owners[owner]
	}
	return owner == ""
}

// countsLike reports whether two rules count the same use, whatever bounds they set.
func (q *Rule) countsLike(o *Rule) bool { return q.countsOn(o) && maps.Equal(q.Owners, o.Owners) }

// countsOn is countsLike without a look at the owners.
func (q *Rule) countsOn(o *Rule) bool {
	return q.Label == o.Label && q.Each == o.Each && q.Resource == o.Resource && (q.On == nil) == (o.On == nil) && slices.Equal(q.On, o.On)
}

// knowsPastOf reports whether the accounts of q have kept the use that o counts: q has an account for each owner, or o
// counts all owners whom q counts.
func (q *Rule) knowsPastOf(o *Rule) bool {
	all := o.Owners == nil || q.Owners != nil
	for owner := range q.Owners {
		all = all && (o.Owners == nil || o.Owners[owner])
	}
	return q.countsOn(o) && (q.Each || all)
}
