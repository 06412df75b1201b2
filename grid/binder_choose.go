package grid

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// choose adds free servers for w to a list, until the list has n servers or no more are free.
// Among servers that stay open throughout w, those that close soonest afterwards come first, so
// that the others are left for longer reservations. With w = [0, 5):
//
//	server 0   ··········   3rd: never closes
//	server 1   ·······░░░   2nd: closes at 7
//	server 2   ···░░░····   5th: closes at 3
//	server 3   ·····░░···   1st: closes at 5
//	server 4   ····░░░░░░   4th: closes at 4
//
// Of servers that close at the same time, the lowest comes first. If no server closes, O(n) servers
// are looked at. Otherwise it takes O(c log c) for c servers that have closures or were added for a
// time, and a look at the free servers that are closed already.
func (b *Binder) choose(list []int, n int, w bookahead.Interval) []int {
	if b.closed == nil {
		return b.lowest(list, n, func(int) bool { return true })
	}
	behind, within := b.closing(w)
	take := func(servers []int) { list = append(list, servers[:min(len(servers), n-len(list))]...) }
	take(behind)
	list = b.lowest(list, n, func(k int) bool { return b.closed.shutFrom(k, w.Start) == bookahead.MaxTime })
	take(within)
	return b.lowest(list, n, func(k int) bool { return b.closed.shutFrom(k, w.Start) == w.Start })
}

// lowest adds free servers for which of returns true to a list, the lowest first, until the list
// has n servers.
func (b *Binder) lowest(list []int, n int, of func(int) bool) []int {
	for k := range b.free.lowest {
		if len(list) >= n {
			break
		}
		if of(k) {
			list = append(list, k)
		}
	}
	return list
}

// closing returns the free servers that are open when w starts and close later: behind are the
// servers that close after w, the soonest first, and within are the servers that close in w, the
// latest first. Ties go to the lowest server.
func (b *Binder) closing(w bookahead.Interval) (behind, within []int) {
	x := b.closed
	at := map[int]bookahead.Time{}
	add := func(k int) {
		t := x.shutFrom(k, w.Start)
		if b.free.has(k) && w.Start < t && t < bookahead.MaxTime {
			at[k] = t
		}
	}
	for k := range x.named {
		add(k)
	}
	for _, e := range x.extras {
		for k := e.first; k < e.behind && e.Contains(w.Start) && e.End < bookahead.MaxTime; k++ {
			add(k)
		}
	}
	for k, t := range at {
		if t < w.End {
			within = append(within, k)
		} else {
			behind = append(behind, k)
		}
	}
	slices.SortFunc(behind, func(i, j int) int { return cmp.Or(cmp.Compare(at[i], at[j]), cmp.Compare(i, j)) })
	slices.SortFunc(within, func(i, j int) int { return cmp.Or(cmp.Compare(at[j], at[i]), cmp.Compare(i, j)) })
	return behind, within
}

// preferred returns n servers of a list, or all if there are fewer: first servers that stay open
// throughout w, then servers that close latest. Ties go to the lowest server.
func (b *Binder) preferred(list []int, n int, w bookahead.Interval) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	if b.closed != nil {
		until := map[int]bookahead.Time{}
		for _, k := range list {
			until[k] = min(b.closed.shutFrom(k, w.Start), w.End)
		}
		slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(until[j], until[i]) })
	}
	return list[:min(n, len(list))]
}
