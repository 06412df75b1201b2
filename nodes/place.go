package nodes

import (
	"cmp"
	"slices"
	"sort"

	"github.com/bookahead/bookahead"
)

// place returns the booking of a query that starts at t, on nodes that are able. The choice is made in this
// order:
//
//  1. The part (Within): the part in which most tasks of a Rebook stay where they are, then where the tasks
//     lie in the fewest groups (Together), then the lowest.
//  2. The head: where it is already, if this is a Rebook; then where most tasks stay; then where the tasks
//     lie in the fewest groups (Together); then where it leaves room for the most tasks; then the lowest
//     node.
//  3. The groups (Together): groups in which tasks stay or the head lies, then groups with room for the
//     most tasks, then the lowest.
//  4. The nodes: nodes on which tasks stay, then by the policy. With bundles, a group gets whole bundles (dealBundles).
//
// The error is bookahead.ErrUnavailable. A running reservation gets it if a task or the head would have to move, and a swap if
// the tasks that move find no room.
func (s *search) place(p Policy, t bookahead.Time) (*booking, error) {
	w := bookahead.Interval{Start: t, End: t + s.d}
	if s.head == nil && s.together == nil && s.old == nil && !s.exclusive && s.bundled == nil { // then few nodes need a look
		switch p.name {
		case lowestIndex:
			return s.lowest(w), nil
		case bestFit:
			return s.tightest(w), nil
		}
	}
	ahead := bookahead.Interval{Start: max(w.Start, s.now), End: w.End}
	var best *choice
	for _, part := range s.parts {
		c := s.choose(p, s.seatsOf(p, ahead, part))
		if c == nil || best != nil && !c.before(best) {
			continue
		}
		best = c
		if s.old == nil && c.groups <= 1 {
			break // no later part is better
		}
	}
	if best == nil {
		return nil, bookahead.ErrUnavailable
	}
	b := &booking{Interval: w, shares: best.shares, head: best.head, each: slices.Clone(s.each), headTakes: slices.Clone(s.head), exclusive: s.exclusive}
	return b, nil
}

// lowest returns the booking on the lowest nodes of the first part that has room. It looks at no more nodes
// than it needs.
func (s *search) lowest(w bookahead.Interval) *booking {
	b := &booking{Interval: w, head: -1, each: slices.Clone(s.each)}
	s.free = slices.Grow(s.free[:0], s.wide)[:s.wide]
	for _, p := range s.parts {
		b.shares = slices.Grow(b.shares[:0], int(min(s.tasks, int64(p.count(s.able)))))
		left := s.tasks
		for k := range p.in(s.able) {
			n := min(left, s.room(k, w))
			if n == 0 {
				continue
			}
			b.shares = append(b.shares, Share{k, n})
			left -= n
			if left == 0 {
				return b
			}
		}
	}
	return nil // only if no part has room
}

// room returns how many tasks a node has room for throughout w. For most nodes, the search has left the
// answer: the node is sure, or w meets the node's hint.
func (s *search) room(k int, w bookahead.Interval) int64 {
	h := &s.hints[k]
	if s.perNode == 1 && w.Start == s.from && s.sure[k/64]>>(k%64)&1 > 0 {
		return 1
	}
	if h.epoch == s.epoch {
		switch {
		case h.End > w.Start:
			return 0
		case h.free >= w.End && s.perNode == 1:
			return 1
		}
	}
	s.on(s.nodes, k).least(w, s.free)
	return s.fit(s.free)
}

// seatsOf returns the nodes of a part that have room for anything throughout w.
func (s *search) seatsOf(by Policy, w bookahead.Interval, p part) []seat {
	free := make(Vector, s.wide)
	var list []seat
	for k := range p.in(s.able) {
		s.leastOn(s.nodes, k, w, free)
		x := seat{Candidate: Candidate{Node: k, Given: s.layout.given[k], Fit: s.fit(free)}, beside: -1}
		if s.head != nil {
			x.beside = s.beside(free)
		}
		if x.Fit == 0 && x.beside < 0 {
			continue
		}
		if by.order != nil {
			x.Free = slices.Clone(free)
		}
		if s.old != nil {
			x.own = s.old.tasks(k)
		}
		if s.together != nil {
			x.group = s.group(k)
		}
		list = append(list, x)
	}
	return list
}

// choice is a place in one part.
type choice struct {
	shares []Share
	head   int
	kept   int64 // the tasks that stay where they are
	groups int   // in which the place lies (Together); 0 if nobody asks
}

// before reports whether a choice is better than one in an earlier part.
func (c *choice) before(d *choice) bool {
	return c.kept > d.kept || c.kept == d.kept && c.groups < d.groups
}

// choose returns the place in one part, given its seats; nil if there is no place. A Rebook keeps as many tasks
// as it can on their nodes (stay):
//
//	own tasks that fit    2  1  0
//	Rebook for 5 tasks    2  1  0     all of these stay, and the policy deals 2 more
//	Rebook for 2 tasks    2  1  0     is all that the policy may deal, so that none moves
func (q *query) choose(p Policy, seats []seat) *choice {
	c := &choice{head: -1}
	x := q.stockOf(seats)
	group := -1
	if q.head != nil {
		h := q.chooseHead(seats, x)
		if h < 0 {
			return nil
		}
		with := seats[h].withHead()
		x.change(&seats[h], &with)
		c.head, group, seats[h] = with.Node, with.group, with
		for r := range seats[h].Free { // which is nil if the policy does not ask
			seats[h].Free[r] -= q.head[r]
		}
	}
	y := x.stay()
	c.kept = y.tasks
	if x.room < q.tasks || !q.keepsEnough(c.kept) {
		return nil
	}
	in := q.gather(x, y, group)
	c.groups = count(in)
	rest := q.tasks
	cells, due := make([]int, len(seats)), make([]int64, len(x.cells))
	stays := make([]bool, len(x.cells)) // all of its own tasks stay in a cell
	for i := range x.cells {
		own, dealt := y.due(x, i)
		rest -= own + dealt
		due[i], stays[i] = dealt, !y.alone && own == x.cells[i].own
	}
	list := make([]Candidate, len(seats))
	base := make([]int64, len(seats)) // the tasks that stay, if all that can stay are too few
	for i, s := range seats {
		list[i], cells[i] = s.Candidate, s.cell
		switch {
		case stays[s.cell]:
			base[i] = s.kept()
			list[i].Fit -= base[i]
		default:
			list[i].Fit = s.kept()
		}
		if in != nil && !in[s.group] {
			list[i].Fit = 0
		}
	}
	for i, n := range q.deal(p, list, cells, due, rest) {
		n += base[i]
		if n > 0 {
			c.shares = append(c.shares, Share{list[i].Node, n})
		}
	}
	return c
}

// deal gives n tasks to the candidates by a policy, and those that are due in each cell.
func (q *query) deal(p Policy, list []Candidate, cells []int, due []int64, n int64) []int64 {
	if q.bundled == nil { // nothing is due
		return p.deal(list, n)
	}
	return p.dealBundles(list, cells, due, q.bundle, n)
}

// keepsEnough reports whether so many kept tasks are enough: a running reservation must keep all tasks that
// it has, or as many as it asks for if it gives tasks up.
func (q *query) keepsEnough(kept int64) bool {
	if !q.running {
		return true
	}
	had := int64(0)
	for _, s := range q.old.shares {
		had += s.Tasks
	}
	return kept >= min(q.tasks, had)
}

// chooseHead returns the seat of the head; -1 if no seat will do. A seat will do if all tasks have room when the
// head lies there, and if a running reservation keeps its head and enough tasks. The best of these seats has
// the lowest rank: is the head new here, minus the tasks that stay, the number of groups, the tasks that lose
// their room to the head.
func (q *query) chooseHead(seats []seat, x *stock) int {
	was := -1
	if q.old != nil {
		was = q.old.head
	}
	rooms := q.roomsOf(x)
	all := x.room
	best := -1
	var bestRank [4]int64
	for i := range seats {
		s, with := &seats[i], seats[i].withHead()
		if s.beside < 0 || q.running && was >= 0 && s.Node != was {
			continue
		}
		x.change(s, &with)
		y := x.stay()
		if x.room >= q.tasks && q.keepsEnough(y.tasks) {
			rank := [4]int64{1, -y.tasks, 0, s.Fit - with.Fit}
			if s.Node == was {
				rank[0] = 0
			}
			switch {
			case q.together == nil:
			case q.old == nil:
				rank[2] = rooms.groups(q.tasks, s.group, x.room-all)
			default: // groups in which tasks stay are in, however many others there are
				rank[2] = int64(count(q.gather(x, y, s.group)))
			}
			if best < 0 || slices.Compare(rank[:], bestRank[:]) < 0 {
				best, bestRank = i, rank
			}
		}
		x.change(&with, s)
	}
	return best
}

// rooms is the room of all groups, the largest first:
//
//	group     2  0  1  3        9 tasks with the head in group 1, where it takes the place of 2
//	room      7  5  3  2        1 task beside the head, and 8 in groups 2 and 0: 3 groups
//	before    0  7 12 15 17
type rooms struct {
	of     []int64 // by group
	place  []int   // of each group in order of size
	before []int64 // the room of all larger groups, and at last of all
}

// roomsOf returns the room of the groups for Together; nothing if there is no such wish, or for a Rebook. O(c + g log g) for c
// cells in g groups.
func (q *query) roomsOf(s *stock) (x rooms) {
	if q.together == nil || q.old != nil {
		return x
	}
	x.of, x.place, x.before = make([]int64, q.together.count), make([]int, q.together.count), []int64{0}
	order := make([]int, q.together.count)
	for _, c := range s.cells {
		x.of[c.group] += q.whole(c.room)
	}
	for g := range order {
		order[g] = g
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.of[b], x.of[a]) })
	for i, g := range order {
		x.place[g] = i
		x.before = append(x.before, x.before[i]+x.of[g])
	}
	return x
}

// groups returns the fewest groups that hold some tasks, with the group of the head as one of them, whose room the head changes
// by so many tasks. O(log g) for g groups.
func (x *rooms) groups(tasks int64, head int, by int64) int64 {
	need := tasks - (x.of[head] + by)
	others := sort.Search(len(x.of)-1, func(n int) bool { // the n largest of the others are enough
		if n > x.place[head] {
			return x.before[n+1]-x.of[head] >= need
		}
		return x.before[n] >= need
	})
	return 1 + int64(others)
}

// gather returns the groups in which a place lies, nil for all groups. head is the group of the head; -1 if
// there is none. Groups in which tasks stay, or the head lies, are in. Then the groups with the most room are
// added, until there is room for all tasks:
//
//	room of groups     3  5  2  1      8 tasks, and the head lies in group 3
//	in                 x  x     x      1 task fits beside the head, then 5, then 2 of 3
func (q *query) gather(x *stock, y stay, head int) []bool {
	if q.together == nil {
		return nil
	}
	in := make([]bool, q.together.count)
	room := make([]int64, q.together.count)
	for i, c := range x.cells {
		switch {
		case y.alone:
			room[c.group] += q.whole(c.own)
		default:
			room[c.group] += q.whole(c.room)
			in[c.group] = in[c.group] || y.in(x, i)
		}
	}
	if head >= 0 {
		in[head] = true
	}
	need := q.tasks
	var others []int
	for g, n := range room {
		if in[g] {
			need -= n
		} else {
			others = append(others, g)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(room[b], room[a]) })
	for _, g := range others {
		if need <= 0 {
			break
		}
		in[g] = true
		need -= room[g]
	}
	return in
}

// count returns how many groups are in.
func count(in []bool) (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}
