package nodes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The picture at Openings: two tasks of a whole node in one rack of two nodes.
func TestOpeningsWithRacks(t *testing.T) {
	m, err := New(Config{
		Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}, {8}}, Horizon: 60,
		Levels: []Level{{"rack", [][]int{{0, 1}, {2}}}},
	})
	require.NoError(t, err)
	booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{8}, Nodes: []int{0}})
	booked(t, m, Request{Ready: 30, Duration: 10, Tasks: 1, Each: Vector{8}, Nodes: []int{1}})
	r := Request{Duration: 10, Tasks: 2, Each: Vector{8}, Within: "rack"}
	require.Equal(t, []bookahead.Interval{{Start: 10, End: 21}, {Start: 40, End: 51}}, slices.Collect(m.Openings(r)))
	for open := range m.Openings(r) {
		require.Equal(t, bookahead.Interval{Start: 10, End: 21}, open)
		break
	}
	latest, err := m.SearchLatest(r)
	require.NoError(t, err)
	require.Equal(t, "[50, 60) 1 on 0, 1 on 1", latest.String())
	r.Deadline = 45
	latest, err = m.SearchLatest(r)
	require.NoError(t, err)
	require.Equal(t, "[20, 30) 1 on 0, 1 on 1", latest.String())
	r.Deadline = 19
	_, err = m.SearchLatest(r)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.Empty(t, slices.Collect(m.Openings(r)))
	r.Tasks = 3
	_, err = m.SearchLatest(r)
	require.Equal(t, ErrNever, err)
	r.Set = "none"
	_, err = m.SearchLatest(r)
	refused(t, err, "Request.Set")
	require.Empty(t, slices.Collect(m.Openings(r)))
}

// The latest start on a machine of many chunks is the last opening, and takes few searches.
func TestSearchLatestPassesChunks(t *testing.T) {
	m, err := New(Config{
		Resources: []string{"gpus"}, Nodes: slices.Repeat([]Vector{{8}}, 4), Horizon: 4_000,
		Levels: []Level{{"rack", [][]int{{0, 1}, {2, 3}}}},
	})
	require.NoError(t, err)
	m.index.limit = 8
	rng := rand.New(rand.NewPCG(37, 7))
	for range 600 {
		_, err := m.Reserve(Request{Ready: bookahead.Time(rng.IntN(3_900)), Duration: bookahead.Duration(1 + rng.IntN(40)), Tasks: 1, Each: Vector{int64(1 + rng.IntN(8))}})
		require.NoError(t, err)
	}
	require.Greater(t, len(m.index.chunks), 60)
	for range 200 {
		r := Request{
			Ready: bookahead.Time(rng.IntN(2_000)), Duration: bookahead.Duration(1 + rng.IntN(30)), Tasks: int64(1 + rng.IntN(3)),
			Each: Vector{int64(1 + rng.IntN(8))}, Within: []string{"", "rack"}[rng.IntN(2)],
		}
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rng.IntN(2_000))
		openings := slices.Collect(m.Openings(r))
		latest, err := m.SearchLatest(r)
		if len(openings) == 0 {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, openings[len(openings)-1].End-1, latest.Start, "%+v", r)
	}
}

// What is free on a node, and who starts and who ends.
func TestFreeStartingEnding(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus", "cores"}, Nodes: []Vector{{8, 64}, {8, 64}}, Horizon: 100})
	require.NoError(t, err)
	first := reserved(t, m, Request{Duration: 20, Tasks: 1, Each: Vector{4, 32}})
	second := reserved(t, m, Request{Ready: 10, Duration: 10, Tasks: 1, Each: Vector{2, 0}})
	third := reserved(t, m, Request{Ready: 10, Duration: 5, Tasks: 1, Each: Vector{1, 0}, Nodes: []int{1}})
	require.Equal(t, []stretch{
		{bookahead.Interval{Start: 5, End: 10}, Vector{4, 32}},
		{bookahead.Interval{Start: 10, End: 20}, Vector{2, 32}},
		{bookahead.Interval{Start: 20, End: 100}, Vector{8, 64}},
	}, stretches(real{m, 0}, 0, bookahead.Interval{Start: 5, End: 200}))
	closes(t, m, 15, 30, 0)
	require.Equal(t, []stretch{
		{bookahead.Interval{Start: 12, End: 15}, Vector{2, 32}},
		{bookahead.Interval{Start: 15, End: 30}, Vector{0, 0}},
		{bookahead.Interval{Start: 30, End: 40}, Vector{8, 64}},
	}, stretches(real{m, 0}, 0, bookahead.Interval{Start: 12, End: 40}), "a closed node has nothing, also while it is held")
	for at, free := range m.Free(0, m.Frame().Window()) {
		require.Equal(t, bookahead.Interval{Start: 0, End: 10}, at)
		free[0] = 77 // the caller's
		break
	}
	require.Empty(t, stretches(real{m, 0}, 2, m.Frame().Window()))
	require.Empty(t, stretches(real{m, 0}, 0, bookahead.Interval{Start: 100, End: 120}))

	at := func(start, end bookahead.Time) bookahead.Interval { return bookahead.Interval{Start: start, End: end} }
	require.Equal(t, []Reservation{second, third}, slices.Collect(m.Starting(at(1, 11))))
	require.Equal(t, []Reservation{first}, slices.Collect(m.Starting(at(0, 10))))
	require.Equal(t, []Reservation{third, first, second}, slices.Collect(m.Ending(at(15, 21))))
	require.Equal(t, []Reservation{first, second}, slices.Collect(m.Ending(at(20, 21))))
	require.Empty(t, slices.Collect(m.Ending(at(16, 20))))
	require.Empty(t, slices.Collect(m.Ending(at(20, 20))))
	require.Empty(t, slices.Collect(m.Starting(at(10, 10))))
	for res := range m.Ending(at(0, 100)) {
		require.Equal(t, third, res)
		break
	}
}
