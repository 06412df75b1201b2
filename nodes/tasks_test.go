package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// On one node a window has room for the fewest tasks of its ticks, as in a pool.
func TestTasksOfOneNodeAreAPool(t *testing.T) {
	scheduletest.Run(t, scheduletest.Target{
		Name: "nodes.Tasks",
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			if c.Capacity < 1 {
				return nil, &bookahead.InvalidError{Field: "capacity", Value: c.Capacity, Reason: "is less than 1"}
			}
			m, err := New(Config{
				Origin: c.Origin, Horizon: c.Horizon, Resources: []string{"cores", "bytes", "ports"},
				Nodes: []Vector{{1, 1, 0}, {2*c.Capacity + 1, 3 * c.Capacity, 0}},
			})
			if err != nil {
				return nil, err
			}
			return m.Tasks(Vector{2, 3, 0}, 0)
		},
		MaxCapacity: 1 << 40,
		MaxLive:     1000,
	})
}

// Two nodes that are free in turn have room for a task at each tick, and for none throughout.
func TestATaskDoesNotMove(t *testing.T) {
	m, err := New(Config{Resources: []string{"cores"}, Nodes: []Vector{{4}, {4}}, Horizon: 20})
	require.NoError(t, err)
	for k, ready := range []bookahead.Time{0, 10} {
		_, err = m.Reserve(Request{Ready: ready, Duration: 10, Deadline: ready + 10, Tasks: 1, Each: Vector{4}, Nodes: []int{k}})
		require.NoError(t, err)
	}
	v, err := m.Tasks(Vector{2}, 1)
	require.NoError(t, err)
	require.Same(t, m, v.Machine())
	for w, want := range map[bookahead.Interval]int64{{Start: 0, End: 10}: 1, {Start: 10, End: 20}: 1, {Start: 9, End: 11}: 0} {
		a, err := v.RangeQuery(w)
		require.NoError(t, err)
		require.Equal(t, bookahead.Availability{Window: w, Free: want}, a)
	}
	_, err = v.Reserve(bookahead.Request{Duration: 11, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	_, err = v.Search(bookahead.Request{Duration: 1, Units: 1, Servers: []int{0}})
	require.ErrorContains(t, err, "Request.Servers")
	_, err = m.Tasks(Vector{0}, 0)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = m.Tasks(Vector{1, 1}, 0)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// The capacity of a view is the most units that it can book at once on the open nodes, and one unit more is
// unavailable.
func TestTheCapacityOfTasks(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus", "cores"}, Nodes: []Vector{{8, 64}, {8, 12}, {1, 64}}, Horizon: 100})
	require.NoError(t, err)
	v, err := m.Tasks(Vector{2, 5}, 0)
	require.NoError(t, err)
	capacity := func(want int64) {
		t.Helper()
		f, ok := bookahead.FrameOf(v)
		require.True(t, ok)
		require.Equal(t, bookahead.Frame{Now: m.Frame().Now, Horizon: m.Frame().Horizon, Capacity: want}, f)
		for units, wantErr := range map[int64]error{want: nil, want + 1: bookahead.ErrUnavailable} {
			if units > 0 {
				_, err := v.Search(bookahead.At(f.Now, 1, units))
				require.Equal(t, wantErr, err, "%d units", units)
			}
		}
	}
	capacity(4 + 2 + 0)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 30}, Servers: []int{0}})
	require.NoError(t, err)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 20, End: 40}}, []Added{{Has: Vector{6, 64}}})
	require.NoError(t, err)
	capacity(4 + 2)
	for now, want := range map[bookahead.Time]int64{10: 2, 20: 2 + 3, 30: 4 + 2 + 3, 40: 4 + 2} {
		before := m
		m = m.Clone()
		require.NoError(t, m.Advance(now))
		v = &Tasks{m, v.r}
		capacity(want)
		m = before
	}
	few, err := m.Tasks(Vector{2, 5}, 1)
	require.NoError(t, err)
	require.EqualValues(t, 2, few.Frame().Capacity)
	none, err := m.Tasks(Vector{9, 0}, 0)
	require.NoError(t, err)
	require.Zero(t, none.Frame().Capacity)
	_, err = none.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
}
