package desk

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/quota"
	"github.com/bookahead/bookahead/internal/site"
	"github.com/bookahead/bookahead/nodes"
)

// quotaRule is a quota that is set. It never changes, since clones share it: another one takes its place.
type quotaRule struct {
	set SetQuota
	account.Rule
}

// ruleAt returns the index of a quota, or where it would be, and whether it is there.
func (b *books) ruleAt(name string) (int, bool) {
	return slices.BinarySearchFunc(b.rules, name, func(q *quotaRule, name string) int { return cmp.Compare(q.Name, name) })
}

// amount returns how much a quota counts for units on a schedule, or for so many tasks there; at most the greatest int64.
func (b *books) amount(q *quotaRule, on int32, units int64, each, head nodes.Vector) int64 {
	if !q.Covers(on) {
		return 0
	}
	if q.Resource == "" {
		return units
	}
	r := b.schedules[on].resource(q.Resource)
	if r < 0 || r >= len(each) {
		return 0
	}
	sum := site.Area{}
	sum.Add(units, bookahead.Duration(each[r]))
	if r < len(head) {
		sum.Add(head[r], 1)
	}
	if sum.Hi > 0 || sum.Lo >= quota.Over {
		return int64(quota.Over - 1)
	}
	return int64(sum.Lo)
}

// knowsResource reports whether a quota names no resource, or a schedule that it counts has the resource.
func (b *books) knowsResource(q *quotaRule) bool {
	known := q.Resource == ""
	for k, s := range b.schedules {
		known = known || q.Covers(int32(k)) && s.resource(q.Resource) >= 0
	}
	return known
}

// usesOf appends the places and past pieces of a booking that a quota counts, each with its amount. If the booking is over,
// they are cut to the time that was used.
func (b *books) usesOf(list []quota.Use, q *quotaRule, k *Booking) []quota.Use {
	for n := range k.entries() {
		index, p, on := k.entry(n)
		if p.Empty() || !q.Covers(on) {
			continue
		}
		amount := p.Units
		if q.Resource != "" {
			x := k.at(index)
			amount = b.amount(q, on, x.Units, x.Each, x.HeadTakes)
		}
		if amount > 0 {
			list = append(list, quota.Use{Interval: p.Interval, Amount: amount})
		}
	}
	return list
}

// fewUses is room for the uses of most bookings.
type fewUses [8]quota.Use

// charge counts a booking in all accounts sign times: 1 adds it, and -1 takes it off.
func (b *books) charge(k *Booking, sign int64) {
	for _, q := range b.rules {
		b.chargeOne(q, k, sign)
	}
}

func (b *books) chargeOne(q *quotaRule, k *Booking, sign int64) {
	if q.Counts(k.Owner, k.Labels) {
		var room fewUses
		b.accounts.Charge(&q.Rule, k.Owner, b.usesOf(room[:0], q, k), sign, b.now)
	}
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
		if q.Counts(k.Owner, k.Labels) {
			var room fewUses
			b.accounts.Remember(&q.Rule, k.Owner, b.usesOf(room[:0], q, k), b.now)
		}
	}
}

// counting yields what each quota counts, by name.
func (b *books) counting() iter.Seq[*account.Rule] {
	return func(yield func(*account.Rule) bool) {
		for _, q := range b.rules {
			if !yield(&q.Rule) {
				return
			}
		}
	}
}

// countsBroker checks that a quota counts all schedules of a broker alike, or none: the amount of a part on the broker
// must not depend on the schedule that is chosen.
func (b *books) countsBroker(q *quotaRule, field, name string, of []int32) error {
	for _, k := range of[1:] {
		if q.Covers(k) != q.Covers(of[0]) {
			return limits.Invalid(field, name, fmt.Sprintf("is a broker of %q and %q, of which quota %q counts one", b.schedules[of[0]].name, b.schedules[k].name, q.Name))
		}
		if q.Resource != "" && q.Covers(k) && b.schedules[k].resource(q.Resource) != b.schedules[of[0]].resource(q.Resource) {
			return limits.Invalid(field, name, fmt.Sprintf("is a broker of %q and %q, whose resources %q, which quota %q counts, do not have the same index", b.schedules[of[0]].name, b.schedules[k].name, q.Resource, q.Name))
		}
	}
	return nil
}

// greatest returns n, or the greatest int64 if it is more.
func greatest(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
