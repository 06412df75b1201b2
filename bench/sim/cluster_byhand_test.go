package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// pair is a cluster of two nodes of 2 GPUs.
func pair(t *testing.T, local Local, outages ...Outage) Cluster {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}, {2}}})
	require.NoError(t, err)
	return Cluster{Machine: m, Units: 4, Local: local, Outages: outages}
}

// gang is a batch gang of tasks with so many GPUs each.
func gang(submit bookahead.Time, run, estimate bookahead.Duration, tasks, gpus int64) Gang {
	return Gang{
		Task: Task{Job: workload.Job{Submit: submit, Run: run, Estimate: estimate, Units: tasks * gpus}, Ready: submit},
		On:   nodes.Request{Tasks: tasks, Each: nodes.Vector{gpus}},
	}
}

// booked is a gang that is booked ahead.
func booked(g Gang, ready, due bookahead.Time) Gang {
	g.AR, g.Ready, g.Due = true, ready, due
	return g
}

// failure is a failure of a node that nobody knows of before.
func failure(node int, at, repaired bookahead.Time) Outage {
	return Outage{Interval: bookahead.Interval{Start: at, End: bookahead.MaxTime}, Known: at, Repaired: repaired, Nodes: []int{node}}
}

// drain is a drain of a node.
func drain(node int, known, from, to bookahead.Time) Outage {
	return Outage{Interval: bookahead.Interval{Start: from, End: to}, Known: known, Nodes: []int{node}}
}

func TestClustersByHand(t *testing.T) {
	easy, conservative := Local{Backfill: plan.EASY(1)}, Local{Backfill: plan.Conservative()}
	for _, c := range []struct {
		name    string
		local   Local
		outages []Outage
		gangs   []Gang
		starts  string // as ClusterResult.starts says
	}{
		// A pool has 2 units free at 0. They lie on two nodes.
		{"units that do not lie together", Local{}, nil,
			[]Gang{gang(0, 9, 9, 2, 1), gang(0, 5, 5, 1, 2), gang(0, 5, 5, 1, 2)}, "0 0 5"},
		// The second gang waits for both nodes, until 10. The third would delay it, the fourth not.
		{"EASY", easy, nil,
			[]Gang{gang(0, 10, 10, 1, 2), gang(1, 5, 5, 2, 2), gang(2, 9, 9, 1, 2), gang(3, 7, 7, 1, 2)}, "0 10 15 3"},
		// The third waits for 15 as well, where the fourth may not be.
		{"conservative", conservative, nil,
			[]Gang{gang(0, 10, 10, 1, 2), gang(1, 5, 5, 2, 2), gang(2, 5, 5, 2, 2), gang(3, 9, 9, 1, 1)}, "0 10 15 20"},
		{"an early end", conservative, nil,
			[]Gang{gang(0, 4, 10, 1, 2), gang(1, 5, 5, 2, 2), gang(2, 5, 5, 2, 2)}, "0 4 9"},
		{"a reservation goes before the queue", conservative, nil,
			[]Gang{gang(0, 10, 10, 2, 2), gang(1, 5, 5, 2, 2), booked(gang(2, 5, 5, 1, 1), 12, 17)}, "0 17 12"},
		{"a failure stops a gang, and it begins anew", Local{}, []Outage{failure(0, 3, 9)},
			[]Gang{gang(0, 8, 8, 2, 2)}, "9/1"},
		{"a failure moves a reservation to another node", Local{}, []Outage{failure(0, 3, 20)},
			[]Gang{booked(gang(0, 4, 4, 1, 2), 5, 9)}, "5/1"},
		{"and rejects it if there is none", Local{}, []Outage{failure(0, 3, 20), failure(1, 4, 20)},
			[]Gang{booked(gang(0, 4, 4, 1, 2), 5, 9)}, "-/2"},
		{"a failure stops a reservation that runs", Local{}, []Outage{failure(0, 7, 20)},
			[]Gang{booked(gang(0, 4, 4, 1, 2), 5, 13), booked(gang(0, 4, 4, 1, 2), 5, 9)}, "9/1 5"},
		{"and rejects it if it would be late", Local{}, []Outage{failure(0, 7, 20)},
			[]Gang{booked(gang(0, 4, 4, 1, 2), 5, 12), booked(gang(0, 4, 4, 1, 2), 5, 9)}, "-/1 5"},
		{"without a due date it is late", Local{}, []Outage{drain(0, 3, 5, 20), drain(1, 3, 6, 21)},
			[]Gang{booked(gang(0, 4, 4, 1, 2), 5, 0), booked(gang(0, 4, 4, 2, 2), 9, 0)}, "20/1 24/1"},
		{"and rejected if nobody knows of a place", Local{}, []Outage{failure(0, 3, 20), failure(1, 4, 21)},
			[]Gang{booked(gang(0, 4, 4, 1, 2), 5, 0)}, "-/2"},
		// It is done at 6, though it is booked until 12.
		{"a gang is done before the drain", Local{}, []Outage{drain(0, 2, 8, 12)},
			[]Gang{gang(0, 6, 12, 1, 2)}, "0"},
		{"a gang is not done before the drain", Local{}, []Outage{drain(0, 2, 8, 12)},
			[]Gang{gang(0, 10, 12, 2, 2)}, "12/1"},
		{"nobody starts who would run into a drain", Local{}, []Outage{drain(0, 0, 8, 12)},
			[]Gang{gang(0, 9, 9, 2, 2), gang(0, 1, 1, 1, 2)}, "12 21"},
		{"EASY lets those go before who end in time", easy, []Outage{drain(0, 0, 8, 12)},
			[]Gang{gang(0, 9, 9, 2, 2), gang(0, 8, 8, 1, 2)}, "12 0"},
		{"a drain without a Repaired, at 0", Local{}, []Outage{drain(0, 0, 0, 5)},
			[]Gang{gang(0, 9, 9, 2, 2)}, "5"},
		{"a drain is over earlier", Local{}, []Outage{{Interval: bookahead.Interval{Start: 0, End: 9}, Repaired: 4, Nodes: []int{0}}},
			[]Gang{gang(0, 9, 9, 2, 2)}, "4"},
		{"two outages of a node", Local{}, []Outage{drain(0, 0, 2, 9), failure(0, 4, 6)},
			[]Gang{gang(1, 9, 9, 2, 2)}, "9"},
		{"a node that never comes back", Local{}, []Outage{failure(1, 2, 0)},
			[]Gang{gang(3, 9, 9, 2, 2), gang(3, 5, 5, 1, 2)}, "- 3"},
		{"the head's node fails", Local{}, []Outage{failure(0, 3, 6)}, []Gang{beside(gang(0, 9, 9, 1, 2), 2)}, "6/1"},
		{"a gang that is too large", Local{}, nil,
			[]Gang{gang(0, 1, 1, 1, 3), gang(0, 1, 1, 5, 1), gang(0, 1, 1, 4, 1)}, "- - 0"},
		{"priorities", Local{Order: plan.ByPriority()}, nil,
			[]Gang{gang(0, 5, 5, 2, 2), gang(1, 5, 5, 2, 2), urgent(gang(2, 5, 5, 2, 2))}, "0 10 5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := RunCluster(t.Context(), pair(t, c.local, c.outages...), c.gangs)
			require.NoError(t, err)
			require.Equal(t, c.starts, r.starts())
			require.Empty(t, r.Broken)
		})
	}
}

// starts returns the start of each gang, and how often it was displaced; - if it was rejected.
func (r ClusterResult) starts() string {
	got := ""
	for i, o := range r.Outcomes {
		if i > 0 {
			got += " "
		}
		if o.Rejected {
			got += "-"
		} else {
			got += fmt.Sprint(o.Start)
		}
		if o.Displaced > 0 {
			got += fmt.Sprintf("/%d", o.Displaced)
		}
	}
	return got
}

func urgent(g Gang) Gang {
	g.Priority = 1
	return g
}

// A gang that overtakes lies where the plan has a place for it, not where the machine alone would
// put it: node 0 has more free now, but node 0 is kept for the first in the queue.
func TestAGangThatOvertakesLiesWhereThePlanSays(t *testing.T) {
	c := pair(t, Local{Backfill: plan.EASY(1)})
	first := gang(0, 10, 10, 1, 1)
	first.On.Nodes = []int{0}
	head := gang(1, 5, 5, 1, 2)
	head.On.Nodes = []int{0}
	r, err := RunCluster(t.Context(), c, []Gang{first, head, gang(2, 20, 20, 2, 1), gang(3, 20, 20, 1, 1)})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(10), r.Outcomes[1].Start)
	require.Equal(t, []nodes.Share{{Node: 1, Tasks: 2}}, r.Runs[1].On)
}

// A broken promise is counted. A cluster breaks none, so this test closes a node in secret.
func TestBrokenPromisesAreCounted(t *testing.T) {
	e, err := newClusterEngine(t.Context(), pair(t, Local{}), []Gang{booked(gang(0, 4, 4, 1, 2), 5, 9), booked(gang(0, 4, 4, 1, 2), 5, 9)})
	require.NoError(t, err)
	e.tick(e.next())
	_, err = e.m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 20}, Servers: []int{0}})
	require.NoError(t, err)
	e.tick(e.next())
	require.NoError(t, e.err)
	require.Equal(t, bookahead.Time(5), e.now)
	require.Equal(t, []int{0}, e.Broken)
	require.True(t, e.Outcomes[0].Rejected)
}

func TestAClusterCanRunAgain(t *testing.T) {
	for _, pools := range []bool{false, true} {
		c := pair(t, Local{Backfill: plan.EASY(1)}, failure(0, 3, 9))
		c.Pools = pools
		gangs := []Gang{gang(0, 8, 8, 2, 2), gang(0, 8, 8, 1, 1)}
		first, err := RunCluster(t.Context(), c, gangs)
		require.NoError(t, err)
		second, err := RunCluster(t.Context(), c, gangs)
		require.NoError(t, err)
		require.Equal(t, first, second)
	}
}

// A drain is known when the horizon does not reach to it, and gangs go around it nevertheless.
func TestAHorizonSlidesAlong(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}}, Horizon: 10})
	require.NoError(t, err)
	for _, pools := range []bool{false, true} {
		c := Cluster{Machine: m, Units: 2, Local: Local{Backfill: plan.Conservative()}, Pools: pools}
		c.Outages = []Outage{drain(0, 0, 104, 108)}
		r, err := RunCluster(t.Context(), c, []Gang{
			gang(0, 9, 9, 1, 2), gang(0, 9, 9, 1, 2), gang(100, 4, 5, 1, 2), gang(0, 11, 11, 1, 1),
		})
		require.NoError(t, err)
		require.Equal(t, "0 9 108 -", r.starts())
	}
}

func TestClustersThatMakeNoSense(t *testing.T) {
	good := gang(0, 1, 1, 1, 1)
	for name, spoil := range map[string]func(c *Cluster, g *Gang){
		"Cluster.Machine":       func(c *Cluster, _ *Gang) { c.Machine = nil },
		"Cluster.Units":         func(c *Cluster, _ *Gang) { c.Units = 0 },
		"Cluster.Local.Period":  func(c *Cluster, _ *Gang) { c.Local.Period = 1 },
		"Cluster.Local.Preempt": func(c *Cluster, _ *Gang) { c.Local.Preempt = true },
		"Outage.Known":          func(c *Cluster, _ *Gang) { c.Outages = []Outage{drain(0, -1, 0, 1)} },
		"Outage.Start":          func(c *Cluster, _ *Gang) { c.Outages = []Outage{drain(0, 2, 1, 3)} },
		"Outage.Interval":       func(c *Cluster, _ *Gang) { c.Outages = []Outage{drain(0, 1, 2, 2)} },
		"Outage.Repaired":       func(c *Cluster, _ *Gang) { c.Outages = []Outage{failure(0, 3, 3)} },
		"Closure.Servers":       func(c *Cluster, _ *Gang) { c.Outages = []Outage{failure(2, 3, 4)} },
		"Task.Run":              func(_ *Cluster, g *Gang) { g.Run = 0 },
		"Request.Tasks":         func(_ *Cluster, g *Gang) { g.On.Tasks = 0 },
		"Request.Each":          func(_ *Cluster, g *Gang) { g.On.Each = nodes.Vector{1, 1} },
	} {
		c, g := pair(t, Local{}), good
		spoil(&c, &g)
		for _, c.Pools = range []bool{false, true} {
			_, err := RunCluster(t.Context(), c, []Gang{g})
			require.ErrorIs(t, err, bookahead.ErrInvalid, name)
			require.ErrorContains(t, err, name)
		}
	}
}

// A machine that holds a reservation is refused, and one whose reservations are gone is not.
func TestAMachineThatIsNotEmpty(t *testing.T) {
	for _, pools := range []bool{false, true} {
		c := pair(t, Local{})
		c.Pools = pools
		res, err := c.Machine.Reserve(nodes.Request{Ready: 90, Duration: 1, Tasks: 1, Each: nodes.Vector{1}})
		require.NoError(t, err)
		_, err = RunCluster(t.Context(), c, nil)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "Cluster.Machine")
		require.ErrorContains(t, err, "is not empty")
		require.NoError(t, c.Machine.Release(res.ID))
		_, err = RunCluster(t.Context(), c, []Gang{gang(0, 1, 1, 1, 1)})
		require.NoError(t, err)
	}
}
