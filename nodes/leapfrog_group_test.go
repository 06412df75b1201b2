package nodes

import "github.com/bookahead/bookahead"

// poolGroup looks for the earliest start that n of its nodes have in common. It keeps n of them in a
// ring: those whose next starts are the earliest. No start before the latest of these will do,
// so that is t, from which the others are asked, one after the other. Here 3 nodes of 5 are wanted:
//
//	          a   b   c      others
//	starts    0  10  30      40 d, 70 e      t = 30
//	ask a     50                             later than d, and changes places with it
//	          40  10  30     50 a, 70 e      t = 40
//	ask b         45                         not later than a: it stays
//	          40  45  30     50 a, 70 e      t = 45
//	ask c             45                     it agrees with b on 45
//	ask d     45                             so does d: 45 is the start
//
// A node whose start is t or later is not asked again.
//
// Before that, all nodes have to be asked for their first start. They stand in, one after the other,
// for the first nodes of the ring that have no start at once, so if n nodes are free at once, no
// others are asked. And they are asked only for starts up to the n-th earliest that has been seen,
// for no later one will be among the n earliest. A node that has none up to there is put among the
// others with a bound instead of a start.
type poolGroup struct {
	t      bookahead.Time
	ring   []int32      // n nodes
	next   int          // the one to be asked
	agreed int          // how many before it are known to have a start at t
	others poolOpenings // a heap, once all nodes have been asked

	rest []int // the nodes that have not been asked, and are not in the ring
	// early has the earliest starts behind t, negated: as many as the ring has room for besides the
	// groups that have agreed. From then on it is a heap, and the first is the latest start.
	early poolOpenings
}

// begin starts a search for n nodes from t on.
func (g *poolGroup) begin(nodes []int, n int, t bookahead.Time) {
	g.t, g.next, g.agreed, g.rest = t, 0, 0, nodes[n:]
	g.ring, g.others, g.early = g.ring[:0], g.others[:0], g.early[:0]
	for _, k := range nodes[:n] {
		g.ring = append(g.ring, int32(k))
	}
}

// leap reports whether n nodes agree on a start up to limit, which is t then. If not, t lies behind
// limit, and no start before it will do.
func (g *poolGroup) leap(l *leapfrog, limit bookahead.Time) bool {
	for g.t <= limit {
		switch {
		case g.agreed == len(g.ring):
			return true
		case len(g.rest) > 0:
			g.meet(l)
		default:
			g.ask(l)
		}
	}
	return false
}

// meet asks a node for the first time, while there are others that can stand in for it.
func (g *poolGroup) meet(l *leapfrog) {
	room := len(g.ring) - g.agreed
	last := l.last
	if len(g.early) == room {
		last = min(last, -g.early[0].at)
	}
	k := g.ring[g.next]
	at := l.first(k, g.t, last)
	if at == g.t {
		g.agreed++
		g.next++
		g.narrow()
		return
	}
	switch {
	case at == noOpening && last < l.last:
		g.others = append(g.others, poolOpening{at: last + 1, who: k, bound: true})
	case len(g.early) == room:
		g.others = append(g.others, poolOpening{at: at, who: k})
		g.early[0].at = -at
		g.early.sink(0)
	default:
		g.others = append(g.others, poolOpening{at: at, who: k})
		g.early = append(g.early, poolOpening{at: -at})
		if len(g.early) == room {
			g.early.order()
		}
	}
	g.ring[g.next] = int32(g.rest[0])
	g.rest = g.rest[1:]
	if len(g.rest) == 0 {
		g.others.order()
	}
}

// narrow drops the latest of the early starts, if there is no more room for it in the ring.
func (g *poolGroup) narrow() {
	room, n := len(g.ring)-g.agreed, len(g.early)
	switch {
	case n > room:
		g.early[0] = g.early[n-1]
		g.early = g.early[:n-1]
		if room > 0 {
			g.early.sink(0)
		}
	case n == room:
		g.early.order()
	}
}

// ask asks the next node of the ring for its first start from t on.
func (g *poolGroup) ask(l *leapfrog) {
	k := g.ring[g.next]
	at := l.first(k, g.t, l.last)
	switch {
	case at == g.t:
		g.agreed++
	case len(g.others) == 0 || at <= g.others[0].at:
		g.t, g.agreed = at, 1
	default:
		other := g.others[0]
		g.others[0] = poolOpening{at: at, who: k}
		g.others.sink(0)
		g.ring[g.next] = other.who
		if other.at > g.t {
			g.t, g.agreed = other.at, 0
		}
		if other.bound {
			return // it is asked next
		}
		g.agreed++
	}
	g.next++
	if g.next == len(g.ring) {
		g.next = 0
	}
}

// poolOpenings are a heap: the earliest comes first.
type poolOpenings []poolOpening

// order makes a heap of a list.
func (list poolOpenings) order() {
	for i := len(list)/2 - 1; i >= 0; i-- {
		list.sink(i)
	}
}

// sink moves an opening down to its place in a heap.
func (list poolOpenings) sink(i int) {
	x := list[i]
	for child := 2*i + 1; child < len(list); child = 2*i + 1 {
		if child+1 < len(list) && list[child+1].at < list[child].at {
			child++
		}
		if list[child].at >= x.at {
			break
		}
		list[i] = list[child]
		i = child
	}
	list[i] = x
}
