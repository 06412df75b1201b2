package nodes

import "slices"

// The tasks of a request with bundles lie in groups in whole bundles, so that a group has room for a number of bundles,
// rounded down. Groups are those of Bundled, or those for Within if these are finer. Three racks, and bundles of 4 tasks of a
// GPU:
//
//	free GPUs    3 2      1 1 1    8 1
//	tasks        5        3        9
//	bundles      1        0        2         8 tasks, or 12, have room, and 16 have none

// total adds up the tasks for which nodes have room, in whole bundles.
type total struct {
	tasks int64
	cells []int64 // with bundles: the room of each of their groups
}

// addRoom adds room on a node for so many tasks.
func (q *query) addRoom(t *total, k int, by int64) {
	if q.bundled == nil {
		t.tasks += by
		return
	}
	t.tasks = q.after(t, k, by)
	t.cells[q.bundled.of[k]] += by
}

// after returns the tasks of a total as they are when a node has room for so many more.
func (q *query) after(t *total, k int, by int64) int64 {
	if q.bundled == nil {
		return t.tasks + by
	}
	room := t.cells[q.bundled.of[k]]
	return t.tasks - q.whole(room) + q.whole(room+by)
}

// dealBundles gives n tasks to the candidates in whole bundles, and returns the tasks of each. A cell gets due tasks in any case,
// which are not among the n. The policy deals one task after the other: it begins a bundle only where the whole bundle has
// room, and until the bundle is complete it chooses among the nodes of this cell. Spread deals the bundles evenly to the
// cells, and then the tasks of each cell evenly to its nodes.
//
//	room       3 2      1 1 1     4        8 tasks in bundles of 4, by the lowest index
//	tasks      3 1      - - -     4
func (p Policy) dealBundles(list []Candidate, cells []int, due []int64, size, n int64) []int64 {
	get := slices.Clone(due)
	left := make([]int64, len(due)) // the room of each cell, less what it gets
	for i, c := range list {
		left[cells[i]] += c.Fit
	}
	for i, d := range due {
		left[i] -= d
	}
	got := make([]int64, len(list))
	if p.even {
		groups := make([]Candidate, len(due))
		for i := range groups {
			groups[i].Fit = left[i] / size
		}
		more := make([]int64, len(due))
		dealEvenly(groups, n/size, more)
		of := make([][]int, len(due))
		for i, c := range cells {
			of[c] = append(of[c], i)
		}
		for c, members := range of {
			part, some := make([]Candidate, len(members)), make([]int64, len(members))
			for j, i := range members {
				part[j] = list[i]
			}
			dealEvenly(part, get[c]+more[c]*size, some)
			for j, i := range members {
				got[i] = some[j]
			}
		}
		return got
	}
	rank := p.rank(list)
	before := make([]int64, len(due)) // the room of the nodes of each cell so far
	for _, i := range rank {
		c := cells[i]
		before[c] += list[i].Fit
		rest := before[c] - get[c] // the room of this node that no bundle takes so far
		if rest <= 0 {
			continue
		}
		begin := min((rest-1)/size+1, left[c]/size, n/size) * size // bundles that begin on this node
		get[c] += begin
		left[c] -= begin
		n -= begin
	}
	for _, i := range rank {
		got[i] = min(get[cells[i]], list[i].Fit)
		get[cells[i]] -= got[i]
	}
	return got
}
