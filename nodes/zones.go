package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

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
	demand
}

// demand is as much of a query as zones compare. A query for chosen nodes, with a head, for whole nodes, for bundles or
// of a Rebook learns no zone, because a larger request may have more nodes, and so a start.
type demand struct {
	d       bookahead.Time
	tasks   int64
	perNode int64
	within  *level
	need    [MaxResources]uint64
}

// zones are the known zones, in no order. Only writers learn zones, because a query must not write.
type zones struct{ list []zone }

// maxZones is the number of zones that are kept. To read more of them takes longer than they save.
const maxZones = 512

// holds reports whether a query has no start in a zone.
func (z *zone) holds(q *demand, p *packing) bool {
	return z.d <= q.d && z.tasks <= q.tasks && z.perNode >= q.perNode &&
		(z.within == nil || z.within == q.within) && p.covers(q.need[:], z.need[:])
}

// of appends the zones that hold for a query and end after t. The latest end comes first, so that the first
// zone that contains a start gives the longest leap. A zone that lies in another is left out. O(z log z)
// for z zones.
func (z *zones) of(q *demand, p *packing, t bookahead.Time, into []bookahead.Interval) []bookahead.Interval {
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
func (z *zones) learn(q demand, first, end bookahead.Time) {
	x := zone{first, end, q}
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
