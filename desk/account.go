package desk

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/quota"
	"github.com/bookahead/bookahead/nodes"
)

// rule is a quota that is set. A rule never changes, since clones share it: another one takes its place.
type rule struct {
	SetQuota
	id     uint32          // the number of its accounts
	on     []int32         // the schedules that it counts, ascending; nil for all
	owners map[string]bool // nil for all
	bounds quota.Bounds
}

// counts reports whether a quota counts the bookings of an owner with some labels.
func (q *rule) counts(owner string, labels []string) bool {
	return (q.owners == nil || q.owners[owner]) && (q.Label == "" || slices.Contains(labels, q.Label))
}

// account returns the account of a quota for the bookings of an owner.
func (q *rule) account(owner string) accountOf {
	if !q.Each {
		owner = ""
	}
	return accountOf{q.id, owner}
}

// covers reports whether a quota counts parts on a schedule.
func (q *rule) covers(on int32) bool {
	if q.on == nil {
		return true
	}
	_, ok := slices.BinarySearch(q.on, on)
	return ok
}

// accountOf names an account: that of an owner if the quota is for Each, and otherwise that of "".
type accountOf struct {
	rule  uint32
	owner string
}

// account is the use that a quota counts, as far back as it matters. The steps before that mean nothing.
type account struct {
	use  quota.Steps // of all bookings
	past quota.Steps // of the bookings that the desk has forgotten: nothing else has this use
}

// accounts are the use that all quotas count. The zero value is empty. The nodes of their trees belong to owner:
// a clone copies a node before it writes to it.
type accounts struct {
	cow.Map[accountOf, account]
	owner   cow.Owner
	changes int // how many since the last sweep
	left    int // how many accounts the last sweep left
}

func (x *accounts) clone() accounts {
	x.owner.Share()
	return accounts{x.Clone(), x.owner, x.changes, x.left}
}

// of returns the accounts of a rule, by owner.
func (x *accounts) of(id uint32) iter.Seq2[accountOf, account] {
	var list []accountOf
	for of := range x.All() {
		if of.rule == id {
			list = append(list, of)
		}
	}
	slices.SortFunc(list, func(a, b accountOf) int { return cmp.Compare(a.owner, b.owner) })
	return func(yield func(accountOf, account) bool) {
		for _, of := range list {
			a, _ := x.Get(of)
			if !yield(of, a) {
				return
			}
		}
	}
}

// ruleAt returns the index of a quota, or where it would be, and whether it is there.
func (b *books) ruleAt(name string) (int, bool) {
	return slices.BinarySearchFunc(b.rules, name, func(q *rule, name string) int { return cmp.Compare(q.Name, name) })
}

// amount returns how much a quota counts for units on a schedule, or for so many tasks there; at most the greatest int64.
func (b *books) amount(q *rule, on int32, units int64, each, head nodes.Vector) int64 {
	if !q.covers(on) {
		return 0
	}
	if q.Resource == "" {
		return units
	}
	r := b.schedules[on].resource(q.Resource)
	if r < 0 || r >= len(each) {
		return 0
	}
	sum := area{}
	sum.add(units, bookahead.Duration(each[r]))
	if r < len(head) {
		sum.add(head[r], 1)
	}
	if sum.hi > 0 || sum.lo >= quota.Over {
		return int64(quota.Over - 1)
	}
	return int64(sum.lo)
}

// knowsResource reports whether a quota names no resource, or a schedule that it counts has the resource.
func (b *books) knowsResource(q *rule) bool {
	known := q.Resource == ""
	for k, s := range b.schedules {
		known = known || q.covers(int32(k)) && s.resource(q.Resource) >= 0
	}
	return known
}

// uses yields the places and past pieces of a booking that a quota counts, each with its amount. If the booking is over,
// they are cut to the time that was used.
func (b *books) uses(q *rule, k *Booking) iter.Seq2[bookahead.Interval, int64] {
	return func(yield func(bookahead.Interval, int64) bool) {
		for n := range k.entries() {
			index, p, on := k.entry(n)
			if p.Empty() || !q.covers(on) {
				continue
			}
			amount := p.Units
			if q.Resource != "" {
				x := k.at(index)
				amount = b.amount(q, on, x.Units, x.Each, x.HeadTakes)
			}
			if amount > 0 && !yield(p.Interval, amount) {
				return
			}
		}
	}
}

// charge counts a booking in all accounts sign times: 1 adds it, and -1 takes it off.
func (b *books) charge(k *Booking, sign int64) {
	for _, q := range b.rules {
		b.chargeOne(q, k, sign)
	}
}

func (b *books) chargeOne(q *rule, k *Booking, sign int64) {
	if !q.counts(k.Owner, k.Labels) {
		return
	}
	b.write(q.account(k.Owner), func(a *account) {
		for w, amount := range b.uses(q, k) {
			a.use.Add(b.accounts.owner, w, sign*amount)
		}
		a.use.Forget(b.accounts.owner, q.bounds.Since(b.now)) // so that usedSince finds little to leave out
	})
}

// recharge takes old off all accounts, and adds k, its successor.
func (b *books) recharge(old, k *Booking) {
	if len(b.rules) == 0 || old.usesLike(k) {
		return
	}
	b.charge(old, -1)
	b.charge(k, 1)
}

// usesLike reports that two states of a booking count alike. It may be false although they do, which costs time only.
func (k *Booking) usesLike(o *Booking) bool {
	alike := k.Owner == o.Owner && slices.Equal(k.Labels, o.Labels) && k.Shape == o.Shape && len(k.Shapes) == len(o.Shapes) &&
		&k.Shapes[0] == &o.Shapes[0] && len(k.Past) == len(o.Past) && len(k.Places) == len(o.Places)
	for i := 0; alike && i < len(k.Places); i++ {
		p, q := &k.Places[i], &o.Places[i]
		alike = p.Interval == q.Interval && p.Units == q.Units && k.on[i] == o.on[i]
	}
	return alike
}

// remember keeps the use of a booking that is about to be forgotten, as far as it matters.
func (b *books) remember(k *Booking) {
	for _, q := range b.rules {
		if !q.counts(k.Owner, k.Labels) {
			continue
		}
		since := q.bounds.Since(b.now)
		b.write(q.account(k.Owner), func(a *account) {
			for w, amount := range b.uses(q, k) {
				w.Start = max(w.Start, since)
				if !w.Empty() {
					a.past.Add(b.accounts.owner, w, amount)
				}
			}
		})
	}
}

// write changes an account.
func (b *books) write(of accountOf, change func(*account)) {
	x := &b.accounts
	x.owner.Renew()
	a, had := x.Get(of)
	was := a
	change(&a)
	switch {
	case a == was: // nothing has changed, or only nodes that no clone shares
	case !a.use.Zero() || !a.past.Zero():
		x.Set(of, a)
	case had:
		x.Remove(of)
	}
	x.changes++
}

// usedSince returns the use that still matters to a quota. An account may hold older use as well, and an account that was
// read from a snapshot holds less of it. If searches looked at older use, two members would count different steps.
func (b *books) usedSince(q *rule, of accountOf) quota.Steps {
	a, _ := b.accounts.Get(of)
	return a.use.Since(q.bounds.Since(b.now))
}

// sweep drops use that no longer matters. It is due after twice as many changes as it left accounts the last time, so that
// it adds a constant to the cost of each change.
func (b *books) sweep() {
	x := &b.accounts
	if x.changes < 2*x.left+64 {
		return
	}
	since := map[uint32]bookahead.Time{}
	for _, q := range b.rules {
		since[q.id] = q.bounds.Since(b.now)
	}
	for of := range x.All() {
		b.write(of, func(a *account) {
			a.use.Forget(x.owner, since[of.rule])
			a.past.Forget(x.owner, since[of.rule])
		})
	}
	x.changes, x.left = 0, x.Len()
}

// countsBroker checks that a quota counts all schedules of a broker alike, or none: the amount of a part on the broker
// must not depend on the schedule that is chosen.
func (b *books) countsBroker(q *rule, field, name string, of []int32) error {
	for _, k := range of[1:] {
		if q.covers(k) != q.covers(of[0]) {
			return limits.Invalid(field, name, fmt.Sprintf("is a broker of %q and %q, of which quota %q counts one", b.schedules[of[0]].name, b.schedules[k].name, q.Name))
		}
		if q.Resource != "" && q.covers(k) && b.schedules[k].resource(q.Resource) != b.schedules[of[0]].resource(q.Resource) {
			return limits.Invalid(field, name, fmt.Sprintf("is a broker of %q and %q, whose resources %q, which quota %q counts, do not have the same index", b.schedules[of[0]].name, b.schedules[k].name, q.Resource, q.Name))
		}
	}
	return nil
}

// greatest returns n, or the greatest int64 if it is more.
func greatest(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
