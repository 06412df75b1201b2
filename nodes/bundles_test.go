package nodes

import (
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// threeRacks is a machine whose nodes have so many free GPUs until 10, and 8 each from then on:
//
//	rack       0      1        2
//	node       0 1    2 3 4    5 6
//	free       3 2    1 1 1    8 1
func threeRacks(t *testing.T, p Policy) *Machine {
	m, err := New(Config{
		Horizon: 1000, Resources: []string{"gpus"}, Nodes: slices.Repeat([]Vector{{8}}, 7), Policy: p,
		Levels: []Level{{"rack", [][]int{{0, 1}, {2, 3, 4}, {5, 6}}}, {"row", [][]int{{0, 1, 2, 3, 4}, {5, 6}}}},
	})
	require.NoError(t, err)
	for k, free := range []int64{3, 2, 1, 1, 1, 8, 1} {
		if free < 8 {
			booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{8 - free}, Nodes: []int{k}})
		}
	}
	return m
}

// Two bundles of 4 tasks have room in rack 0 and in rack 2, and none in rack 1.
func TestBundlesLieInOneRackEach(t *testing.T) {
	r := Request{Duration: 5, Tasks: 8, Each: Vector{1}, Bundle: 4, Bundled: "rack"}
	for want, p := range map[string]Policy{
		"[0, 5) 3 on 0, 1 on 1, 4 on 5":         LowestIndex(),
		"[0, 5) 2 on 0, 2 on 1, 3 on 5, 1 on 6": BestFit(),
		"[0, 5) 8 on 5":                         FewestNodes(),
	} {
		o, err := threeRacks(t, p).Search(r)
		require.NoError(t, err)
		require.Equal(t, want, o.String())
	}
	o, err := threeRacks(t, Spread()).Search(r)
	require.NoError(t, err)
	require.Equal(t, "[0, 5) 2 on 0, 2 on 1, 3 on 5, 1 on 6", o.String())

	m := threeRacks(t, LowestIndex())
	for _, x := range []struct {
		change func(r *Request)
		want   string
	}{
		{func(r *Request) { r.Tasks = 12 }, "[0, 5) 3 on 0, 1 on 1, 8 on 5"},
		{func(r *Request) { r.Tasks = 16 }, "[10, 15) 8 on 0, 8 on 1"},
		{func(r *Request) { r.Together = "rack" }, "[0, 5) 8 on 5"},
		{func(r *Request) { r.Within, r.Tasks = "row", 4 }, "[0, 5) 3 on 0, 1 on 1"},
		{func(r *Request) { r.Within = "row" }, "[0, 5) 8 on 5"},
		{func(r *Request) { r.Within, r.Nodes = "row", []int{0, 1, 2, 3, 4} }, "[10, 15) 8 on 0"},
		{func(r *Request) { r.Bundled = "row" }, "[0, 5) 3 on 0, 2 on 1, 1 on 2, 1 on 3, 1 on 4"},
		{func(r *Request) { r.PerNode = 4 }, "[0, 5) 3 on 0, 1 on 1, 4 on 5"},
		{func(r *Request) { r.PerNode = 3 }, "[0, 5) 3 on 0, 1 on 1, 3 on 5, 1 on 6"},
		{func(r *Request) { r.Head = Vector{2} }, "[0, 5) 8 on 5, the head on 0"},
		{func(r *Request) { r.Exclusive, r.Tasks = true, 12 }, "[10, 15) 8 on 0, 4 on 1"},
		{func(r *Request) { r.Except = []int{5} }, "[10, 15) 8 on 0"},
		{func(r *Request) { r.Tasks, r.Bundle = 9, 9 }, "[0, 5) 8 on 5, 1 on 6"},
	} {
		y := r
		x.change(&y)
		o, err := m.Search(y)
		require.NoError(t, err, "%+v", y)
		require.Equal(t, x.want, o.String(), "%+v", y)
	}
	r.Tasks, r.Bundle = 20, 20
	_, err = m.Search(r)
	require.NoError(t, err)
	r.Tasks, r.Bundle = 25, 25
	_, err = m.Search(r)
	require.Equal(t, ErrNever, err)
	e, err := m.Explain(Request{Duration: 5, Tasks: 16, Each: Vector{1}, Bundle: 4, Bundled: "rack"})
	require.NoError(t, err)
	require.EqualValues(t, 12, e.Room)
	require.Len(t, e.Short, 6)
}

// A swap fills the bundle up in its rack, and a bundle that is gone as a whole may lie anywhere.
func TestASwapKeepsBundles(t *testing.T) {
	m := threeRacks(t, LowestIndex())
	r := Request{Ready: 10, Duration: 50, Tasks: 8, Each: Vector{4}, Bundle: 4, Bundled: "rack"}
	res := reserved(t, m, r)
	require.Equal(t, "#7 [10, 60) 2 on 0, 2 on 1, 2 on 2, 2 on 3", res.String())
	require.Equal(t, &Terms{Bundle: 4, Bundled: "rack"}, res.Terms)
	require.NoError(t, m.Advance(20))
	_, err := m.Swap(res.ID, 1) // rack 0 has no room for two more, and the tasks of node 0 stay
	require.Equal(t, bookahead.ErrUnavailable, err)
	res, err = m.Swap(res.ID, 3)
	require.NoError(t, err)
	require.Equal(t, "#7 [10, 60) 2 on 0, 2 on 1, 2 on 2, 2 on 4", res.String())
	r.Tasks = 4
	res, err = m.Rebook(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, "#7 [10, 60) 2 on 0, 2 on 1", res.String())
	r.Tasks = 6
	_, err = m.Rebook(res.ID, r)
	refused(t, err, "Request.Tasks")
	r.Tasks = 12
	res, err = m.Rebook(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, "#7 [10, 60) 2 on 0, 2 on 1, 2 on 2, 2 on 3, 2 on 5, 2 on 6", res.String())
	// Node 1 fails: both bundles of the others stay, but that of rack 0 cannot, so that all move.
	closes(t, m, 20, 1000, 1)
	done, err := m.Displace(Force{Swap: true})
	require.NoError(t, err)
	require.Empty(t, done.Moved)
	require.Len(t, done.Dropped, 1)
	require.NoError(t, m.Verify())
}

// A bundle that lies on one node alone, in no rack or in a rack, moves as a whole to another rack.
func TestASwapOfAWholeBundle(t *testing.T) {
	m := threeRacks(t, LowestIndex())
	res := reserved(t, m, Request{Ready: 10, Duration: 50, Tasks: 4, Each: Vector{4}, Bundle: 2, Bundled: "rack"})
	require.Equal(t, "#7 [10, 60) 2 on 0, 2 on 1", res.String())
	booked(t, m, Request{Ready: 10, Duration: 50, Tasks: 3, Each: Vector{8}, PerNode: 1, Nodes: []int{2, 3, 5}})
	res, err := m.Swap(res.ID, 0)
	require.NoError(t, err)
	require.Equal(t, "#7 [10, 60) 2 on 1, 2 on 4", res.String())
}

// An offer is booked as it is, in any groups, but its tasks are whole bundles: so a Displace can ask for them again.
func TestAnOfferOfBundles(t *testing.T) {
	m := threeRacks(t, LowestIndex())
	r := Request{Each: Vector{1}, Bundle: 2, Bundled: "rack"}
	o := Offer{Interval: bookahead.Interval{Start: 20, End: 30}, Tasks: []Share{{0, 1}, {2, 2}}, Head: -1}
	_, err := m.ReserveOffer(o, r)
	refused(t, err, "Offer.Tasks")
	o.Tasks[1].Tasks = 3
	res, err := m.ReserveOffer(o, r)
	require.NoError(t, err)
	require.Equal(t, "#7 [20, 30) 1 on 0, 3 on 2", res.String())
	r.Ready, r.Duration, r.Tasks = 20, 10, 4
	res, err = m.Rebook(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, "#7 [20, 30) 2 on 0, 2 on 2", res.String(), "3 of 4 stay")

	data, err := m.MarshalBinary()
	require.NoError(t, err)
	var read Machine
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Reservation(7)
	require.NoError(t, err)
	require.Equal(t, res, again)
	// Bytes whose tasks are no whole bundles, or whose Together is finer, are refused.
	for _, x := range []struct{ tasks int64 }{{3}, {4}} {
		b := &booking{Interval: o.Interval, shares: []Share{{0, x.tasks}}, head: -1, each: Vector{1}}
		level := map[int64]string{3: "rack", 4: "row"}[x.tasks]
		b.terms = m.terms.pack(&Request{Bundle: 2, Bundled: level, Together: "rack"})
		broken := threeRacks(t, LowestIndex())
		broken.booked.add(b, 0)
		data, err := broken.MarshalBinary()
		require.NoError(t, err)
		require.ErrorIs(t, new(Machine).UnmarshalBinary(data), bookahead.ErrInvalid)
	}
}

// A node in no rack is a rack by itself, also when nodes are added.
func TestBundlesOnNodesInNoRack(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{3}, {3}, {3}}, Levels: []Level{{"rack", [][]int{{0}}}}})
	require.NoError(t, err)
	r := Request{Duration: 5, Tasks: 6, Each: Vector{1}, Bundle: 2, Bundled: "rack", Together: "rack"}
	require.Equal(t, "#1 [0, 5) 2 on 0, 2 on 1, 2 on 2", reserved(t, m, r).String())
	c := bookahead.Closure{Interval: bookahead.Interval{Start: 5, End: bookahead.MaxTime}}
	_, err = m.Extend(c, []Added{{Has: Vector{3}, Groups: map[string]int{"rack": 0}}})
	require.NoError(t, err)
	require.Equal(t, "#2 [5, 10) 3 on 0, 3 on 3", reserved(t, m, r).String())
	require.NoError(t, m.Verify())
}

// Rack 0 lies in no row, and counts as a row by itself: with Patience, the bundles wait until it has room for both.
func TestBundlesWaitForARackInNoRow(t *testing.T) {
	m, err := New(Config{
		Resources: []string{"gpus"}, Nodes: []Vector{{2}, {2}, {2}, {2}},
		Levels: []Level{{"rack", [][]int{{0, 1}, {2, 3}}}, {"row", [][]int{{2, 3}}}},
	})
	require.NoError(t, err)
	booked(t, m, Request{Duration: 5, Tasks: 2, Each: Vector{1}, PerNode: 1})
	booked(t, m, Request{Duration: 50, Tasks: 2, Each: Vector{1}, PerNode: 1, Nodes: []int{2, 3}})
	r := Request{Duration: 10, Tasks: 4, Each: Vector{1}, Bundle: 2, Bundled: "rack", Together: "row"}
	for patience, want := range map[bookahead.Duration]string{
		4: "[0, 10) 1 on 0, 1 on 1, 1 on 2, 1 on 3", 5: "[5, 15) 2 on 0, 2 on 1",
	} {
		r.Patience = patience
		o, err := m.Search(r)
		require.NoError(t, err)
		require.Equal(t, want, o.String())
	}
}

// The head takes the fifth GPU of the only rack, and no bundle loses its place: so the request has room when others end, or
// when the node is open again.
func TestWhyABundleBesideAHeadHasNoPlace(t *testing.T) {
	m, err := New(Config{Horizon: 100, Resources: []string{"gpus"}, Nodes: []Vector{{5}}, Levels: []Level{{"rack", [][]int{{0}}}}})
	require.NoError(t, err)
	r := Request{Deadline: 10, Duration: 10, Tasks: 4, Each: Vector{1}, Head: Vector{1}, Bundle: 4, Bundled: "rack"}
	id := booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{1}})
	_, err = m.Search(r)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, m.Release(id))
	closes(t, m, 5, 50, 0)
	_, err = m.Search(r)
	require.Equal(t, ErrClosed, err)
	r.Head = Vector{2}
	_, err = m.Search(r)
	require.Equal(t, ErrNever, err)
	r.Deadline, r.Head = 0, Vector{1}
	o, err := m.Search(r)
	require.NoError(t, err)
	require.Equal(t, "[50, 60) 4 on 0, the head on 0", o.String())
}

// free returns how much a node of a hall has left throughout a window, by the bookings alone.
func (h *hall) free(k int, w bookahead.Interval, more []Reservation) int64 {
	least := h.m.given[k][0]
	for t := w.Start; t < w.End; t++ {
		free := h.m.given[k][0]
		if t < 10 {
			free = h.left[k]
		}
		for _, res := range more {
			for _, s := range res.Tasks {
				if s.Node == k && res.Contains(t) {
					free -= s.Tasks * res.Each[0]
				}
			}
		}
		least = min(least, free)
	}
	return least
}

// roomOf returns for how many tasks some nodes have room in whole bundles, with the head on the best of them; -1 if no node has
// room for the head.
func (h *hall) roomOf(r Request, free []int64, nodes []int, cells func(int) int) int64 {
	most := int64(-1)
	for _, head := range append([]int{-1}, nodes...) {
		if (head < 0) != (r.Head == nil) || head >= 0 && free[head] < r.Head[0] {
			continue
		}
		cell := map[int]int64{}
		for _, k := range nodes {
			n := free[k]
			if k == head {
				n -= r.Head[0]
			}
			if r.Exclusive && free[k] < h.m.given[k][0] {
				n = 0
			}
			n /= r.Each[0]
			if r.PerNode > 0 {
				n = min(n, r.PerNode)
			}
			cell[cells(k)] += n
		}
		if head >= 0 && r.Exclusive && free[head] < h.m.given[head][0] {
			continue
		}
		sum := int64(0)
		for _, n := range cell {
			sum += n / r.Bundle * r.Bundle
		}
		most = max(most, sum)
	}
	return most
}

// The earliest start is the first tick at which each rack, less what is beyond whole bundles, has room for enough; the tasks of
// each rack are whole bundles, and they lie in as few groups as any choice of groups allows.
func TestBundlesAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 1))
	found, later, groups := 0, 0, 0
	for range depth.Cases(20_000) {
		h := drawHall(t, rng)
		h.m.index.limit = rng.IntN(8)
		var more []Reservation
		for range rng.IntN(4) {
			res, err := h.m.Reserve(Request{
				Ready: bookahead.Time(rng.IntN(15)), Duration: bookahead.Duration(1 + rng.IntN(9)), Tasks: 1 + rng.Int64N(4), Each: Vector{1 + rng.Int64N(2)},
			})
			if err == nil {
				more = append(more, res)
			}
		}
		r := Request{Ready: bookahead.Time(rng.IntN(12)), Duration: bookahead.Duration(1 + rng.IntN(8)), Each: Vector{1 + rng.Int64N(2)}, PerNode: rng.Int64N(3), Bundle: 1 + rng.Int64N(3)}
		r.Tasks = r.Bundle * (1 + rng.Int64N(3))
		r.Bundled = []string{"rack", "rack", "block"}[rng.IntN(3)]
		if rng.IntN(4) == 0 {
			r.Head = Vector{1 + rng.Int64N(2)}
		}
		if rng.IntN(3) == 0 {
			r.Within = []string{"rack", "block"}[rng.IntN(2)]
		}
		if rng.IntN(3) == 0 {
			r.Together = []string{r.Bundled, "block"}[rng.IntN(2)]
		}
		r.Exclusive = rng.IntN(6) == 0
		levels := map[string][][]int{"rack": h.racks, "block": h.blocks}
		cells := func(k int) int { return groupOf(levels[r.Bundled], k) }
		if r.Within == "rack" {
			cells = func(k int) int { return groupOf(h.racks, k) }
		}
		parts := [][]int{seq(len(h.left))}
		if r.Within != "" {
			parts = levels[r.Within]
		}
		start, free := bookahead.Time(-1), make([]int64, len(h.left))
		for at := r.Ready; start < 0 && at < 60; at++ {
			for k := range free {
				free[k] = h.free(k, bookahead.Interval{Start: at, End: at + bookahead.Time(r.Duration)}, more)
			}
			if slices.ContainsFunc(parts, func(part []int) bool { return h.roomOf(r, free, part, cells) >= r.Tasks }) {
				start = at
			}
		}
		o, err := h.m.Search(r)
		require.Equal(t, start < 0, err != nil, "%+v: %v", r, err)
		if err != nil {
			continue
		}
		found++
		require.Equal(t, start, o.Start, "%+v: %v", r, o)
		if start > r.Ready {
			later++
		}
		sum, used := map[int]int64{}, map[int]bool{}
		whole := int64(0)
		together := func(k int) int {
			g := groupOf(levels[r.Together], k)
			if g >= len(levels[r.Together]) { // its cell stands for it
				g = 100 + cells(k)
			}
			return g
		}
		for _, s := range o.Tasks {
			left := free[s.Node] - s.Tasks*r.Each[0]
			if s.Node == o.Head {
				left -= r.Head[0]
			}
			require.GreaterOrEqual(t, left, int64(0))
			sum[cells(s.Node)] += s.Tasks
			used[together(s.Node)] = true
			whole += s.Tasks
		}
		require.Equal(t, r.Tasks, whole)
		for _, n := range sum {
			require.Zero(t, n%r.Bundle, "%+v: %v", r, o)
		}
		if r.Together == "" {
			continue
		}
		if o.Head >= 0 {
			used[together(o.Head)] = true
		}
		fewest := 100
		for _, part := range parts {
			names := map[int]bool{}
			for _, k := range part {
				names[together(k)] = true
			}
			list := slices.Sorted(maps.Keys(names))
			for choice := 1; choice < 1<<len(list); choice++ {
				out := func(k int) bool { return choice>>slices.Index(list, together(k))&1 == 0 }
				in := slices.DeleteFunc(slices.Clone(part), out)
				size := bits.OnesCount(uint(choice))
				if size < fewest && h.roomOf(r, free, in, cells) >= r.Tasks {
					fewest = size
				}
			}
		}
		require.Len(t, used, fewest, "%+v: %v in %v of %v", r, o, h.racks, h.blocks)
		if fewest > 1 {
			groups++
		}
	}
	t.Logf("%d places, %d of them later than asked for, %d of them in several groups", found, later, groups)
	require.Positive(t, later)
	require.Positive(t, groups)
}

// A Rebook keeps as many tasks on their nodes as any choice of bundles does.
func TestARebookOfBundlesKeepsTheMost(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 2))
	rebooked, moved := 0, 0
	for range depth.Cases(20_000) {
		h := drawHall(t, rng)
		draw := func() Request {
			r := Request{Ready: 20, Deadline: 25, Duration: 5, Each: Vector{1}, Bundle: 1 + rng.Int64N(3), Bundled: "rack"}
			r.Tasks = r.Bundle * (1 + rng.Int64N(4))
			return r
		}
		was, err := h.m.Reserve(draw())
		if err != nil {
			continue
		}
		var more []Reservation
		for range rng.IntN(3) { // they leave less room, if the Rebook has another start
			res, err := h.m.Reserve(Request{Ready: 23, Deadline: 30, Duration: 7, Tasks: 1 + rng.Int64N(3), Each: Vector{1}})
			if err == nil {
				more = append(more, res)
			}
		}
		r := draw()
		r.Ready, r.Deadline = 22, 27
		room, own := map[int]int64{}, map[int]int64{}
		for k := range h.left {
			free := h.free(k, bookahead.Interval{Start: 22, End: 27}, more)
			room[groupOf(h.racks, k)] += free
			own[groupOf(h.racks, k)] += min(free, on(was.Tasks, k))
		}
		best := int64(-1)
		var try func(g int, left, kept int64)
		try = func(g int, left, kept int64) {
			if left == 0 {
				best = max(best, kept)
			}
			if g == 20 {
				return
			}
			for n := int64(0); n <= min(left, room[g]); n += r.Bundle {
				try(g+1, left-n, kept+min(n, own[g]))
			}
		}
		try(0, r.Tasks, 0)
		o, err := h.m.SearchFor(was.ID, r)
		require.Equal(t, best < 0, err != nil, "%+v of %v: %v", r, was, err)
		if err != nil {
			continue
		}
		rebooked++
		kept, sum := int64(0), map[int]int64{}
		for _, s := range o.Tasks {
			kept += min(s.Tasks, on(was.Tasks, s.Node))
			sum[groupOf(h.racks, s.Node)] += s.Tasks
		}
		for _, n := range sum {
			require.Zero(t, n%r.Bundle)
		}
		require.Equal(t, best, kept, "%+v of %v: %v", r, was, o)
		if kept < min(r.Tasks, tasksOf(was)) {
			moved++
		}
	}
	t.Logf("%d rebooked, %d of them with tasks that move", rebooked, moved)
	require.Positive(t, moved)
}

// tasksOf returns the tasks of a reservation.
func tasksOf(res Reservation) (n int64) {
	for _, s := range res.Tasks {
		n += s.Tasks
	}
	return n
}
