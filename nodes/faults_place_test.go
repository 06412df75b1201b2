package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// A start is too late, too early, or not free.
var startFaults = []fault{
	{name: "start a tick late", open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		r.Ready = offer.Start + 1
		later, failed := o.search(r, 0)
		if err != nil || failed != nil {
			return offer, err
		}
		return later, nil
	})},
	{name: "start a tick before the ready time", open: asks(func(r Request) Request {
		r.Ready--
		return r
	})},
	{name: "last tick not looked at", open: places(func(o *oracle, r Request) (Offer, error) {
		short := r
		short.Duration = max(1, r.Duration-1)
		offer, err := o.search(short, 0)
		if err == nil && offer.Start+bookahead.Time(r.Duration) <= o.end() {
			offer.End = offer.Start + bookahead.Time(r.Duration)
			return offer, nil
		}
		return o.search(r, 0)
	})},
	{name: "deadline off by one", open: asks(func(r Request) Request {
		if r.Deadline > 0 && r.Deadline < bookahead.MaxTime {
			r.Deadline++
		}
		return r
	})},
	{name: "horizon off by one", open: func(c Config, deal string) (booker, error) {
		if c.Horizon > 1 {
			c.Horizon--
		}
		return newReal(c, deal)
	}},
	{name: "only the start is looked at", open: places(func(o *oracle, r Request) (Offer, error) {
		short := r
		short.Duration = 1
		offer, err := o.search(short, 0)
		if err == nil && offer.Start+bookahead.Time(r.Duration) <= o.end() {
			offer.End = offer.Start + bookahead.Time(r.Duration)
			return offer, nil
		}
		return o.search(r, 0)
	})},
}

// A node gets tasks that it must not have, or too many.
var nodeFaults = []fault{
	{name: "first of Except used", open: asks(func(r Request) Request {
		if len(r.Except) > 0 {
			r.Except = r.Except[1:]
		}
		return r
	})},
	{name: "PerNode ignored beside a head", open: asks(func(r Request) Request {
		if r.Head != nil && r.PerNode > 0 {
			r.PerNode = 0
		}
		return r
	})},
	{name: "PerNode ignored in a group", open: asks(func(r Request) Request {
		if r.Within != "" && r.PerNode > 0 {
			r.PerNode = 0
		}
		return r
	})},
	{name: "Set ignored where nodes are named", open: asks(func(r Request) Request {
		_, known := map[string]bool{"few": true, "some": true}[r.Set]
		if r.Nodes != nil && known {
			r.Set = ""
		}
		return r
	})},
	{name: "Within crosses a rack", open: asks(func(r Request) Request {
		if r.Within == "rack" && r.Together == "" {
			r.Within = "row"
		}
		return r
	})},
	{name: "Within uses nodes of no group", open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		if err != bookahead.ErrUnavailable || r.Within == "" {
			return offer, err
		}
		level, _ := o.level(r.Within)
		r.Within = ""
		r.Except = append(slices.Concat(level.Groups...), r.Except...)
		slices.Sort(r.Except)
		r.Except = slices.Compact(r.Except)
		return o.search(r, 0)
	})},
	{name: "Together takes a group more", open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		if err != nil || r.Together == "" || offer.Head >= 0 {
			return offer, err
		}
		one := r
		one.Tasks, one.Ready, one.Deadline, one.Together = 1, offer.Start, offer.End, ""
		level, _ := o.level(r.Together)
		for _, s := range offer.Tasks {
			one.Except = append(slices.Clone(one.Except), s.Node)
			g := o.groupOf(r.Together, s.Node)
			if g < len(level.Groups) {
				one.Except = append(one.Except, level.Groups[g]...)
			}
		}
		slices.Sort(one.Except)
		one.Except = slices.Compact(one.Except)
		other, failed := o.search(one, 0)
		last := len(offer.Tasks) - 1
		if failed != nil {
			return offer, nil
		}
		offer.Tasks[last].Tasks--
		if offer.Tasks[last].Tasks == 0 {
			offer.Tasks = offer.Tasks[:last]
		}
		offer.Tasks = append(offer.Tasks, other.Tasks[0])
		slices.SortFunc(offer.Tasks, func(a, b Share) int { return a.Node - b.Node })
		return offer, nil
	})},
	{name: "Exclusive ignored for tasks that share a node", open: places(func(o *oracle, r Request) (Offer, error) {
		if r.PerNode != 1 {
			r.Exclusive = false
		}
		return o.search(r, 0)
	})},
	{name: "Bundles ignored", open: places(func(o *oracle, r Request) (Offer, error) {
		if o.valid(r) {
			r.Bundle, r.Bundled = 0, ""
		}
		return o.search(r, 0)
	})},
	{name: "Bundles of rows in the place of racks", open: places(func(o *oracle, r Request) (Offer, error) {
		if r.Bundled == "rack" && o.valid(r) && r.Together != "rack" {
			r.Bundled = "row"
		}
		return o.search(r, 0)
	})},
	{name: "Patience of a tick less", open: places(func(o *oracle, r Request) (Offer, error) {
		r.Patience = max(0, r.Patience-1)
		return o.search(r, 0)
	})},
	{name: "Together ignored beside Within", open: places(func(o *oracle, r Request) (Offer, error) {
		if r.Within == "row" && r.Together == "rack" {
			r.Together = ""
		}
		return o.search(r, 0)
	})},
	{name: "head on a node that is ruled out", open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		if err != nil || r.Head == nil || len(r.Except) == 0 {
			return offer, err
		}
		_, failed := o.search(Request{Ready: offer.Start, Deadline: offer.End, Duration: r.Duration, Tasks: 1, Each: r.Head, Nodes: r.Except[:1]}, 0)
		if failed == nil {
			offer.Head = r.Except[0]
		}
		return offer, nil
	})},
	{name: "head counts as a task of its node", open: places(func(o *oracle, r Request) (Offer, error) {
		offer, err := o.search(r, 0)
		if err == nil && r.PerNode > 0 && offer.Head >= 0 {
			for _, s := range offer.Tasks {
				if s.Node == offer.Head && s.Tasks == r.PerNode {
					r.Ready = offer.Start + 1
					return o.search(r, 0)
				}
			}
		}
		return offer, err
	})},
	{name: "nodes are all like the first", open: func(c Config, deal string) (booker, error) {
		c.Nodes = slices.Repeat(c.Nodes[:1], len(c.Nodes))
		return newReal(c, deal)
	}},
	{name: "last resource does not matter", open: asks(func(r Request) Request {
		last := len(r.Each) - 1
		if last > 0 && slices.Min(r.Each) >= 0 && slices.Max(r.Each[:last]) > 0 {
			r.Each = append(slices.Clone(r.Each[:last]), 0)
		}
		return r
	})},
}

// orders replaces the order of a policy.
func orders(deal string, order func(a, b Candidate) int) maker {
	return func(c Config, of string) (booker, error) {
		if of == deal {
			c.Policy = Own(func(a, b Candidate) bool { return order(a, b) < 0 })
		}
		return newReal(c, of)
	}
}

// The nodes are right, but not those of the policy.
var policyFaults = []fault{
	{name: "best fit with ties to the highest", open: orders("best", func(a, b Candidate) int {
		return cmp.Or(fuller(a, b), cmp.Compare(b.Node, a.Node))
	})},
	{name: "best fit of amounts", open: orders("best", func(a, b Candidate) int { return cmp.Compare(a.Free[0], b.Free[0]) })},
	{name: "fewest nodes with ties to the highest", open: orders("fewest", func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Fit, a.Fit), cmp.Compare(b.Node, a.Node))
	})},
	{name: "lowest index with the fullest last", open: orders("lowest", func(a, b Candidate) int { return cmp.Compare(b.Fit, a.Fit) })},
	{name: "the caller's order with ties to the highest", open: orders("own", func(a, b Candidate) int {
		switch {
		case highest(a, b):
			return -1
		case highest(b, a):
			return 1
		}
		return b.Node - a.Node
	})},
	{name: "spread fills up", open: func(c Config, deal string) (booker, error) {
		if deal == "spread" {
			c.Policy = LowestIndex()
		}
		return newReal(c, deal)
	}},
}
