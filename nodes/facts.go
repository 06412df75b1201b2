package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// facts are about the starts in one chunk, or in one block. A fact says that none of these starts serves tasks of some need
// for some time on some number of nodes at once. Then no start serves a greater need, a longer time or more
// nodes either.
//
//	fact       2 GPUs for 60 ticks: not on 3 nodes
//	request    4 GPUs for 90 ticks, on 5 nodes: the search passes the chunk and reads none of its rows
//
// A fact stays true when more is booked. It is dropped when something is given back in a time that its
// windows may touch.
type facts struct {
	owner cow.Owner
	next  int      // the fact to replace next, when there are maxFacts
	list  []uint64 // of each fact, side by side: the need, packed, then the ticks and the nodes
}

// maxFacts is the number of facts kept for a chunk or a block. To read more of them takes longer than they save.
const maxFacts = 32

// fact returns the need, the ticks and the number of nodes of fact i.
func (p *packing) fact(f *facts, i int) (need []uint64, d bookahead.Time, few int) {
	row := f.list[i*(p.words+2):]
	return row, bookahead.Time(row[p.words]), int(row[p.words+1])
}

// known returns how many facts there are.
func (p *packing) known(f *facts) int { return len(f.list) / (p.words + 2) }

// clone returns a copy that no machine may write to yet.
func (f *facts) clone() *facts {
	if f == nil {
		return nil
	}
	return &facts{next: f.next, list: slices.Clone(f.list)}
}

// denies reports whether a fact says that there is no start for a need, so many ticks and nodes.
func (p *packing) denies(f *facts, need []uint64, d bookahead.Time, few int) bool {
	return p.denial(f, need, d, few) != nil
}

// denial returns the fact that says so, with its ticks and nodes behind the need; nil if none does.
func (p *packing) denial(f *facts, need []uint64, d bookahead.Time, few int) []uint64 {
	if f == nil {
		return nil
	}
	for row := f.list; len(row) > 0; row = row[p.words+2:] {
		if p.covers(need, row) && row[p.words] <= uint64(d) && int(row[p.words+1]) <= few {
			return row
		}
	}
	return nil
}

// add adds a fact. The new fact replaces the first fact that follows from it. If no fact does and there is
// no room, it replaces the others in turn.
func (p *packing) add(f *facts, need []uint64, d bookahead.Time, few int) {
	i, n := 0, p.known(f)
	for ; i < n; i++ {
		oldNeed, oldD, oldFew := p.fact(f, i)
		if oldD >= d && oldFew >= few && p.covers(oldNeed, need) {
			break
		}
	}
	switch {
	case i < n:
	case n < maxFacts:
		f.list = append(f.list, make([]uint64, p.words+2)...)
	default:
		i = f.next
		f.next = (i + 1) % maxFacts
	}
	row := f.list[i*(p.words+2):]
	copy(row[:p.words], need)
	row[p.words], row[p.words+1] = uint64(d), uint64(few)
}

// proofs are the facts about the starts in stretches of time: in each chunk, or in each block.
type proofs struct {
	starts  []bookahead.Time // where the stretches begin
	facts   []*facts         // about each stretch; nil if nothing is known
	longest bookahead.Time   // the longest window of any fact so far
}

// at returns the stretch that contains t, or the first if t lies before it. O(log s) for s stretches.
func (p *proofs) at(t bookahead.Time) int {
	low, high := 1, len(p.starts)
	for low < high {
		mid := int(uint(low+high) / 2)
		if p.starts[mid] <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low - 1
}

// end returns where stretch i ends.
func (p *proofs) end(i int) bookahead.Time {
	if i+1 < len(p.starts) {
		return p.starts[i+1]
	}
	return bookahead.MaxTime
}

// insert makes a stretch i begin at t, with some facts.
func (p *proofs) insert(i int, t bookahead.Time, f *facts) {
	p.starts, p.facts = slices.Insert(p.starts, i, t), slices.Insert(p.facts, i, f)
}

// remove takes out stretches i to j, without j.
func (p *proofs) remove(i, j int) {
	p.starts, p.facts = slices.Delete(p.starts, i, j), slices.Delete(p.facts, i, j)
}

// clone returns a copy that shares the facts.
func (p *proofs) clone() proofs {
	return proofs{slices.Clone(p.starts), slices.Clone(p.facts), p.longest}
}

// ownFacts returns the facts about stretch i, or a copy if a clone shares them.
func (x *index) ownFacts(p *proofs, i int) *facts {
	f := p.facts[i]
	switch {
	case f == nil:
		f = &facts{owner: x.owner}
	case f.owner != x.owner:
		f = f.clone()
		f.owner = x.owner
	}
	p.facts[i] = f
	return f
}

// note adds a fact about stretch i, unless its windows are longer than eight stretches of average length. Such
// windows are rare, and after a fact about them every doubt would have to look back as far.
func (x *index) note(p *proofs, i int, need []uint64, d bookahead.Time, few int) {
	last := len(p.starts) - 1
	if d > 1 && int64(d) > 8*int64(p.starts[last]-p.starts[0])/int64(last+1) {
		return
	}
	x.packing.add(x.ownFacts(p, i), need, d, few)
	p.longest = max(p.longest, d)
}

// doubt drops the facts that may be wrong when more is free throughout w. O(c) for c chunks at worst.
func (x *index) doubt(w bookahead.Interval) {
	x.doubtIn(&x.proofs, w)
	x.doubtIn(&x.far, w)
}

// doubtIn drops all facts about stretches that w touches, and about earlier stretches the facts whose windows may
// reach w:
//
//	stretches  │  i        │           │        │
//	w                                   ├───┤
//	far                   └────────────┘           windows from i that are longer than far reach w
func (x *index) doubtIn(p *proofs, w bookahead.Interval) {
	for i := p.at(w.End - 1); i >= 0; i-- {
		far := w.Start - (p.end(i) - 1) // from the last tick of the stretch to w
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
