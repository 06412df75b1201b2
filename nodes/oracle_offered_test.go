package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// validOffer reports whether a machine can make sense of an offer.
func (o *oracle) validOffer(x Offer, r Request) bool {
	r.Ready, r.Deadline, r.Duration, r.Tasks, r.Patience = 0, 0, 1, r.size(), 0 // not read
	if x.Start >= x.End || len(x.Tasks) == 0 || !o.valid(r) {
		return false
	}
	if (r.Head == nil) != (x.Head == -1) || x.Head < -1 || x.Head >= len(o.c.Nodes) {
		return false
	}
	before := -1
	for _, s := range x.Tasks {
		if s.Node <= before || s.Node >= len(o.c.Nodes) || s.Tasks <= 0 {
			return false
		}
		before = s.Node
	}
	over := int64(0)
	for _, s := range x.Tasks {
		over += s.Tasks % r.size()
	}
	return over%r.size() == 0
}

// holdsOffer takes the tasks one after the other off the least that is free on each node.
func (o *oracle) holdsOffer(x Offer, r Request, own Reservation) bool {
	for k := range o.c.Nodes {
		left := o.least(k, x.Interval, own)
		if onNode(Reservation{Offer: x}, k) {
			left = o.leastFor(r, k, x.Interval, own)
		}
		if k == x.Head && !takeOff(left, r.Head) {
			return false
		}
		for _, s := range x.Tasks {
			for n := int64(0); s.Node == k && n < s.Tasks; n++ {
				if !takeOff(left, r.Each) {
					return false
				}
			}
		}
	}
	return true
}

func (o *oracle) reserveOffer(x Offer, r Request) (Reservation, error) {
	switch {
	case !o.validOffer(x, r):
		return Reservation{}, bookahead.ErrInvalid
	case x.Start < o.now, x.End > o.end(), !o.holdsOffer(x, r, Reservation{Offer: Offer{Head: -1}}):
		return Reservation{}, bookahead.ErrUnavailable
	}
	o.last++
	o.book(r.booked(o.last, x.copied()))
	return o.live[o.last], nil
}

func (o *oracle) rebookOffer(id bookahead.ID, x Offer, r Request) (Reservation, error) {
	old, ok := o.live[id]
	if !ok {
		return Reservation{}, bookahead.ErrNotFound
	}
	running := old.Start <= o.now
	if running {
		x.Start = old.Start
	}
	switch {
	case !o.validOffer(x, r), x.End <= o.now:
		return Reservation{}, bookahead.ErrInvalid
	case x.Start < o.now && !running, x.End > o.end(), running && !o.keeps(old, x), !o.holdsOffer(x, r, old):
		return Reservation{}, bookahead.ErrUnavailable
	}
	o.drop(id)
	o.book(r.booked(id, x.copied()))
	return o.live[id], nil
}

// keeps reports whether as many tasks stay on their nodes as can: all, or as many as there are then.
func (o *oracle) keeps(old Reservation, x Offer) bool {
	had, has, stay := int64(0), int64(0), int64(0)
	for k := range o.c.Nodes {
		a, b := on(old.Tasks, k), on(x.Tasks, k)
		had, has, stay = had+a, has+b, stay+min(a, b)
	}
	return stay == min(had, has) && (old.Head < 0 || x.Head < 0 || old.Head == x.Head)
}

// on returns the tasks on a node.
func on(shares []Share, k int) int64 {
	for _, s := range shares {
		if s.Node == k {
			return s.Tasks
		}
	}
	return 0
}

// copied shares no slice with the offer.
func (x Offer) copied() Offer {
	x.Tasks = slices.Clone(x.Tasks)
	return x
}

// vary changes an offer by a little, or not at all; n draws a number below another.
func (x Offer) vary(n func(int) int, nodes int) Offer {
	x = x.copied()
	for range n(3) {
		i := n(max(1, len(x.Tasks)))
		switch n(9) {
		case 0:
			x.Start += bookahead.Time(n(7) - 3)
		case 1:
			x.End += bookahead.Time(n(7) - 3)
		case 2:
			by := bookahead.Time(n(13) - 4)
			x.Start, x.End = x.Start+by, x.End+by
		case 3:
			x.Tasks = append(x.Tasks, Share{n(nodes), 1 + int64(n(2))})
			slices.SortFunc(x.Tasks, func(a, b Share) int { return a.Node - b.Node })
		case 4:
			x.Head = n(nodes+1) - 1
		default:
			if i >= len(x.Tasks) {
				continue
			}
			switch n(4) {
			case 0:
				x.Tasks[i].Tasks++
			case 1:
				x.Tasks[i].Tasks--
			case 2:
				x.Tasks[i].Node += n(3) - 1
			case 3:
				x.Tasks = slices.Delete(x.Tasks, i, i+1)
			}
		}
	}
	return x
}
