package profile

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/pool"
)

// Tree is a step function over time, in a B+ tree. Its first step begins at now or before. Steps
// in the past mean nothing.
//
// Tree does not check its arguments. Times lie between 0 and bookahead.MaxTime, first is not
// after last, and last + d not after the end. Durations and units of a search are 1 or more, and
// the units of a search fit into U. Free units lie between 0 and the most that U can hold, or, if
// more can be booked than there is, between a quarter of that most and its negative. Queries and
// Clones may run beside each other, but not beside a change.
type Tree[U Units] struct {
	root   *node[U]
	height int        // levels above the leaves
	owner  cow.Owner  // of the nodes that the tree may write to
	leaves []*node[U] // spare nodes
	inners []*node[U]
	Knobs
}

// Knobs are the numbers by which a tree was tuned. Tests turn them to reach the corners of small
// trees. BenchmarkBooking of package carts chose them, with a packed backlog and a horizon that
// is 95 % booked: 4 096 units, requests for any number of them, and 100 000 reservations.
type Knobs struct {
	// Width is the most entries of a node, from 8 to Fanout.
	Width int
	// Patience is how many gaps that are too short a search meets before it asks the index. With
	// 2 instead of 8 the booked horizon takes 5 to 15 % longer, and the backlog 14 % less. With
	// 32 the backlog takes 18 % longer.
	Patience int
	// Near is how many leaves must lie ahead of a search for the index to pay: each update keeps
	// up the bounds that are there. With 0, one leaf is enough. With 1 instead of 14 the booked
	// horizon takes 10 % longer or more. With 60, no change can be told from noise.
	Near int
	// Astray is how many leaves a search looks into before it makes bounds for exactly its number
	// of units. With 8 instead of 32 the backlog takes 38 % longer, and twice as long for one
	// search of a hundred. With 128, no change can be told from noise.
	Astray int
}

// Fanout is the most that Width can be.
const Fanout = fanout

// Usual are the Knobs for programs.
var Usual = Knobs{Width: fanout, Patience: 8, Near: 14, Astray: 32}

// New returns the profile with the given steps, of which there is at least one. O(v) for v steps.
func New[U Units](steps []pool.Step, k Knobs) *Tree[U] {
	p := &Tree[U]{Knobs: k}
	p.owner.Renew()
	level := p.leavesOf(steps)
	for len(level) > 1 {
		level = p.above(level)
		p.height++
	}
	p.root = level[0]
	return p
}

// leavesOf returns leaves with the steps, three quarters full.
func (p *Tree[U]) leavesOf(steps []pool.Step) []*node[U] {
	var level []*node[U]
	for _, n := range p.portions(len(steps)) {
		nd := p.newLeaf()
		nd.countFrom(steps[0].Start, 0)
		for i, s := range steps[:n] {
			nd.setStart(i, s.Start)
			nd.low[i] = U(s.Free)
		}
		nd.n, steps = n, steps[n:]
		level = append(level, nd)
	}
	return level
}

// above returns the nodes above a level, three quarters full.
func (p *Tree[U]) above(level []*node[U]) []*node[U] {
	var upper []*node[U]
	for _, n := range p.portions(len(level)) {
		nd := p.newInner()
		nd.countFrom(level[0].start(0), 0)
		for i, kid := range level[:n] {
			nd.kid[i] = kid
			nd.refresh(i, 0)
		}
		nd.n, level = n, level[n:]
		upper = append(upper, nd)
	}
	return upper
}

// portions divides n entries evenly among as few nodes as three quarters of the Width allow.
func (p *Tree[U]) portions(n int) []int {
	full := p.Width * 3 / 4
	parts := make([]int, (n+full-1)/full)
	each, more := n/len(parts), n%len(parts)
	for i := range parts {
		parts[i] = each
		if i < more {
			parts[i]++
		}
	}
	return parts
}

// Clone returns a copy that shares all nodes until either side writes to them. The spare nodes
// stay with p. Queries and other Clones may run beside it. O(1).
func (p *Tree[U]) Clone() *Tree[U] {
	p.owner.Share()
	return &Tree[U]{root: p.root, height: p.height, owner: p.owner, Knobs: p.Knobs}
}

// Search implements pool.Profile. O(log v) for each gap that it visits; it skips most gaps that
// are too short; O(v) at worst. It allocates nothing but bounds.
func (p *Tree[U]) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	var c cursor[U]
	return p.earliest(&c, first, last, d, U(n))
}

// Book implements pool.Booker. It takes a Search, and O(log v).
func (p *Tree[U]) Book(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	var c cursor[U]
	t, ok := p.earliest(&c, first, last, d, U(n))
	if ok {
		p.update(update[U]{Interval: bookahead.Interval{Start: t, End: t + d}, delta: -U(n), found: &c})
	}
	return t, ok
}

// Latest implements pool.Leaper. O(log v) for each gap on the way.
func (p *Tree[U]) Latest(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	return p.latest(first, last, d, U(n))
}

// Change implements pool.Profile. O(log v).
func (p *Tree[U]) Change(w bookahead.Interval, delta int64) {
	p.update(update[U]{Interval: w, delta: U(delta)})
}

// Least implements pool.Profile. O(log v).
func (p *Tree[U]) Least(w bookahead.Interval) int64 {
	root := spot[U]{nd: p.root, end: bookahead.MaxTime}
	return int64(least(root, w, p.freeAt(w.Start)))
}

// least returns the fewest free units in w below a node, or low if nothing below is fewer. The
// caller starts with the free units at the start of w, so that least enters an entry only if the
// entry has fewer units than were found so far.
//
// In the tree of the package comment, w = [20, 45) begins with 3 free units. Entry 0 has a low of
// 1, but the step with 1 lies before w, and least finds nothing below 3. Entry 30 has a low of 2:
// least enters it, as w ends before the entry does, and finds 2 in [30, 40). TestPicture has this
// tree.
//
// The last entry of a node may hold a step that starts at MaxTime, behind every window: there an
// extension until further notice ends. So least enters an entry that ends with the axis.
func least[U Units](s spot[U], w bookahead.Interval, low U) U {
	nd := s.nd
	for i := nd.entryAt(w.Start); i < nd.n && nd.start(i) < w.End; i++ {
		end := nd.end(i, s.end)
		switch {
		case nd.low[i]+s.acc >= low: // nothing below the entry is fewer
		case nd.inner == nil && end > w.Start, nd.start(i) >= w.Start && end <= w.End && end < bookahead.MaxTime:
			low = nd.low[i] + s.acc
		case nd.inner != nil:
			low = least(s.below(i), w, low)
		}
	}
	return low
}

// freeAt returns the free units at t.
func (p *Tree[U]) freeAt(t bookahead.Time) U {
	acc := U(0)
	for nd := p.root; ; {
		i := nd.entryAt(t)
		if nd.inner == nil {
			return nd.low[i] + acc
		}
		acc += nd.add[i]
		nd = nd.kid[i]
	}
}

// Until implements pool.Leaper. O(log v).
func (p *Tree[U]) Until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time {
	var c cursor[U]
	c.seek(p.root, t)
	if c.toBelow(U(n), limit) {
		return c.start()
	}
	return limit
}

// Steps implements pool.Profile. O(log v + k) for k steps.
func (p *Tree[U]) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		var c cursor[U]
		c.seek(p.root, t)
		for more := true; more; {
			more = yield(c.end(), int64(c.free())) && c.next()
		}
	}
}

// All returns all steps, those in the past too. O(v).
func (p *Tree[U]) All() []pool.Step {
	var steps []pool.Step
	start := p.root.start(0)
	for end, free := range p.Steps(start) {
		steps = append(steps, pool.Step{Start: start, Free: free})
		start = end
	}
	return steps
}

// Forget implements pool.Profile: it drops the leaves that end by now. O(log v), and O(1) for
// each leaf.
func (p *Tree[U]) Forget(now bookahead.Time) {
	p.owner.Renew()
	for nd := p.root; nd.inner != nil; nd = nd.kid[0] {
		if nd.n > 1 && nd.start(1) <= now {
			p.root = p.own(p.root)
			p.forgetBelow(p.root, 0, now)
			break
		}
	}
	p.lower()
}

// forgetBelow drops the leaves below a node that end by now. At least one leaf ends later. The
// leaf that contains now stays whole, so that its past steps are still there:
//
//	now = 35    root  0  30  60     entry 0 goes, with all leaves below it
//	            leaf     30  40     stays, and so does its step [30, 40)
func (p *Tree[U]) forgetBelow(nd *node[U], acc U, now bookahead.Time) {
	if nd.inner == nil {
		return
	}
	past := nd.entryAt(now)
	for _, kid := range nd.kid[:past] {
		p.recycleAll(kid)
	}
	nd.remove(0, past)
	nd.kid[0] = p.own(nd.kid[0])
	p.forgetBelow(nd.kid[0], acc+nd.add[0], now)
	if nd.kid[0].start(0) != nd.start(0) {
		nd.learnt().unlearn(0) // the entry begins later than its bounds say
	}
	nd.refresh(0, acc)
	nd.countFrom(nd.start(0), nd.n)
}
