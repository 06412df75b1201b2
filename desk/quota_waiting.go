package desk

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// queue is the waiting bookings that count for one account of a quota.
type queue struct {
	rule *rule
	list []*Booking // in the order of their turn
}

// queues returns the queues in which a booking of a request would wait, one for each quota that bounds them, by name. One
// pass over the waiting bookings serves all quotas: O(w q) for w bookings and q such quotas.
func (b *books) queues(r *Request) (list []queue) {
	for _, q := range b.rules {
		if q.Waiting > 0 && q.counts(r.Owner, r.Labels) {
			list = append(list, queue{rule: q})
		}
	}
	for i := 0; len(list) > 0 && i < len(b.waiting); i++ {
		k, _ := b.booking(b.waiting[i].id)
		for j := range list {
			q := list[j].rule
			if q.counts(k.Owner, k.Labels) && q.account(k.Owner) == q.account(r.Owner) {
				list[j].list = append(list[j].list, k)
			}
		}
	}
	return list
}

// full reports whether no more bookings may wait in a queue.
func (x *queue) full() bool { return int64(len(x.list)) >= x.rule.Waiting }

// obstacle returns a full queue as an obstacle: one more may wait when enough of the others have lapsed.
func (x *queue) obstacle() Obstacle {
	o := Obstacle{Quota: x.rule.Name, Units: 1, Bound: x.rule.Waiting, Use: int64(len(x.list)), kind: kindBooking}
	var lapses []bookahead.Time
	for _, k := range x.list {
		lapses = append(lapses, k.lapse())
		o.Bookings = append(o.Bookings, k.ID)
	}
	slices.Sort(lapses)
	o.Until = lapses[o.Use-o.Bound]
	o.More = len(o.Bookings) > MaxNamed
	o.Bookings = o.Bookings[:min(len(o.Bookings), MaxNamed)]
	return o
}

// bars reports whether a quota that allows nothing counts a part of each shape.
func (b *books) bars(q *rule, r *Request) bool {
	counted := func(p Part) bool { return b.asked(q, &p) > 0 }
	free := func(s Shape) bool { return !slices.ContainsFunc(s, counted) }
	return q.None && q.counts(r.Owner, r.Labels) && !slices.ContainsFunc(r.Shapes, free)
}

// mayWait reports whether all quotas let one more booking of a request wait.
func (b *books) mayWait(r *Request) bool {
	return !slices.ContainsFunc(b.rules, func(q *rule) bool { return b.bars(q, r) }) &&
		!slices.ContainsFunc(b.queues(r), func(x queue) bool { return x.full() })
}

// waitsNot returns the quotas that do not let a booking of a request wait, by name.
func (b *books) waitsNot(r *Request) (list []Obstacle) {
	for _, q := range b.rules {
		if b.bars(q, r) {
			list = append(list, Obstacle{Quota: q.Name, Units: 1, Until: bookahead.MaxTime, kind: kindBooking})
		}
	}
	for _, x := range b.queues(r) {
		if x.full() {
			list = append(list, x.obstacle())
		}
	}
	slices.SortFunc(list, func(x, y Obstacle) int { return cmp.Compare(x.Quota, y.Quota) })
	return list
}

// overWaiting returns the accounts of a quota in which more bookings wait than it allows, in no order.
func (b *books) overWaiting(q *rule) (list []Excess) {
	if q.Waiting == 0 {
		return nil
	}
	waits := map[accountOf]int64{}
	for _, x := range b.waiting {
		k, _ := b.booking(x.id)
		if q.counts(k.Owner, k.Labels) {
			waits[q.account(k.Owner)]++
		}
	}
	for of, n := range waits {
		if n > q.Waiting {
			list = append(list, Excess{Quota: q.Name, Owner: of.owner, Interval: bookahead.Interval{Start: b.now, End: b.now}, Use: n, Bound: q.Waiting, Waiting: true})
		}
	}
	return list
}
