package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// facts are what searches have found out about the starts in a chunk: that there is none for a task
// that needs so much for so long, on so many nodes at once. Then there is none for more, or for
// longer, or on more nodes.
//
//	fact       2 GPUs for 60 ticks: not on 3 nodes
//	request    4 GPUs for 90 ticks, on 5 nodes: the chunk is passed without a look at its rows
//
// What is booked leaves facts true. They go when something is given back that a window with a start in
// the chunk may touch.
type facts struct {
	owner cow.Owner
	n     int // that are known
	next  int // the one to be replaced, when all places are taken
	d     [maxFacts]bookahead.Time
	few   [maxFacts]int
	needs []uint64 // packed
}

// maxFacts is how many facts are known of a chunk. More of them take longer to read than they save.
const maxFacts = 32

// deny reports whether the facts say that a query has no start.
func (f *facts) deny(q *query, p *packing) bool {
	if f == nil {
		return false
	}
	for i := range f.n {
		if f.d[i] <= q.d && f.few[i] <= q.few && p.covers(q.need[:], f.needs[i*p.words:]) {
			return true
		}
	}
	return false
}

// add adds a fact, and takes the place of one that follows from it, if there is such.
func (f *facts) add(p *packing, need []uint64, d bookahead.Time, few int) {
	i := 0
	for i < f.n && !(f.d[i] >= d && f.few[i] >= few && p.covers(f.needs[i*p.words:], need)) {
		i++
	}
	switch {
	case i < f.n:
	case f.n < maxFacts:
		f.n++
		f.needs = append(f.needs, need[:p.words]...)
	default:
		i = f.next
		f.next = (i + 1) % maxFacts
	}
	f.d[i], f.few[i] = d, few
	copy(f.needs[i*p.words:], need[:p.words])
}

// ownFacts returns the facts of chunk c, or a copy if a clone shares them.
func (x *index) ownFacts(c int) *facts {
	f := x.facts[c]
	switch {
	case f == nil:
		f = &facts{owner: x.owner}
	case f.owner != x.owner:
		other := *f
		other.owner, other.needs = x.owner, slices.Clone(f.needs)
		f = &other
	}
	x.facts[c] = f
	return f
}

// note adds a fact about chunk c, if it is about windows of a few chunks. Longer ones are rare, and
// each doubt would have to look as far back as the longest.
func (x *index) note(c int, need []uint64, d bookahead.Time, few int) {
	last := len(x.starts) - 1
	if d > 1 && int64(d) > 8*int64(x.starts[last]-x.starts[0])/int64(last+1) {
		return
	}
	x.ownFacts(c).add(x.packing, need, d, few)
	x.longest = max(x.longest, d)
}

// doubt drops the facts that may not be true any more when more is free throughout w.
func (x *index) doubt(w bookahead.Interval) {
	for c := x.chunkAt(w.End - 1); c >= 0; c-- {
		far := w.Start - (x.end(c) - 1) // no window that is shorter reaches w
		switch {
		case far >= x.longest:
			return
		case x.facts[c] == nil:
		case far < 1:
			x.facts[c] = nil
		case slices.Max(x.facts[c].d[:x.facts[c].n]) > far:
			x.keepFacts(c, far)
		}
	}
}

// keepFacts drops the facts of chunk c about windows that are longer than some.
func (x *index) keepFacts(c int, most bookahead.Time) {
	f := x.ownFacts(c)
	n := 0
	for i := range f.n {
		if f.d[i] <= most {
			f.d[n], f.few[n] = f.d[i], f.few[i]
			copy(f.needs[n*x.words:], f.needs[i*x.words:][:x.words])
			n++
		}
	}
	f.n, f.next, f.needs = n, 0, f.needs[:n*x.words]
	if n == 0 {
		x.facts[c] = nil
	}
}
