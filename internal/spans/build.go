package spans

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/radix"
)

// Gather returns the index of some spans in the order of ID, and changes their order. No two have
// the same key. O(n) for each digit of radix.Sort.
func Gather(byID []Span) Index {
	radix.Sort(byID, func(s *Span) bookahead.Time { return s.Start })
	return Build(byID)
}

// Build returns the index of some spans in the order of Start, then of ID. No two have the same
// key. O(n): for a million spans it takes 20 ns for each, where Add takes 500 ns.
func Build(sorted []Span) Index { return build(sorted, fanout) }

func build(sorted []Span, width int) Index {
	x := Index{n: len(sorted), width: width}
	if len(sorted) == 0 {
		return x
	}
	x.owner.Renew()
	level := x.leavesOf(sorted)
	for len(level) > 1 {
		level = x.above(level)
	}
	x.root = level[0]
	_, x.soonest = x.root.extremes()
	return x
}

// leavesOf returns leaves with the spans.
func (x *Index) leavesOf(spans []Span) []*node {
	var level []*node
	for _, n := range x.portions(len(spans)) {
		nd := x.newLeaf()
		for i, s := range spans[:n] {
			nd.start[i], nd.end[i], nd.id[i] = s.Start, s.End, s.ID
		}
		nd.n, spans = n, spans[n:]
		level = append(level, nd)
	}
	return level
}

// above returns the nodes above a level.
func (x *Index) above(level []*node) []*node {
	var upper []*node
	for _, n := range x.portions(len(level)) {
		nd := x.newInner()
		nd.n = copy(nd.kid[:], level[:n])
		for i := range n {
			nd.refresh(i)
		}
		level = level[n:]
		upper = append(upper, nd)
	}
	return upper
}

// portions divides n entries evenly among nodes, which are three quarters full at most, so that
// there is room for more entries.
func (x *Index) portions(n int) []int {
	parts := make([]int, (n+x.few()-1)/x.few())
	each, more := n/len(parts), n%len(parts)
	for i := range parts {
		parts[i] = each
		if i < more {
			parts[i]++
		}
	}
	return parts
}
