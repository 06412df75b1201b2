package nodes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// idle reads the idle periods of a node off its cells, tick by tick.
func (o *oracle) idle(node int, each Vector, w bookahead.Interval) (list []bookahead.Interval) {
	r := Request{Duration: 1, Tasks: 1, Each: each}
	if node < 0 || node >= len(o.c.Nodes) || !o.valid(r) {
		return nil
	}
	from, to := max(w.Start, o.now), min(w.End, o.end())
	for t := from; t < to; t++ {
		tick := bookahead.Interval{Start: t, End: t + 1}
		if r.fit(o.least(node, tick, Reservation{})) == 0 {
			continue
		}
		last := len(list) - 1
		if last >= 0 && list[last].End == t {
			list[last].End++
		} else {
			list = append(list, tick)
		}
	}
	return list
}

// frameOfTasks counts the tasks that the nodes hold which are open now.
func (o *oracle) frameOfTasks(each Vector, perNode int64) (bookahead.Frame, error) {
	r := Request{Duration: 1, Tasks: 1, Each: each, PerNode: perNode}
	if !o.valid(r) {
		return bookahead.Frame{}, bookahead.ErrInvalid
	}
	f := bookahead.Frame{Now: o.now, Horizon: o.end()}
	for k, given := range o.c.Nodes {
		if o.open(k, o.now) {
			f.Capacity += r.fit(given)
		}
	}
	return f, nil
}

// The picture of Machine.Idle, and the windows, nodes and vectors that have no periods.
func TestIdle(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus", "cores"}, Nodes: []Vector{{8, 8}, {3, 8}}})
	require.NoError(t, err)
	for i, taken := range []int64{4, 6, 2} {
		start := bookahead.Time(10 + 10*i)
		_, err = m.Reserve(Request{Ready: start, Deadline: start + 10, Duration: 10, Tasks: 1, Each: Vector{taken, 0}, Nodes: []int{0}})
		require.NoError(t, err)
	}
	always := bookahead.Interval{Start: -5, End: bookahead.MaxTime}
	for _, c := range []struct {
		node int
		each Vector
		w    bookahead.Interval
		want []bookahead.Interval
	}{
		{0, Vector{4, 0}, always, []bookahead.Interval{{Start: 0, End: 20}, {Start: 30, End: bookahead.MaxTime}}},
		{0, Vector{4, 0}, bookahead.Interval{Start: 5, End: 35}, []bookahead.Interval{{Start: 5, End: 20}, {Start: 30, End: 35}}},
		{0, Vector{4, 0}, bookahead.Interval{Start: 20, End: 30}, nil},
		{0, Vector{8, 8}, bookahead.Interval{Start: 0, End: 45}, []bookahead.Interval{{Start: 0, End: 10}, {Start: 40, End: 45}}},
		{0, Vector{0, 1}, always, []bookahead.Interval{{Start: 0, End: bookahead.MaxTime}}},
		{1, Vector{4, 0}, always, nil},
		{1, Vector{MaxAmount, 0}, always, nil},
		{0, Vector{0, 9}, always, nil},
		{0, Vector{4, 0}, bookahead.Interval{Start: 7, End: 7}, nil},
		{0, Vector{4, 0}, bookahead.Interval{Start: -7, End: 0}, nil},
		{0, Vector{4}, always, nil},
		{0, Vector{0, 0}, always, nil},
		{0, Vector{-1, 1}, always, nil},
		{-1, Vector{4, 0}, always, nil},
		{2, Vector{4, 0}, always, nil},
	} {
		require.Equal(t, c.want, slices.Collect(m.Idle(c.node, c.each, c.w)), "%+v", c)
	}
	for range m.Idle(0, Vector{4, 0}, always) {
		break // a caller may
	}
}
