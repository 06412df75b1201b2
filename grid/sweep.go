package grid

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// sweep adds up stretches that may overlap: missing units, and closed servers that are held. Stretches
// of one server do not overlap.
//
//	2 units       ├───────────────┤
//	server 3           ├───────────────┤
//	sum           │ 2  │ 2, 3     │ 3  │
type sweep []edge

// edge is the begin or the end of a stretch.
type edge struct {
	at     bookahead.Time
	ends   bool
	units  int64
	server int // -1 if there is none
}

// units adds a stretch in which units are missing.
func (s *sweep) units(w bookahead.Interval, units int64) {
	*s = append(*s, edge{w.Start, false, units, -1}, edge{w.End, true, -units, -1})
}

// server adds a stretch in which a closed server is held.
func (s *sweep) server(w bookahead.Interval, server int) {
	*s = append(*s, edge{w.Start, false, 0, server}, edge{w.End, true, 0, server})
}

// list returns the stretches in which neither the missing units nor the servers change, by start. The
// Units of a stretch are the greater of its missing units and the number of its servers. Without names,
// its Servers are nil.
func (s sweep) list(names bool) (list []bookahead.Overbooking) {
	slices.SortFunc(s, func(a, b edge) int {
		c := cmp.Compare(a.at, b.at)
		switch {
		case c != 0:
			return c
		case a.ends != b.ends && a.ends:
			return -1
		case a.ends != b.ends:
			return 1
		}
		return cmp.Compare(a.server, b.server)
	})
	units, held := int64(0), []int{}
	for i, e := range s {
		place, found := slices.BinarySearch(held, e.server)
		switch {
		case e.server < 0:
			units += e.units
		case found:
			held = slices.Delete(held, place, place+1)
		default:
			held = slices.Insert(held, place, e.server)
		}
		missing := max(units, int64(len(held)))
		if missing == 0 || s[i+1].at == e.at { // missing > 0: an end comes later, so i is not the last
			continue
		}
		o := bookahead.Overbooking{Interval: bookahead.Interval{Start: e.at, End: s[i+1].at}, Units: missing}
		if names {
			o.Servers = slices.Clone(held)
		}
		last := len(list) - 1
		if last >= 0 && list[last].End == o.Start && list[last].Units == o.Units && slices.Equal(list[last].Servers, o.Servers) {
			list[last].End = o.End
			continue
		}
		list = append(list, o)
	}
	return list
}
