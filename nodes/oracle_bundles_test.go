package nodes

import (
	"maps"
	"slices"
)

// size returns the tasks of a bundle, 1 without bundles.
func (r Request) size() int64 { return max(1, r.Bundle) }

// cellOf is the group that no bundle of a request leaves: of Bundled, or of Within if that is finer. Without bundles, all nodes
// are in one.
func (o *oracle) cellOf(r Request, k int) int {
	if r.Bundle == 0 {
		return 0
	}
	for _, l := range o.c.Levels { // the finest comes first
		if l.Name == r.Bundled || l.Name == r.Within {
			return o.groupOf(l.Name, k)
		}
	}
	panic("no level")
}

// togetherOf is the group of a node for Together. A cell that is in no group counts as one.
func (o *oracle) togetherOf(r Request, k int) int {
	l, ok := o.level(r.Together)
	g := o.groupOf(r.Together, k)
	if !ok || g < len(l.Groups) || r.Bundle == 0 {
		return g
	}
	for j := range o.c.Nodes { // the lowest node of the cell
		if o.cellOf(r, j) == o.cellOf(r, k) {
			return o.groupOf(r.Together, j)
		}
	}
	panic("no node")
}

// whole is the tasks of the whole bundles for which nodes have room.
func (o *oracle) whole(r Request, rooms []room) (n int64) {
	sum := map[int]int64{}
	for _, x := range rooms {
		sum[x.cell] += x.fit
	}
	for _, fit := range sum {
		n += fit - fit%r.size()
	}
	return n
}

// stays are the tasks that stay in each cell. Bundle by bundle is kept in the cell that has the most of it, until no cell has
// room for a bundle and own tasks left.
func (o *oracle) stays(r Request, rooms []room) (stay map[int]int64, sum int64) {
	own, left, stay := map[int]int64{}, map[int]int64{}, map[int]int64{}
	for _, x := range rooms {
		own[x.cell] += min(x.own, x.fit)
		left[x.cell] += x.fit
	}
	for n := r.Tasks; n > 0; n -= r.size() {
		best, most := -1, int64(0)
		for _, c := range slices.Sorted(maps.Keys(own)) {
			gain := min(own[c], r.size())
			if left[c] >= r.size() && gain > most {
				best, most = c, gain
			}
		}
		if best < 0 {
			break
		}
		stay[best] += most
		own[best] -= most
		left[best] -= r.size()
		sum += most
	}
	return stay, sum
}

// inBundles gives n tasks to the nodes in whole bundles, and those that are due in each cell besides, one at a time.
func (o *oracle) inBundles(r Request, rooms []room, due map[int]int64, n int64) []int64 {
	got := make([]int64, len(rooms))
	next := func(may func(x room) bool) int { // the node of the next task
		best := -1
		for i, x := range rooms {
			if got[i] < x.fit && may(x) && (best < 0 || o.before(x, rooms[best], got[i], got[best])) {
				best = i
			}
		}
		return best
	}
	deal := func(c int, n int64) {
		for ; n > 0; n-- {
			got[next(func(x room) bool { return x.cell == c })]++
		}
	}
	left := map[int]int64{}
	for _, x := range rooms {
		left[x.cell] += x.fit
	}
	for c, d := range due {
		left[c] -= d
	}
	if o.deal == "spread" {
		bundles := map[int]int64{}
		for ; n > 0; n -= r.size() {
			best := -1
			for _, c := range slices.Sorted(maps.Keys(left)) {
				if left[c] >= r.size() && (best < 0 || bundles[c] < bundles[best]) {
					best = c
				}
			}
			bundles[best]++
			left[best] -= r.size()
		}
		for c := range left {
			deal(c, due[c]+bundles[c]*r.size())
		}
		return got
	}
	for c, d := range due {
		deal(c, d)
	}
	for ; n > 0; n -= r.size() {
		c := rooms[next(func(x room) bool { return left[x.cell] >= r.size() })].cell
		left[c] -= r.size()
		deal(c, r.size())
	}
	return got
}
