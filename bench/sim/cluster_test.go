package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
	"github.com/bookahead/bookahead/scheduletest"
)

// trial is a cluster with its gangs, as the oracle reads them.
type trial struct {
	Cluster
	turn
	given []nodes.Vector
	racks [][]int
	gangs []Gang
}

// newTrial makes a small cluster whose nodes fail often.
func newTrial(t *testing.T, rng *rand.Rand) trial {
	x := trial{racks: [][]int{{0, 1}, {2, 3}}}
	for range 4 {
		x.given = append(x.given, nodes.Vector{rng.Int64N(4), 1 + rng.Int64N(6)})
	}
	m, err := nodes.New(nodes.Config{
		Resources: []string{"gpus", "cores"}, Nodes: x.given,
		Levels: []nodes.Level{{Name: "rack", Groups: x.racks}}, Sets: map[string][]int{"even": {0, 2}},
	})
	require.NoError(t, err)
	x.turn = turns[[]int{0, 0, 3, 1, 2}[rng.IntN(5)]]
	x.Cluster = Cluster{Machine: m, Units: 8, Local: Local{
		Order:    x.turn.Order,
		Backfill: []plan.Backfill{plan.None(), plan.FirstFit(), plan.EASY(1), plan.Conservative()}[rng.IntN(4)],
	}}
	for range rng.IntN(5) {
		x.Outages = append(x.Outages, someOutage(rng))
	}
	for range rng.IntN(20) {
		x.gangs = append(x.gangs, someGang(rng))
	}
	return x
}

// resize gives each gang the units that plan.LSF goes by: its tasks, or the sum of all amounts on pools.
func (x *trial) resize() {
	for i := range x.gangs {
		g := &x.gangs[i]
		g.Units = g.On.Tasks
		if !x.Pools {
			continue
		}
		g.Units = 0
		for r, amount := range g.On.Each {
			g.Units += g.On.Tasks * amount
			if g.On.Head != nil {
				g.Units += g.On.Head[r]
			}
		}
	}
}

func someOutage(rng *rand.Rand) Outage {
	known := bookahead.Time(rng.IntN(50))
	o := Outage{Known: known, Nodes: rng.Perm(4)[:1+rng.IntN(2)]}
	o.Start, o.End = known, bookahead.MaxTime
	long := bookahead.Time(1 + rng.IntN(15))
	if rng.IntN(2) == 0 { // a drain
		o.Start += bookahead.Time(rng.IntN(20))
		o.End = o.Start + long
		long = bookahead.Time(rng.IntN(int(long) + 1))
	}
	if o.End == bookahead.MaxTime || long > 0 {
		o.Repaired = o.Start + long
	}
	return o
}

func someGang(rng *rand.Rand) Gang {
	estimate := bookahead.Duration(1 + rng.IntN(12))
	submit := bookahead.Time(rng.IntN(40))
	g := Gang{
		Task: Task{
			Job: workload.Job{
				Submit: submit, Run: 1 + bookahead.Duration(rng.IntN(int(estimate))),
				Estimate: estimate, Units: 1 + rng.Int64N(3),
			},
			Ready: submit, Priority: rng.IntN(3), AR: rng.IntN(4) == 0,
		},
		On: nodes.Request{
			Tasks: 1 + rng.Int64N(4), PerNode: rng.Int64N(3),
			Each: []nodes.Vector{{1, 1}, {0, 2}, {2, 1}, {1, 0}, {0, 1}}[rng.IntN(5)],
		},
	}
	if rng.IntN(4) == 0 {
		g.On.Within = "rack"
	}
	if rng.IntN(8) == 0 {
		g.On.Nodes = rng.Perm(4)[:1+rng.IntN(4)]
	}
	if rng.IntN(8) == 0 {
		g.On.Except = rng.Perm(4)[:1+rng.IntN(2)]
	}
	if rng.IntN(12) == 0 {
		g.On.Set = "even"
	}
	if rng.IntN(5) == 0 {
		g.On.Head = []nodes.Vector{{1, 1}, {0, 2}, {1, 0}}[rng.IntN(3)]
	}
	if g.AR || rng.IntN(6) == 0 {
		g.Ready += bookahead.Time(rng.IntN(15))
	}
	if g.AR { // without a due date, one that is too large would be looked for to the end
		g.Due = g.Ready + bookahead.Time(estimate) + bookahead.Time(rng.IntN(30))
	}
	return g
}

// allows reports whether a request allows a node.
func allows(on nodes.Request, node int) bool {
	return (on.Nodes == nil || slices.Contains(on.Nodes, node)) && (on.Set == "" || node%2 == 0) && !slices.Contains(on.Except, node)
}

// check compares the result of a run with the machine, at every tick, node and resource.
func (x *trial) check(t *testing.T, r ClusterResult) {
	used := map[[3]int64]int64{} // by node, resource and tick
	last := map[int]Ran{}
	for _, run := range r.Runs {
		on := x.gangs[run.Task].On
		tasks, racks := int64(0), map[int]bool{}
		lies := func(node int, times int64, each nodes.Vector) {
			racks[node/2] = true
			require.True(t, allows(on, node))
			for tick := run.When.Start; tick < run.When.End; tick++ {
				for res, amount := range each {
					used[[3]int64{int64(node), int64(res), int64(tick)}] += times * amount
				}
				for _, o := range x.Outages {
					for _, k := range o.Nodes {
						require.False(t, k == node && o.Start <= tick && tick < o.over(), "gang %d runs on %d at %d", run.Task, k, tick)
					}
				}
			}
		}
		for _, s := range run.On {
			tasks += s.Tasks
			require.True(t, on.PerNode == 0 || s.Tasks <= on.PerNode)
			lies(s.Node, s.Tasks, on.Each)
		}
		require.Equal(t, on.Head != nil, run.Head >= 0)
		if on.Head != nil {
			lies(run.Head, 1, on.Head)
		}
		require.Equal(t, on.Tasks, tasks)
		require.True(t, on.Within == "" || len(racks) == 1)
		last[run.Task] = run
	}
	for at, amount := range used {
		require.LessOrEqual(t, amount, x.given[at[0]][at[1]], "node %d, resource %d, at %d", at[0], at[1], at[2])
	}
	for i, o := range r.Outcomes {
		g := &x.gangs[i]
		if o.Rejected {
			continue
		}
		require.Equal(t, bookahead.Interval{Start: o.Start, End: o.End}, last[i].When, "the last run is whole")
		require.Equal(t, o.Start+bookahead.Time(g.Run), o.End)
		require.GreaterOrEqual(t, o.Start, g.Ready)
		if g.AR && o.Displaced == 0 && !slices.Contains(r.Broken, i) {
			require.Equal(t, o.Promised, o.Start, "a reservation is firm")
		}
		if g.AR {
			require.LessOrEqual(t, o.Start+bookahead.Time(g.Estimate), g.Due)
		}
	}
	if !x.Pools {
		require.Empty(t, r.Broken)
	}
}

// TestClusterAgainstTheOracle: every gang has the same start, end, promise and nodes as in the
// simulation that looks at every node at every tick, and the nodes could run all that ran. There are
// 500 workloads, and 5 000 with BOOKAHEAD_OPS=500000, each on nodes and on pools.
func TestClusterAgainstTheOracle(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(max(200, scheduletest.Operations()/100)) {
		x := newTrial(t, rand.New(rand.NewPCG(seed, 22)))
		x.resize()
		x.compare(t, seed, simulateCluster(x), nil, seen)
		x.Pools = true
		x.resize()
		o := simulatePools(x)
		x.compare(t, seed, &o.clusterOracle, o.broken, seen)
	}
	t.Log(seen)
	for _, what := range []string{"gangs", "displaced", "displaced reservations that ran", "delayed promises", "heads"} {
		require.Positive(t, seen["nodes: "+what], what)
		require.Positive(t, seen["pools: "+what], what)
	}
	require.Positive(t, seen["pools: broken reservations that ran"])
	require.Positive(t, seen["pools: broken reservations that were rejected"])
}

// compare compares a run with an oracle's, and counts the cases that it meets.
func (x *trial) compare(t *testing.T, seed uint64, o *clusterOracle, broken []int, seen map[string]int) {
	on := "nodes: "
	if x.Pools {
		on = "pools: "
	}
	r, err := RunCluster(t.Context(), x.Cluster, x.gangs)
	require.NoError(t, err, "%sseed %d", on, seed)
	for i, want := range o.out {
		g := &x.gangs[i]
		require.Equal(t, want, r.Outcomes[i], "%sseed %d: gang %d: %+v\n%T %T, outages %+v", on, seed, i, *g, x.Local.Order, x.Local.Backfill, x.Outages)
		if want.Displaced > 0 {
			seen[on+"displaced"]++
		}
		if want.Displaced > 0 && g.AR && !want.Rejected {
			seen[on+"displaced reservations that ran"]++
		}
	}
	require.Equal(t, broken, r.Broken, "%sseed %d", on, seed)
	for _, i := range broken {
		if r.Outcomes[i].Rejected {
			seen[on+"broken reservations that were rejected"]++
		} else {
			seen[on+"broken reservations that ran"]++
		}
	}
	last := map[int]Ran{}
	for _, run := range r.Runs {
		last[run.Task] = run
	}
	for i, run := range last {
		if !r.Outcomes[i].Rejected {
			require.Equal(t, o.spot[i], run.On, "%sseed %d: the nodes of gang %d", on, seed, i)
			require.Equal(t, o.head[i], run.Head, "%sseed %d: the head of gang %d", on, seed, i)
			if run.Head >= 0 {
				seen[on+"heads"]++
			}
		}
	}
	seen[on+"gangs"] += len(x.gangs)
	for _, n := range r.Delayed {
		seen[on+"delayed promises"] += n
	}
	x.check(t, r)
}
