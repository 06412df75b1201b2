package route

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/depth"
)

// tied draws a network on which most plans end together: delays are short, clusters have
// gaps at few ticks, and a task waits for the next one. Only the delay parts the plans.
func tied(t require.TestingT, rng *rand.Rand, c Config) (*Network, *cells) {
	nodes := 3 + rng.IntN(3)
	c.Slots = oracleSlots
	var w cells
	var links []Link
	busy, slowest := 1+rng.IntN(5), 1+rng.IntN(4)
	for range 2*nodes + rng.IntN(2*nodes) {
		l := Link{From: rng.IntN(nodes), To: rng.IntN(nodes), Delay: bookahead.Duration(rng.IntN(slowest))}
		if l.From == l.To {
			continue
		}
		v, err := avail.NewVector(oracleSlots)
		require.NoError(t, err)
		free := make([]bool, oracleSlots)
		for i := range free {
			free[i] = rng.IntN(8) >= busy && i < 18
			if free[i] {
				v.Set(i, i+1)
			}
		}
		l.Free = v
		links, w.links = append(links, l), append(w.links, free)
	}
	cells := make([]int64, oracleTicks) // the clusters are idle together
	var booked []bookahead.Offer
	for at := 0; at < oracleTicks; {
		end := min(at+1+rng.IntN(16), oracleTicks)
		booked = append(booked, bookahead.Offer{Interval: bookahead.Interval{Start: bookahead.Time(at), End: bookahead.Time(end)}, Units: 1})
		for at = end; at < min(end+1+rng.IntN(3), oracleTicks); at++ {
			cells[at] = 1
		}
	}
	var clusters []Cluster
	for range 2 + rng.IntN(2) {
		pool, err := carts.NewIndexed(1, carts.Config{Horizon: oracleTicks, Booked: booked})
		require.NoError(t, err)
		clusters = append(clusters, Cluster{Node: 1 + rng.IntN(nodes-1), CPUs: 1, Speed: 1, Pool: pool})
		w.clusters = append(w.clusters, cells)
	}
	n, err := New(nodes, links, clusters, c)
	require.NoError(t, err)
	return n, &w
}

// tiedTask draws a short task; some have to begin at once.
func tiedTask(rng *rand.Rand) Task {
	t := Task{
		Ready: bookahead.Time(rng.IntN(3)), Burst: bookahead.Duration(1 + rng.IntN(2)),
		Work: 1 + rng.Int64N(2), CPUs: 1,
	}
	if rng.IntN(3) == 0 {
		t.Deadline = t.Ready + bookahead.Time(t.Burst) + bookahead.Time(t.Work) + bookahead.Time(rng.IntN(12))
	}
	return t
}

// TestPlansTie compares with all plans where many end together: the plan with the
// smallest delay is the answer, and the plan of a search that is cut short is no better.
func TestPlansTie(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 4))
	ties, cut := 0, 0
	for i := range depth.Cases(8000) {
		n, w := tied(t, rng, configs(rng))
		task := tiedTask(rng)
		var best *Plan
		delays := map[bookahead.Time]map[bookahead.Duration]bool{}
		w.all(n, task, func(p Plan) {
			if p.Run.Empty() || task.Deadline != 0 && p.Run.End > task.Deadline {
				return
			}
			if delays[p.Run.End] == nil {
				delays[p.Run.End] = map[bookahead.Duration]bool{}
			}
			delays[p.Run.End][p.Delay] = true
			if best == nil || p.Run.End < best.Run.End || p.Run.End == best.Run.End && p.Delay < best.Delay {
				best = &p
			}
		})
		if best != nil && len(delays[best.Run.End]) > 1 {
			ties++
		}
		exactly := func(p Plan, err error) {
			if best == nil {
				require.Equal(t, bookahead.ErrUnavailable, err, "network %d", i)
				return
			}
			require.NoError(t, err, "network %d", i)
			require.Equal(t, outcome{best.Run.End, best.Delay}, outcome{p.Run.End, p.Delay}, "network %d: %+v", i, task)
			w.valid(t, n, task, p)
		}
		exactly(n.Earliest(task))
		exactly(n.MCT(task, nil))
		if best != nil { // a deadline that just suffices changes nothing
			tight := task
			tight.Deadline = best.Run.End
			exactly(n.Earliest(tight))
		}
		short := task
		short.Effort.Steps = 1 + rng.Int64N(250)
		limited, err := n.Earliest(short)
		if !limited.Spent.Cut {
			exactly(limited, err)
			continue
		}
		cut++
		if err != nil {
			require.Equal(t, bookahead.ErrStopped, err, "network %d", i)
			continue
		}
		w.valid(t, n, task, limited)
		require.LessOrEqual(t, limited.Bound, best.Run.End, "network %d", i)
		if p, none := n.ECT(task); none == nil && p.Spent.Steps <= short.Effort.Steps {
			require.False(t, valueOf(p).better(valueOf(limited)), "network %d: worse than that of ECT", i)
		}
	}
	require.Greater(t, ties, depth.Cases(1500))
	require.Greater(t, cut, depth.Cases(150))
}
