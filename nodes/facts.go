package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// facts are about the starts in one chunk. A fact says that no start in the chunk serves tasks of some need
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

// maxFacts is the number of facts kept for a chunk. To read more of them takes longer than they save.
const maxFacts = 32

// fact returns the need, the ticks and the number of nodes of fact i.
func (p *packing) fact(f *facts, i int) (need []uint64, d bookahead.Time, few int) {
	row := f.list[i*(p.words+2):]
	return row, bookahead.Time(row[p.words]), int(row[p.words+1])
}

// known returns how many facts there are.
func (p *packing) known(f *facts) int { return len(f.list) / (p.words + 2) }

// denies reports whether a fact says that a query has no start in the chunk.
func (p *packing) denies(f *facts, q *query) bool {
	if f == nil {
		return false
	}
	for row := f.list; len(row) > 0; row = row[p.words+2:] {
		if p.covers(q.need[:], row) && row[p.words] <= uint64(q.d) && int(row[p.words+1]) <= q.few {
			return true
		}
	}
	return false
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

// zone is a stretch in which a search found no start. No request that asks for at least as much has a
// start in the zone: a request for as many tasks or more, with as much for each task or more, for as long
// or longer, and with no more tasks on a node.
//
//	zone         3 tasks of 2 GPUs for 60 ticks have no start in [100, 900)
//	request      5 tasks of 4 GPUs for 90 ticks, ready at 120: the search begins at 900
//	given back   [500, 550): windows that start after 440 and before 550 touch this time, and may
//	             serve now, so that [100, 441) is left of the zone
//
// A zone stays true when more is booked.
type zone struct {
	first, end bookahead.Time // of the starts
	d          bookahead.Time
	tasks      int64
	perNode    int64
	within     *level
	need       [MaxResources]uint64
}

// zones are the known zones, in no order. Only writers learn zones, because a query must not write.
type zones struct{ list []zone }

// maxZones is the number of zones that are kept. To read more of them takes longer than they save.
const maxZones = 512

// holds reports whether a query has no start in a zone.
func (z *zone) holds(q *query, p *packing) bool {
	return z.d <= q.d && z.tasks <= q.tasks && z.perNode >= q.perNode &&
		(z.within == nil || z.within == q.within) && p.covers(q.need[:], z.need[:])
}

// of appends the zones that hold for a query and end after t. The latest end comes first, so that the first
// zone that contains a start gives the longest leap. A zone that lies in another is left out. O(z log z)
// for z zones.
func (z *zones) of(q *query, p *packing, t bookahead.Time, into []bookahead.Interval) []bookahead.Interval {
	for i := range z.list {
		x := &z.list[i]
		if x.end > t && x.holds(q, p) {
			into = append(into, bookahead.Interval{Start: x.first, End: x.end})
		}
	}
	slices.SortFunc(into, func(a, b bookahead.Interval) int {
		return cmp.Or(cmp.Compare(b.End, a.End), cmp.Compare(a.Start, b.Start))
	})
	kept := into[:0]
	for _, w := range into {
		if len(kept) == 0 || w.Start < kept[len(kept)-1].Start {
			kept = append(kept, w)
		}
	}
	return kept
}

// learn notes that a query has no start in a stretch. If there are too many zones, the new zone replaces
// the zone that is over first. O(z) for z zones.
func (z *zones) learn(q *query, first, end bookahead.Time) {
	if q.head != nil || q.narrow || q.old != nil { // a larger request may have more nodes, and so a start
		return
	}
	x := zone{first, end, q.d, q.tasks, q.perNode, q.within, q.need}
	if len(z.list) < maxZones {
		z.list = append(z.list, x)
		return
	}
	soonest := 0
	for i := range z.list {
		if z.list[i].end < z.list[soonest].end {
			soonest = i
		}
	}
	z.list[soonest] = x
}

// cut notes that more is free throughout w. Windows that touch w may serve now, and their starts are cut
// out of each zone. If the zone falls in two, the part before is kept, or the part behind if the part
// before is over or empty. O(z) for z zones.
func (z *zones) cut(w bookahead.Interval, now bookahead.Time) {
	for i := 0; i < len(z.list); {
		x := &z.list[i]
		if w.Start-x.d < x.end-1 && w.End > x.first { // windows from the zone touch w
			before := w.Start - x.d + 1
			if before > max(x.first, now) {
				x.end = before
			} else {
				x.first = w.End
			}
		}
		if max(x.first, now) < x.end {
			i++
			continue
		}
		last := len(z.list) - 1
		*x = z.list[last]
		z.list = z.list[:last]
	}
}
