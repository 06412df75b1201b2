package nodes

import (
	"math/big"
	"slices"

	"github.com/bookahead/bookahead"
)

// plan is a place for a request in one part, and the numbers by which the oracle compares places.
type plan struct {
	offer Offer
	rank  []int64 // the lower, the better
	kept  int64
	// groups is the number of groups for Together; 0 without.
	groups int64
}

// room is the tasks that a node can hold for a request.
type room struct {
	node, group int
	cell        int // of bundles
	free        Vector
	fit, own    int64
	share       *big.Rat // of BestFit
}

// at returns the place for a request that starts at t: the best of all parts and heads.
func (o *oracle) at(r Request, t bookahead.Time, own bookahead.ID, running bool) (Offer, bool) {
	return o.atIn(o.parts(r), r, t, own, running)
}

// patient is the place of a request whose earliest place is an offer: the first by its Patience that lies in one group,
// else the offer.
func (o *oracle) patient(r Request, early Offer, last bookahead.Time, own bookahead.ID) Offer {
	for t := early.Start; r.Patience > 0 && t <= last && t-early.Start <= bookahead.Time(r.Patience); t++ {
		offer, ok := o.atIn(o.oneGroup(r), r, t, own, false)
		if ok && own != 0 {
			return offer
		}
		if ok {
			offer, _ = o.at(r, t, own, false)
			return offer
		}
	}
	return early
}

// oneGroup are the parts of a request that lie in one group for Together each.
func (o *oracle) oneGroup(r Request) (list [][]int) {
	for _, part := range o.parts(r) {
		for g := range len(o.c.Nodes) * 2 {
			var nodes []int
			for _, k := range part {
				if o.togetherOf(r, k) == g {
					nodes = append(nodes, k)
				}
			}
			list = append(list, nodes)
		}
	}
	return list
}

// atIn is at for parts of the caller's.
func (o *oracle) atIn(parts [][]int, r Request, t bookahead.Time, own bookahead.ID, running bool) (Offer, bool) {
	w := bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
	old := o.live[own] // empty if there is none
	if own == 0 {
		old.Head = -1
	}
	var best *plan
	for _, part := range parts {
		p := o.inPart(r, w, part, old, running)
		if p != nil && (best == nil || p.kept > best.kept || p.kept == best.kept && p.groups < best.groups) {
			best = p
		}
	}
	if best == nil {
		return Offer{}, false
	}
	return best.offer, true
}

// inPart tries each node for the head.
func (o *oracle) inPart(r Request, w bookahead.Interval, part []int, old Reservation, running bool) *plan {
	var rooms []room
	for _, k := range part {
		v := o.leastFor(r, k, w, old)
		x := room{node: k, free: v, fit: r.fit(v), group: o.togetherOf(r, k), cell: o.cellOf(r, k)}
		for _, s := range old.Tasks {
			if s.Node == k {
				x.own = s.Tasks
			}
		}
		rooms = append(rooms, x)
	}
	if r.Head == nil {
		return o.withHead(r, w, rooms, -1, old, running)
	}
	var best *plan
	for i, x := range rooms {
		if running && old.Head >= 0 && x.node != old.Head {
			continue
		}
		p := o.withHead(r, w, rooms, i, old, running)
		if p != nil && (best == nil || slices.Compare(p.rank, best.rank) < 0) {
			best = p
		}
	}
	return best
}

// withHead places the head in a room, or nowhere if that is -1, and then the tasks.
func (o *oracle) withHead(r Request, w bookahead.Interval, rooms []room, i int, old Reservation, running bool) *plan {
	h, loss := -1, int64(0)
	if i >= 0 {
		v := slices.Clone(rooms[i].free)
		if !takeOff(v, r.Head) {
			return nil
		}
		h, loss = rooms[i].node, rooms[i].fit-r.fit(v)
		rooms = slices.Clone(rooms)
		rooms[i].fit -= loss
		rooms[i].free = v
	}
	if o.deal == "best" {
		rooms = slices.Clone(rooms)
		for i := range rooms {
			rooms[i].share = o.share(rooms[i])
		}
	}
	had := int64(0)
	_, kept := o.stays(r, rooms)
	for _, s := range old.Tasks {
		had += s.Tasks
	}
	if o.whole(r, rooms) < r.Tasks || running && kept < min(had, r.Tasks) {
		return nil
	}
	got := o.dealOut(r, rooms, h)
	p := &plan{offer: Offer{Interval: w, Head: h}}
	groups := map[int]bool{}
	for i, x := range rooms {
		if got[i] > 0 {
			p.offer.Tasks = append(p.offer.Tasks, Share{x.node, got[i]})
			p.kept += min(got[i], x.own)
		}
		if got[i] > 0 || x.node == h {
			groups[x.group] = true
		}
	}
	moved := int64(1)
	if h == old.Head {
		moved = 0
	}
	if r.Together != "" {
		p.groups = int64(len(groups))
	}
	p.rank = []int64{moved, -p.kept, p.groups, loss, int64(h)}
	return p
}

// groupOf returns the group of a node, and one of its own if it is in none.
func (o *oracle) groupOf(name string, k int) int {
	l, ok := o.level(name)
	if !ok {
		return 0
	}
	for g, group := range l.Groups {
		if slices.Contains(group, k) {
			return g
		}
	}
	return len(l.Groups) + k
}

// dealOut gives the tasks to the nodes, first the tasks that stay where they are.
func (o *oracle) dealOut(r Request, rooms []room, h int) []int64 {
	rooms = slices.Clone(rooms)
	stay, kept := o.stays(r, rooms)
	own := map[int]int64{}
	for _, x := range rooms {
		own[x.cell] += min(x.own, x.fit)
	}
	base := make([]int64, len(rooms))
	in := map[int]bool{} // the groups that are in it
	for i := range rooms {
		x := &rooms[i]
		if kept >= r.Tasks {
			x.fit = min(x.own, x.fit)
		} else if min(x.own, x.fit) > 0 && stay[x.cell] > 0 {
			in[x.group] = true
		}
		if x.node == h {
			in[x.group] = true
		}
	}
	if r.Together != "" {
		o.together(r, rooms, in)
	}
	n, due := r.Tasks, map[int]int64{}
	for i := range rooms {
		x := &rooms[i]
		switch {
		case kept >= r.Tasks:
		case stay[x.cell] == own[x.cell]: // all of its own tasks stay, and the last bundle of them is made whole
			base[i] = min(x.own, x.fit)
			x.fit -= base[i]
			due[x.cell] = (r.size() - own[x.cell]%r.size()) % r.size()
		default: // so many of them stay, and no other task comes
			x.fit = min(x.own, x.fit)
			due[x.cell] = stay[x.cell]
		}
		n -= base[i]
		if r.Together != "" && !in[x.group] {
			x.fit = 0
		}
	}
	for _, d := range due {
		n -= d
	}
	got := o.inBundles(r, rooms, due, n)
	if r.Bundle == 0 {
		got = o.byPolicy(rooms, n)
	}
	for i := range got {
		got[i] += base[i]
	}
	return got
}

// together adds groups, the largest first, until there is room for all tasks.
func (o *oracle) together(r Request, rooms []room, in map[int]bool) {
	for {
		size := map[int]int64{}
		var held []room
		for _, x := range rooms {
			if in[x.group] {
				held = append(held, x)
			} else if _, ok := size[x.group]; !ok {
				size[x.group] = o.whole(r, slices.DeleteFunc(slices.Clone(rooms), func(y room) bool { return y.group != x.group }))
			}
		}
		if o.whole(r, held) >= r.Tasks {
			return
		}
		best := -1
		for g := range len(o.c.Nodes) * 2 {
			if size[g] > 0 && (best < 0 || size[g] > size[best]) {
				best = g
			}
		}
		in[best] = true
	}
}

// byPolicy gives n tasks to the nodes, one at a time.
func (o *oracle) byPolicy(rooms []room, n int64) []int64 {
	got := make([]int64, len(rooms))
	for ; n > 0; n-- {
		best := -1
		for i, x := range rooms {
			if got[i] < x.fit && (best < 0 || o.before(x, rooms[best], got[i], got[best])) {
				best = i
			}
		}
		got[best]++
	}
	return got
}

// before reports whether the next task goes to a, which has a higher index, rather than to b.
func (o *oracle) before(a, b room, gotA, gotB int64) bool {
	switch o.deal {
	case "best":
		return a.share.Cmp(b.share) < 0
	case "fewest":
		return a.fit > b.fit
	case "spread":
		return gotA < gotB
	case "own":
		return highest(Candidate{Node: a.node, Free: a.free, Fit: a.fit}, Candidate{Node: b.node, Free: b.free, Fit: b.fit})
	}
	return false
}

// share is the exact sum of free/given over the resources.
func (o *oracle) share(x room) *big.Rat {
	sum := new(big.Rat)
	for r, given := range o.c.Nodes[x.node] {
		if given > 0 {
			sum.Add(sum, big.NewRat(x.free[r], given))
		}
	}
	return sum
}

// highest is an order of the caller's own: the most of the first resource, and the least fit.
func highest(a, b Candidate) bool {
	if a.Free[0] != b.Free[0] {
		return a.Free[0] > b.Free[0]
	}
	return a.Fit < b.Fit
}
