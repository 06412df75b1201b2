package nodes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// Two racks have a node each at 0, and rack 0 has both of its nodes at 10:
//
//	time      0         10        20
//	node 0    ████████████████████        rack 0       █ free
//	node 1    ░░░░░░░░░░██████████
//	node 2    ████████████████████        rack 1
//	node 3    ░░░░░░░░░░░░░░░░░░░░              is free at 30
func TestPatienceWaitsForOneRack(t *testing.T) {
	m, err := New(Config{
		Horizon: 1000, Resources: []string{"gpus"}, Nodes: slices.Repeat([]Vector{{8}}, 4),
		Levels: []Level{{"rack", [][]int{{0, 1}, {2, 3}}}, {"block", [][]int{{2, 3}}}},
	})
	require.NoError(t, err)
	booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{8}, Nodes: []int{1}})
	booked(t, m, Request{Duration: 30, Tasks: 1, Each: Vector{8}, Nodes: []int{3}})
	for patience, want := range map[bookahead.Duration]string{
		0: "[0, 5) 1 on 0, 1 on 2", 9: "[0, 5) 1 on 0, 1 on 2", 10: "[10, 15) 1 on 0, 1 on 1", math.MaxInt64: "[10, 15) 1 on 0, 1 on 1",
	} {
		r := Request{Duration: 5, Tasks: 2, Each: Vector{8}, Together: "rack", Patience: patience}
		o, err := m.Search(r)
		require.NoError(t, err)
		require.Equal(t, want, o.String())
		require.Equal(t, []bookahead.Interval{{Start: 0, End: 996}}, slices.Collect(m.Openings(r)), "patience rules no start out")
		latest, err := m.SearchLatest(r)
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(995), latest.Start)
		e, err := m.Explain(r)
		require.NoError(t, err)
		require.Equal(t, o, e.Earliest)
		r.Deadline = 14 // too early for one rack
		o, err = m.Search(r)
		require.NoError(t, err)
		require.Equal(t, "[0, 5) 1 on 0, 1 on 2", o.String())
		r.Deadline, r.Within = 0, "block" // the only block is rack 1
		o, err = m.Search(r)
		require.NoError(t, err)
		require.Equal(t, "[30, 35) 1 on 2, 1 on 3", o.String())
	}
	// The place is booked, and its Terms have no Patience: Displace places it as early as it can.
	res := reserved(t, m, Request{Duration: 5, Tasks: 2, Each: Vector{8}, Together: "rack", Patience: 10})
	require.Equal(t, "#3 [10, 15) 1 on 0, 1 on 1", res.String())
	require.Equal(t, &Terms{Together: "rack"}, res.Terms)
	require.Zero(t, res.Again(0).Patience)
}

// A Rebook with Patience lies in one rack, although a task could stay where it is in another.
func TestARebookWithPatienceLiesInOneRack(t *testing.T) {
	m := sixNodes(t)
	for _, k := range []int{1, 3, 5} {
		booked(t, m, Request{Ready: 5, Duration: 20, Tasks: 1, Each: Vector{8}, Nodes: []int{k}})
	}
	r := Request{Ready: 5, Duration: 10, Tasks: 2, Each: Vector{8}, Together: "rack"}
	res := reserved(t, m, r)
	require.Equal(t, "#4 [5, 15) 1 on 0, 1 on 2", res.String())
	require.NoError(t, m.Release(3))
	o, err := m.SearchFor(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, "[5, 15) 1 on 0, 1 on 2", o.String())
	r.Patience = 1
	res, err = m.Rebook(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, "#4 [5, 15) 1 on 4, 1 on 5", res.String())
	require.NoError(t, m.Verify())
}

// The start is the earliest in one rack if that is soon enough, and else the earliest of all: two searches without Patience
// say which.
func TestPatienceIsTwoSearches(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 3))
	waits, gaveUp := 0, 0
	for range depth.Cases(10_000) {
		h := drawHall(t, rng)
		h.m.index.limit = rng.IntN(8)
		draw := func() Request {
			return Request{
				Ready: bookahead.Time(rng.IntN(15)), Duration: bookahead.Duration(1 + rng.IntN(9)), Tasks: 1 + rng.Int64N(6),
				Each: Vector{1 + rng.Int64N(2)}, PerNode: rng.Int64N(3),
			}
		}
		for range rng.IntN(5) {
			_, _ = h.m.Reserve(draw())
		}
		r := draw()
		if rng.IntN(3) == 0 {
			r.Within = "block"
		}
		if rng.IntN(4) == 0 {
			r.Head = Vector{1 + rng.Int64N(2)}
		}
		if rng.IntN(4) == 0 {
			r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rng.IntN(20))
		}
		want, wantErr := h.m.Search(r)
		r.Together = "rack"
		anywhere, _ := h.m.Search(r)
		require.Equal(t, want.Start, anywhere.Start)
		// One rack: a search in each, and on each node that is in none.
		first := bookahead.Time(-1)
		names := map[int][]int{}
		for k := range h.left {
			if r.Within == "" || groupOf(h.blocks, k) < len(h.blocks) {
				names[groupOf(h.racks, k)] = append(names[groupOf(h.racks, k)], k)
			}
		}
		for _, list := range names {
			one := r
			one.Nodes, one.Together = list, ""
			o, err := h.m.Search(one)
			if err == nil && (first < 0 || o.Start < first) {
				first = o.Start
			}
		}
		r.Patience = bookahead.Duration(1 + rng.IntN(12))
		o, err := h.m.Search(r)
		require.Equal(t, wantErr, err)
		switch {
		case err != nil:
		case first >= 0 && first <= anywhere.Start+bookahead.Time(r.Patience):
			require.Equal(t, first, o.Start, "%+v", r)
			used := map[int]bool{}
			for _, s := range o.Tasks {
				used[groupOf(h.racks, s.Node)] = true
			}
			require.Len(t, used, 1)
			require.True(t, o.Head < 0 || used[groupOf(h.racks, o.Head)])
			if first == anywhere.Start { // then Patience changes nothing
				require.Equal(t, anywhere, o)
			} else {
				waits++
			}
		default:
			require.Equal(t, anywhere, o, "%+v", r)
			gaveUp++
		}
	}
	t.Logf("%d wait for one rack, and %d do not", waits, gaveUp)
	require.Positive(t, waits)
	require.Positive(t, gaveUp)
}
