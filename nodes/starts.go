package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// turn is a start from which a node begins (+1) or ceases (-1) to be free for the whole time.
type turn struct {
	at bookahead.Time
	by int
}

// start returns the first start of a task on a node, from a to b. It leaves a hint, with the gap before
// this start and the time until which the node is free after the gap, so that no step is read twice.
func (s *search) start(k int, a, b bookahead.Time) (bookahead.Time, bool) {
	if s.sure[k/64]>>(k%64)&1 > 0 {
		return a, true
	}
	// The hint of this search may say that no start lies before from, and that the node is free from there
	// until known:
	//
	//	hint        ├─ gap ─┤──── free ────┤
	//	a             │     from           known      only the steps behind known are read
	h := &s.hints[k]
	from, known, at := a, a, 0
	if h.epoch == s.epoch {
		at = int(h.step)
		if h.End > a {
			s.short = max(s.short, h.Start-a)
			from = h.End
			if from > b {
				return from, false
			}
		}
		known = max(from, h.free)
		if known-from >= s.d {
			return from, true
		}
	}
	g, ok := s.on(s.nodes, k).first(at, from, known, b, s.d, s.need[:])
	s.short = max(s.short, g.short)
	*h = hint{g.Interval, g.free, int32(g.step), s.epoch}
	return g.End, ok
}

// one returns the first start of a task on any node of a part, from a to b.
func (s *search) one(p part, a, b bookahead.Time) (best bookahead.Time, found bool) {
	if p.count(s.sure) > 0 {
		return a, true
	}
	for k := range s.inTurn(p, a) {
		t, ok := s.start(k, a, b)
		if !ok {
			continue
		}
		if t == a {
			return a, true
		}
		best, found, b = t, true, t-1
	}
	return best, found
}

// several returns the first time from a to b at which all tasks can start, each on a node of its own. Most
// calls need only the first start of each node: they end when enough nodes start at a, or when too few
// nodes have a start at all. For the others, all turns of the nodes are counted:
//
//	starts of node 0    ├───┤        ├────
//	starts of node 1          ├───────────
//	turns               +1  -1+1     +1           the first time for 2 tasks is the last turn
func (s *search) several(p part, a, b bookahead.Time) (bookahead.Time, bool) {
	want := int(min(s.tasks, int64(len(s.nodes))+1))
	if p.count(s.sure) >= want {
		return a, true
	}
	now, later, left := 0, 0, p.count(s.able)
	for k := range s.inTurn(p, a) {
		t, ok := s.start(k, a, b)
		left--
		switch {
		case ok && t == a:
			now++
			if now == want {
				return a, true
			}
		case ok:
			later++
		case now+later+left < want: // the nodes that are left cannot make enough
			s.found += now + later + left
			return 0, false
		}
	}
	s.found, s.short = want-1, s.d-1 // enough nodes have starts, but perhaps never want of them at once
	s.turns = s.turns[:0]
	for k := range p.in(s.able) {
		steps := s.on(s.nodes, k)
		t, ok := s.start(k, a, b)
		known := t
		h := &s.hints[k]
		if h.epoch == s.epoch && h.End <= t {
			known = max(known, h.free)
		}
		for ok {
			s.turns = append(s.turns, turn{t, 1})
			known = steps.lasts(known, b+s.d, s.need[:])
			t = known - s.d + 1
			if t > b {
				break
			}
			s.turns = append(s.turns, turn{t, -1})
			var g gap
			g, ok = steps.first(0, t, known, b, s.d, s.need[:])
			t, known = g.End, g.free
		}
	}
	slices.SortFunc(s.turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.at, b.at), a.by-b.by) })
	n := 0
	for _, x := range s.turns {
		n += x.by
		if n == want {
			return x.at, true
		}
	}
	return 0, false
}
