package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// proofs are the facts about the starts in stretches of time: in each chunk, or in each block. Where the stretches
// begin is kept beside them.
type proofs struct {
	facts   []*facts       // about each stretch; nil if nothing is known
	longest bookahead.Time // the longest window of any fact so far
}

// ownFacts returns the facts about stretch i, or a copy if a clone shares them.
func (x *index) ownFacts(p *proofs, i int) *facts {
	f := p.facts[i]
	switch {
	case f == nil:
		f = &facts{owner: x.owner}
	case f.owner != x.owner:
		other := *f
		other.owner, other.list = x.owner, slices.Clone(f.list)
		f = &other
	}
	p.facts[i] = f
	return f
}

// note adds a fact about stretch i, unless its windows are longer than eight stretches of average length. Such
// windows are rare, and after a fact about them every doubt would have to look back as far.
func (x *index) note(p *proofs, starts []bookahead.Time, i int, need []uint64, d bookahead.Time, few int) {
	last := len(starts) - 1
	if d > 1 && int64(d) > 8*int64(starts[last]-starts[0])/int64(last+1) {
		return
	}
	x.packing.add(x.ownFacts(p, i), need, d, few)
	p.longest = max(p.longest, d)
}

// doubt drops the facts that may be wrong when more is free throughout w. O(c) for c chunks at worst.
func (x *index) doubt(w bookahead.Interval) {
	x.doubtIn(&x.near, x.starts, w)
	x.doubtIn(&x.far, x.blocks, w)
}

// doubtIn drops all facts about stretches that w touches, and about earlier stretches the facts whose windows may
// reach w:
//
//	stretches  │  i        │           │        │
//	w                                   ├───┤
//	far                   └────────────┘           windows from i that are longer than far reach w
func (x *index) doubtIn(p *proofs, starts []bookahead.Time, w bookahead.Interval) {
	for i := stretchAt(starts, w.End-1); i >= 0; i-- {
		far := w.Start - (endOf(starts, i) - 1) // from the last tick of the stretch to w
		switch {
		case far >= p.longest:
			return
		case far < 1:
			p.facts[i] = nil
		case p.facts[i] != nil:
			x.forgetLonger(p, i, far)
		}
	}
}

// forgetLonger drops the facts about stretch i with windows of more than so many ticks, and keeps the others.
func (x *index) forgetLonger(p *proofs, i int, most bookahead.Time) {
	kept := 0
	for j := range x.known(p.facts[i]) {
		_, d, _ := x.fact(p.facts[i], j)
		if d <= most {
			kept++
		}
	}
	switch kept {
	case 0:
		p.facts[i] = nil
	case x.known(p.facts[i]):
	default:
		f := x.ownFacts(p, i)
		list := f.list
		f.next, f.list = 0, f.list[:0]
		for ; len(list) > 0; list = list[x.words+2:] {
			if list[x.words] <= uint64(most) {
				f.list = append(f.list, list[:x.words+2]...)
			}
		}
	}
}
