package plan_test

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// The oracle has an array with a cell for each tick. Histories are so short that all places lie below this tick.
const ticks = 640

// The kinds of schedules of the oracle.
const (
	pool = iota
	servers
	machine
)

// cells is a schedule, tick by tick. A pool is a node that has its units, and servers are nodes of one unit.
type cells struct {
	name    string
	kind    int
	given   [][]int64 // of each node, by resource
	racks   [][]int
	shut    []bookahead.Closure
	horizon bookahead.Time // so many ticks ahead can be booked; 0 for all
	now     bookahead.Time
	used    [][ticks]int32 // of each node and resource, and also closed units of a pool
	closed  [][ticks]bool  // of each node
	busy    bookahead.Time // from this tick on nothing was ever booked or closed
	all     [][]int        // all nodes, in a group
	least   []int64        // for among, of each node and resource
}

// empty returns the schedule with its closures, and with nothing booked.
func (s *cells) empty(now bookahead.Time) *cells {
	c := *s
	c.now = now
	c.used = make([][ticks]int32, len(s.given)*len(s.given[0]))
	c.closed = make([][ticks]bool, len(s.given))
	c.all, c.least = [][]int{nil}, make([]int64, len(c.used))
	for k := range s.given {
		c.all[0] = append(c.all[0], k)
	}
	for _, x := range s.shut {
		c.busy = max(c.busy, min(ticks, x.End))
		for t := max(0, x.Start); t < min(ticks, x.End); t++ {
			if s.kind == pool {
				c.used[0][t] += int32(x.Units)
			}
			for _, k := range x.Servers {
				c.closed[k][t] = true
			}
		}
	}
	return &c
}

// spot is the place of a part.
type spot struct {
	part       *chunk
	start, end bookahead.Time
	shares     []nodes.Share
	head       int
}

// chunk is a part as the oracle sees it: tasks on nodes.
type chunk struct {
	on           int
	units        int64
	each, head   []int64
	perNode      int64
	allowed      func(node int) bool
	rack         bool
	alone        bool // nobody else has a node of it
	length, wait bookahead.Time
	bends        *plan.Part // of a part that bends, with its Duration in steps of the resolution
}

// free returns the amount of a resource that is free on a node at a tick.
func (s *cells) free(node, resource int, t bookahead.Time) int64 {
	if s.closed[node][t] {
		return 0
	}
	return max(0, s.given[node][resource]-int64(s.used[node*len(s.given[0])+resource][t]))
}

// book adds the amounts of a place, or takes them off if the sign is -1.
func (s *cells) book(x spot, sign int32) {
	s.busy = max(s.busy, x.end)
	r := len(s.given[0])
	add := func(node int, v []int64, times int64) {
		for i, n := range v {
			for t := max(0, x.start); t < min(ticks, x.end); t++ {
				s.used[node*r+i][t] += sign * int32(n*times)
			}
		}
	}
	for _, y := range x.shares {
		if !x.part.alone {
			add(y.Node, x.part.each, y.Tasks)
		} else if y.Node != x.head {
			add(y.Node, s.given[y.Node], 1)
		}
	}
	switch {
	case x.head >= 0 && x.part.alone:
		add(x.head, s.given[x.head], 1)
	case x.head >= 0:
		add(x.head, x.part.head, 1)
	}
}

// bookable reports whether the times can be booked.
func (s *cells) bookable(start, end bookahead.Time) bool {
	return start >= s.now && end <= ticks && (s.horizon == 0 || end <= s.now+s.horizon)
}

// has reports whether a place is free to the letter.
func (s *cells) has(x spot) bool {
	if !s.bookable(x.start, x.end) {
		return false
	}
	for k := range s.given {
		whole := x.part.alone && (x.head == k || slices.ContainsFunc(x.shares, func(y nodes.Share) bool { return y.Node == k }))
		for r := range s.given[k] {
			want := int64(0)
			for _, y := range x.shares {
				if y.Node == k {
					want += y.Tasks * x.part.each[r]
				}
			}
			if x.head == k {
				want += x.part.head[r]
			}
			if whole {
				want = s.given[k][r]
			}
			for t := x.start; t < x.end && want > 0; t++ {
				if s.free(k, r, t) < want {
					return false
				}
			}
		}
	}
	return true
}

// at returns the place of a part that starts at a tick.
func (s *cells) at(p *chunk, start bookahead.Time) (spot, bool) {
	if !s.bookable(start, start+p.length) {
		return spot{}, false
	}
	groups := s.all
	if p.rack {
		groups = s.racks
	}
	for _, g := range groups {
		x, ok := s.among(p, g, start)
		if ok {
			return x, true
		}
	}
	return spot{}, false
}

// among returns the place of a part on some nodes: the lowest are filled first.
func (s *cells) among(p *chunk, group []int, start bookahead.Time) (spot, bool) {
	x := spot{part: p, start: start, end: start + p.length, head: -1}
	var list [8]int
	var least [8][]int64
	n := 0
	for _, k := range group {
		if p.allowed != nil && !p.allowed(k) {
			continue
		}
		resources := len(s.given[k])
		v := s.least[k*resources : (k+1)*resources]
		for r := range v {
			v[r] = s.given[k][r]
			for t := x.start; t < x.end; t++ {
				v[r] = min(v[r], s.free(k, r, t))
			}
		}
		if p.alone && !slices.Equal(v, s.given[k]) {
			continue
		}
		list[n], least[n] = k, v
		n++
	}
	if p.head != nil {
		best, loss := -1, int64(0)
		for i := range list[:n] {
			rest := slices.Clone(least[i])
			fits := true
			for r, n := range p.head {
				rest[r] -= n
				fits = fits && (n == 0 || rest[r] >= 0)
			}
			if l := p.fit(least[i]) - p.fit(rest); fits && (best < 0 || l < loss) {
				best, loss = i, l
			}
		}
		if best < 0 {
			return spot{}, false
		}
		x.head = list[best]
		for r, n := range p.head {
			least[best][r] -= n
		}
	}
	room := int64(0)
	for i := range list[:n] {
		room += p.fit(least[i])
	}
	if room < p.units {
		return spot{}, false
	}
	left := p.units
	for i, k := range list[:n] {
		if n := min(left, p.fit(least[i])); n > 0 {
			x.shares = append(x.shares, nodes.Share{Node: k, Tasks: n})
			left -= n
		}
	}
	return x, true
}

// fit returns how many tasks fit into the free amounts of a node.
func (p *chunk) fit(free []int64) int64 {
	n := int64(1 << 40)
	for r, each := range p.each {
		if each > 0 {
			n = min(n, max(0, free[r])/each)
		}
	}
	if p.perNode > 0 {
		n = min(n, p.perNode)
	}
	return n
}

// place returns the place as a queue writes it.
func (x spot) place(s *cells) plan.Place {
	p := plan.Place{On: s.name, Interval: bookahead.Interval{Start: x.start, End: x.end}, Units: x.part.units, Head: -1}
	switch s.kind {
	case servers:
		for _, y := range x.shares {
			p.Servers = append(p.Servers, y.Node)
		}
	case machine:
		p.Nodes, p.Head = x.shares, x.head
	}
	return p
}

// touches reports whether two places on one schedule share a tick, and a node unless they lie on a pool.
func (x spot) touches(s *cells, y spot) bool {
	if max(x.start, y.start) >= min(x.end, y.end) {
		return false
	}
	return s.kind == pool || slices.ContainsFunc(x.nodes(), func(k int) bool { return slices.Contains(y.nodes(), k) })
}

func (x spot) nodes() (list []int) {
	for _, y := range x.shares {
		list = append(list, y.Node)
	}
	if x.head >= 0 {
		list = append(list, x.head)
	}
	return list
}

// cluster is all schedules.
type cluster []*cells

// book books the parts of a place, or takes them off.
func (c cluster) book(list []spot, sign int32) {
	for _, x := range list {
		c[x.part.on].book(x, sign)
	}
}

// has books a place to the letter, if all of its parts are free.
func (c cluster) take(list []spot) bool {
	for i, x := range list {
		if !c[x.part.on].has(x) {
			c.book(list[:i], -1)
			return false
		}
		c[x.part.on].book(x, 1)
	}
	return true
}

// at returns the place of a shape that starts at a tick.
func (c cluster) at(shape []*chunk, start bookahead.Time) (list []spot, ok bool) {
	if shape[0].bends != nil {
		list = c[shape[0].on].bend(shape[0], start)
		return list, list != nil && list[0].start == start
	}
	ok = true
	for _, p := range shape {
		var x spot
		x, ok = c[p.on].at(p, start+p.wait)
		if !ok {
			break
		}
		c[p.on].book(x, 1) // so that the next part on the pool sees it
		list = append(list, x)
	}
	c.book(list, -1)
	return list, ok
}

// earliest returns the first place of a shape from a tick on; nil if there is none. Once nothing is booked or closed any more,
// one tick is like another.
func (c cluster) earliest(shape []*chunk, from bookahead.Time) []spot {
	if shape[0].bends != nil {
		return c[shape[0].on].bend(shape[0], from)
	}
	last := from
	for _, s := range c {
		last = max(last, s.busy)
	}
	for t := from; t <= last && t < ticks; t++ {
		list, ok := c.at(shape, t)
		if ok {
			return list
		}
	}
	return nil
}

// length returns the time from the start of a shape to the end of its last part.
func length(shape []*chunk) (d bookahead.Time) {
	for _, p := range shape {
		d = max(d, p.wait+p.length)
	}
	return d
}
