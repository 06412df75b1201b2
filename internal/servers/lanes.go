package servers

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// lanesOf returns the lanes that follow from the closures and reservations, from now on. A
// snapshot has no lanes, so Read needs them; Verify compares. O(n log n) for n servers of all
// closures and reservations together.
func (s *Servers) lanesOf(x *closed) map[int32]lane {
	counts := map[int32][]step{}
	for c := range x.list.All() {
		w := s.Ahead(c.Interval)
		for _, k := range c.Servers {
			if !c.Added {
				counts[int32(k)] = append(counts[int32(k)], step{w.Start, 1}, step{w.End, -1})
			}
		}
	}
	y := *x
	y.lanes = map[int32]lane{}
	for k, changes := range counts {
		y.lanes[k] = lane{cover: sum(changes)}
	}
	held := map[int32][]bookahead.Interval{}
	for _, b := range s.Booked.All(s.Now) {
		w := s.Ahead(b.Interval)
		if y.plain(b.Servers) {
			continue
		}
		for _, k := range b.Servers {
			held[k] = append(held[k], y.parts(k, w).gaps(w)...)
		}
	}
	for k, list := range held {
		if len(list) > 0 {
			y.lanes[k] = lane{y.lanes[k].cover, union(list)}
		}
	}
	return y.lanes
}

// sum returns the cover that changes of the count add up to.
func sum(changes []step) (c cover) {
	slices.SortFunc(changes, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	n := 0
	for i, s := range changes {
		n += s.n
		if i+1 < len(changes) && changes[i+1].at == s.at {
			continue
		}
		last := len(c) - 1
		if last < 0 && n != 0 || last >= 0 && c[last].n != n {
			c = append(c, step{s.at, n})
		}
	}
	return c
}

// union returns the set of the ticks in some intervals.
func union(list []bookahead.Interval) (x stretches) {
	slices.SortFunc(list, func(a, b bookahead.Interval) int { return cmp.Compare(a.Start, b.Start) })
	for _, w := range list {
		last := len(x) - 1
		if last >= 0 && w.Start <= x[last].End {
			x[last].End = max(x[last].End, w.End)
			continue
		}
		x = append(x, w)
	}
	return x
}
