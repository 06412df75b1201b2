package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// ownFacts returns the facts of chunk c, or a copy if a clone shares them.
func (x *index) ownFacts(c int) *facts {
	f := x.facts[c]
	switch {
	case f == nil:
		f = &facts{owner: x.owner}
	case f.owner != x.owner:
		other := *f
		other.owner, other.list = x.owner, slices.Clone(f.list)
		f = &other
	}
	x.facts[c] = f
	return f
}

// note adds a fact about chunk c, unless its windows are longer than eight chunks of average length. Such
// windows are rare, and after a fact about them every doubt would have to look back as far.
func (x *index) note(c int, need []uint64, d bookahead.Time, few int) {
	last := len(x.starts) - 1
	if d > 1 && int64(d) > 8*int64(x.starts[last]-x.starts[0])/int64(last+1) {
		return
	}
	x.packing.add(x.ownFacts(c), need, d, few)
	x.longest = max(x.longest, d)
}

// doubt drops the facts that may be wrong when more is free throughout w: all facts of chunks that w
// touches, and in earlier chunks the facts whose windows may reach w. O(c) for c chunks at worst.
//
//	chunks     │  c        │           │        │
//	w                                   ├───┤
//	far                   └────────────┘           windows from c that are longer than far reach w
func (x *index) doubt(w bookahead.Interval) {
	for c := x.chunkAt(w.End - 1); c >= 0; c-- {
		far := w.Start - (x.end(c) - 1) // from the last tick of c to w
		switch {
		case far >= x.longest:
			return
		case far < 1:
			x.facts[c] = nil
		case x.facts[c] != nil:
			x.forgetLonger(c, far)
		}
	}
}

// forgetLonger drops the facts of chunk c about windows of more than so many ticks, and keeps the others.
func (x *index) forgetLonger(c int, most bookahead.Time) {
	old := x.facts[c]
	x.facts[c] = nil
	for i := range x.known(old) {
		need, d, few := x.fact(old, i)
		if d <= most {
			x.packing.add(x.ownFacts(c), need, d, few)
		}
	}
}
