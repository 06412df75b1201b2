package route

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/depth"
)

// A pointer that is nil is a schedule for the compiler only.
func TestNilSchedulesAreRefused(t *testing.T) {
	for _, s := range []bookahead.Schedule{(*carts.Indexed)(nil), (*carts.Flat)(nil), (*carts.BTree)(nil)} {
		for field, open := range map[string]func() (*Network, error){
			"Link[0].Schedule": func() (*Network, error) {
				return New(2, []Link{{To: 1, Schedule: s}}, nil, Config{Slots: 5})
			},
			"Cluster[0].Pool": func() (*Network, error) {
				return New(1, nil, []Cluster{{CPUs: 1, Speed: 1, Pool: s}}, Config{})
			},
		} {
			require.NotPanics(t, func() {
				_, err := open()
				require.EqualError(t, err, fmt.Sprintf("bookahead: %s %T is nil", field, s))
				require.ErrorIs(t, err, bookahead.ErrInvalid)
			}, "%s %T", field, s)
		}
	}
	n, err := New(1, nil, nil, Config{})
	require.NoError(t, err)
	require.ErrorIs(t, n.Refresh(0), bookahead.ErrInvalid)
	require.ErrorIs(t, n.Refresh(-1), bookahead.ErrInvalid)
}

// A cluster or a link that takes more of its schedule than there is would make queries
// fail that another could answer, or never be free.
func TestSchedulesAreLargeEnough(t *testing.T) {
	large := Cluster{CPUs: 4, Speed: 1, Pool: indexed(t, 4)}
	_, err := New(1, nil, []Cluster{large, {CPUs: 3, Speed: 1, Pool: indexed(t, 2)}}, Config{})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.EqualError(t, err, "bookahead: Cluster[1].CPUs 3 are more than the 2 units of Pool")
	_, err = New(2, []Link{{To: 1, Schedule: indexed(t, 2), Units: 3}}, nil, Config{Slots: 5})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.EqualError(t, err, "bookahead: Link[0].Units 3 are more than the 2 units of Schedule")

	n, err := New(1, nil, []Cluster{large, {CPUs: 2, Speed: 9, Pool: indexed(t, 2)}}, Config{})
	require.NoError(t, err)
	p, err := n.Earliest(Task{Burst: 1, Work: 9, CPUs: 3})
	require.NoError(t, err)
	require.Equal(t, 0, p.Cluster)
}

// An Objective that is no number cannot be compared; the infinities can.
func TestObjectiveIsNoNumber(t *testing.T) {
	n, err := New(3, []Link{{To: 1}, {To: 2, Delay: 1}}, []Cluster{
		{Node: 1, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}, {Node: 2, CPUs: 1, Speed: 2, Pool: indexed(t, 1)},
	}, Config{Slots: 5})
	require.NoError(t, err)
	task := Task{Burst: 1, Work: 2, CPUs: 1} // the farther cluster is faster
	for bad := range 2 {
		f := func(c *Candidate) float64 {
			if c.Cluster == bad {
				return math.NaN()
			}
			return 1
		}
		for _, plan := range []func(Task, Objective) (Plan, error){n.MCT, n.mctPrinted, n.AWMCT} {
			p, err := plan(task, f)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.EqualError(t, err, "bookahead: Objective NaN is not a number")
			require.Empty(t, p)
		}
	}
	for sign := -1; sign <= 1; sign += 2 {
		p, err := n.MCT(task, func(c *Candidate) float64 { return math.Inf(sign * (1 - 2*c.Cluster)) })
		require.NoError(t, err)
		require.Equal(t, (1+sign)/2, p.Cluster)
	}
}

// No sum of weights overflows: a weight that could make it is refused, and the greatest
// weight that is taken leaves room for a path through all nodes.
func TestWeightsDoNotOverflow(t *testing.T) {
	chain := func(weight float64) []Link {
		return []Link{{From: 0, To: 1, Weights: []float64{weight}}, {From: 1, To: 2, Weights: []float64{weight}}}
	}
	_, err := New(3, chain(1e308), nil, Config{Weights: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.EqualError(t, err, "bookahead: Link[0].Weights[0] 1e+308 is not a number from 0 to 1e+290")
	require.False(t, math.IsInf(maxWeight*(math.MaxInt32+1), 1))

	n, err := New(3, chain(maxWeight), nil, Config{Weights: 1})
	require.NoError(t, err)
	for order := refined; order <= firstWeight; order++ {
		q := Query{Servers: []Server{{Node: 2, Weights: []float64{maxWeight}}}, Limits: []float64{math.Inf(1)}, order: order}
		for _, search := range []func(Query) (Route, error){n.SAMCRA, n.SAMCRAHopByHop} {
			r, err := search(q)
			require.NoError(t, err)
			require.Equal(t, []int{0, 1}, r.Links)
			require.Equal(t, []float64{3 * maxWeight}, r.Weights)
			q.Servers = []Server{{Node: 2, Weights: []float64{math.Nextafter(maxWeight, math.Inf(1))}}}
			_, err = search(q)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, "Query.Servers[0].Weights[0]")
			q.Servers = []Server{{Node: 2, Weights: []float64{maxWeight}}}
		}
	}
}

// A limit of 0 allows none of a weight, with either sign of zero.
func TestLimitOfZero(t *testing.T) {
	n, err := New(3, []Link{
		{From: 0, To: 2, Weights: []float64{1, 1}},
		{From: 0, To: 1, Weights: []float64{0, 2}}, {From: 1, To: 2, Weights: []float64{math.Copysign(0, -1), 2}},
	}, nil, Config{Weights: 2})
	require.NoError(t, err)
	for _, none := range []float64{0, math.Copysign(0, -1)} {
		for order := refined; order <= firstWeight; order++ {
			q := Query{Servers: []Server{{Node: 2}}, Limits: []float64{none, 9}, order: order}
			for _, search := range []func(Query) (Route, error){n.SAMCRA, n.SAMCRAHopByHop} {
				r, err := search(q)
				require.NoError(t, err)
				require.Equal(t, []int{1, 2}, r.Links)
				require.Equal(t, []float64{0, 4}, r.Weights)
			}
			q.Limits = []float64{9, none}
			_, err := n.SAMCRA(q)
			require.Equal(t, ErrLimits, err)
		}
	}
}

// Numbers as large as their types allow, for clusters without horizon and clocks at both
// ends of the axis: a task is planned and booked, or there is no plan; MCT and Earliest
// agree.
func TestExtremeTasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	from := func(list ...int64) int64 { return list[rng.IntN(len(list))] }
	const most = math.MaxInt64
	planned := 0
	for range depth.Cases(4000) {
		origin := bookahead.Time(from(0, 7, int64(bookahead.MaxTime)-2*avail.MaxSlots))
		var links []Link
		for range 4 {
			l := Link{From: rng.IntN(3), Delay: bookahead.Duration(from(0, 1, 5, int64(maxDelay)))}
			l.To = (l.From + 1 + rng.IntN(2)) % 3
			links = append(links, l)
		}
		var clusters []Cluster
		for m := range 2 {
			clusters = append(clusters, Cluster{Node: 1 + m, CPUs: from(1, most), Speed: from(1, 3, most), Pool: indexed(t, most)})
		}
		n, err := New(3, links, clusters, Config{Slots: int(from(0, 9)), Wait: rng.IntN(2) == 0, Origin: origin})
		require.NoError(t, err)
		task := Task{
			Source: rng.IntN(3), Burst: bookahead.Duration(from(1, 3, 10, most/2, most-7, most)),
			Work: from(1, 5, most/2, most-7, most), CPUs: from(1, 2, most),
			Ready: bookahead.Time(from(-most-1, 0, 7, 8, 1<<40, most/2, most-8, most-1, most)),
		}
		if rng.IntN(3) == 0 {
			task.Deadline = task.Ready + bookahead.Time(from(1, 20, 1<<33))
		}
		want, none := n.MCT(task, nil)
		if errors.Is(none, bookahead.ErrInvalid) {
			require.LessOrEqual(t, task.Deadline, task.Ready)
			continue
		}
		p, err := n.Earliest(task)
		require.Equal(t, none, err, "%+v", task)
		for _, plan := range []func(Task) (Plan, error){
			n.Earliest, n.ECT, n.MCB, func(t Task) (Plan, error) { return n.AWMCT(t, nil) },
		} {
			q, err := plan(task)
			if err != nil {
				require.Equal(t, bookahead.ErrUnavailable, err, "%+v", task)
				continue
			}
			require.NoError(t, n.checkPlan(q), "%+v", task)
			require.True(t, task.Deadline == 0 || q.Run.End <= task.Deadline)
			require.GreaterOrEqual(t, q.Send.Start, task.Ready)
		}
		if none == nil {
			require.Equal(t, outcome{want.Run.End, want.Delay}, outcome{p.Run.End, p.Delay}, "%+v", task)
			_, err = n.Commit(p)
			require.NoError(t, err, "%+v", task)
			planned++
		}
	}
	require.Greater(t, planned, depth.Cases(500))
}
