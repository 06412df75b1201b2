package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// zone is a stretch in which a search found no start. No other request that asks for at least as much has
// one there: for as many tasks or more, no more of them on a node, each of which needs as much, for
// as long.
//
//	zone         3 tasks of 2 GPUs for 60 ticks have no start in [100, 900)
//	request      5 tasks of 4 GPUs for 90 ticks, ready at 120: the search begins at 900
//	given back   [500, 550): starts after 440 and before 550 may do now, so [100, 441) is left
//
// Zones stay true when more is booked.
type zone struct {
	first, end bookahead.Time // of the starts
	d          bookahead.Time
	tasks      int64
	perNode    int64
	within     *level
	need       [MaxResources]uint64
}

// zones are those that are known, in no order. Only writers learn zones: a query leaves nothing behind.
type zones struct{ list []zone }

// maxZones is how many zones are kept. More of them take longer to read than they save.
const maxZones = 512

// holds reports whether a query has no start in a zone.
func (z *zone) holds(q *query, p *packing) bool {
	return z.d <= q.d && z.tasks <= q.tasks && z.perNode >= q.perNode &&
		(z.within == nil || z.within == q.within) && p.covers(q.need[:], z.need[:])
}

// of appends the zones that hold for a query and end behind a time. They come by end, the latest first. A
// zone that lies in another is left out, so that each begins before the one that comes before it.
// O(z log z) for z zones.
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

// learn notes that a query has no start in a stretch. When there are too many zones, it replaces the first
// to be over.
// O(z) for z zones.
func (z *zones) learn(q *query, first, end bookahead.Time) {
	if q.head != nil || q.narrow || q.old != nil { // another request may find a place where this does not
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

// cut notes that more is free throughout w, so that the starts whose windows reach w may be starts now. A
// zone that falls in two keeps the part before them, or, if that part is over or empty, the part
// behind. O(z) for z zones.
func (z *zones) cut(w bookahead.Interval, now bookahead.Time) {
	for i := 0; i < len(z.list); {
		x := &z.list[i]
		if w.Start-x.d < x.end-1 && w.End > x.first { // some starts may do now
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
