package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/nodes"
)

// byHand is a scenario on two racks: node 0 fails at 100 and is repaired at 200. Gang 0 has half of
// node 0 until then, and runs again on node 1 from 150 on. Gang 1 runs beside it, and gang 2 is
// booked for 300. Gang 3 is never promised anything.
func byHand() (*scenario, sim.ClusterResult) {
	gang := func(run bookahead.Duration, tasks, gpus int64) sim.Gang {
		return sim.Gang{
			Task: sim.Task{Job: workload.Job{Run: run, Estimate: 2 * run, Units: tasks * gpus}},
			On:   nodes.Request{Tasks: tasks, Each: nodes.Vector{gpus, 8 * gpus}, PerNode: 1, Within: "rack"},
		}
	}
	x := &scenario{settings: settings{nodes: 40}, span: 1_000, gangs: []sim.Gang{gang(400, 1, 4), gang(100, 2, 4), gang(50, 2, 8), gang(60, 1, 1)}}
	x.gangs[2].AR, x.gangs[2].Ready, x.gangs[2].Due = true, 250, 400
	x.gangs[3].AR = true
	x.outages = []sim.Outage{{Interval: bookahead.Interval{Start: 100, End: bookahead.MaxTime}, Known: 100, Repaired: 200, Nodes: []int{0}}}
	ran := func(task int, from, to bookahead.Time, on ...int) sim.Ran {
		r := sim.Ran{Task: task, When: bookahead.Interval{Start: from, End: to}, Head: -1}
		for _, k := range on {
			r.On = append(r.On, nodes.Share{Node: k, Tasks: 1})
		}
		return r
	}
	var r sim.ClusterResult
	for _, g := range x.gangs {
		r.Tasks = append(r.Tasks, g.Task)
	}
	r.Runs = []sim.Ran{ran(0, 0, 100, 0), ran(1, 0, 100, 0, 1), ran(0, 150, 550, 1), ran(2, 300, 350, 20, 21)}
	r.Outcomes = []sim.Outcome{
		{Start: 150, End: 550, Promised: sim.Never, Displaced: 1},
		{Start: 0, End: 100, Promised: sim.Never},
		{Start: 300, End: 350, Promised: 300},
		{Provider: -1, Rejected: true, Promised: sim.Never},
	}
	return x, r
}

// TestVerify: a result that is right passes, and each fault in it is found.
func TestVerify(t *testing.T) {
	x, r := byHand()
	require.NoError(t, x.verify(r))
	for says, spoil := range map[string]func(r *sim.ClusterResult){
		"node 0: at 99, 12 GPUs and 96 cores run on it": func(r *sim.ClusterResult) {
			r.Runs = append(r.Runs, sim.Ran{Task: 1, When: bookahead.Interval{Start: 99, End: 100}, On: r.Runs[1].On})
		},
		"node 0: at 150 it is closed, and 4 GPUs and 32 cores run on it": func(r *sim.ClusterResult) { r.Runs[2].On = r.Runs[0].On },
		"gang 2 starts at 300, not at 299 as promised":                   func(r *sim.ClusterResult) { r.Outcomes[2].Promised = 299 },
		"gang 2 runs 2 tasks from 249 on": func(r *sim.ClusterResult) {
			r.Runs[3].When = bookahead.Interval{Start: 249, End: 299}
		},
		"gang 2 never ran, and was promised 300": func(r *sim.ClusterResult) {
			r.Runs, r.Outcomes[2].Rejected = r.Runs[:3], true
		},
		"gang 0 runs for 99 of 400 until 99, when no outage begins on its nodes":   func(r *sim.ClusterResult) { r.Runs[0].When.End = 99 },
		"gang 0 runs for 100 of 400 until 100, when no outage begins on its nodes": func(r *sim.ClusterResult) { r.Runs[0].On = r.Runs[2].On },
		"gang 2 runs for 51, not for 50":                                           func(r *sim.ClusterResult) { r.Runs[3].When.End = 351 },
		"gang 1 runs for 101, not for 100":                                         func(r *sim.ClusterResult) { r.Runs[1].When.Start = -1 },
		"gang 2 runs until 401, after 400": func(r *sim.ClusterResult) {
			r.Runs[3].When = bookahead.Interval{Start: 351, End: 401}
		},
		"gang 2 runs 1 tasks from 300 on":         func(r *sim.ClusterResult) { r.Runs[3].On = r.Runs[3].On[:1] },
		"gang 2 has 1 tasks on node 19":           func(r *sim.ClusterResult) { r.Runs[3].On[1].Node = 19 },
		"gang 2 has 2 tasks on node 20":           func(r *sim.ClusterResult) { r.Runs[3].On[0].Tasks = 2 },
		"gang 2 has run 0 times; rejected: false": func(r *sim.ClusterResult) { r.Runs = r.Runs[:3] },
		"gang 2 has run 2 times; rejected: false": func(r *sim.ClusterResult) { r.Runs = append(r.Runs, r.Runs[3]) },
		"gang 1 has run 1 times; rejected: true":  func(r *sim.ClusterResult) { r.Outcomes[1].Rejected = true },
	} {
		x, r := byHand()
		spoil(&r)
		require.EqualError(t, x.verify(r), says)
	}
	r.Outcomes[2].Promised, r.Broken = 299, []int{2}
	require.NoError(t, x.verify(r), "the promise was broken, and is counted")
}

// TestSummary: the numbers of the scenario are those that paper and pencil find.
func TestSummary(t *testing.T) {
	x, r := byHand()
	s := x.summarize("nodes", r)
	require.Equal(t, summary{machine: "nodes", nodes: 40, jobs: 4, asked: 2, refused: 1, made: 1, kept: 1, waits: []float64{0, 50. / hour}, ahead: []float64{50. / hour},
		finished: s.finished, utilisation: s.utilisation, lost: s.lost, used: s.used, waiting: s.waiting}, s)
	work := 4*400. + 8*100 + 16*50 // the first run of gang 0 is lost
	require.InDelta(t, work/(40*8*1_000), s.utilisation, 1e-12)
	require.InDelta(t, 4*100./(40*8*1_000), s.lost, 1e-12)
	require.Len(t, s.used, 1)
	require.InDelta(t, work/(40*8*step), s.used[0], 1e-12)
	require.InDelta(t, 50./step, s.waiting[0], 1e-12)
	s.waits = []float64{1, 2, 3, 6}
	require.Equal(t, 3., mean(s.waits))
	require.Equal(t, []float64{1, 1, 2, 3, 6, 6}, []float64{s.quantile(0), s.quantile(0.24), s.quantile(0.25), s.quantile(0.5), s.quantile(0.99), s.quantile(1)})
	require.Equal(t, 100., s.percent(s.kept))

	require.Equal(t, 0., mean(s.late))
	require.InDelta(t, work/hour, s.finished, 1e-12)

	// shares are the promises kept, broken and displaced; the broken ones that ran, the displaced ones that
	// ran, and the displaced ones that ran from the promised start.
	shares := func() []int {
		s = x.summarize("pools", r)
		require.Equal(t, 1, s.made)
		return []int{s.kept, s.broken, s.displaced, s.brokenRan, s.moved, s.punctual}
	}
	r.Outcomes[2].Displaced = 1
	require.Equal(t, []int{0, 0, 1, 0, 1, 1}, shares())
	r.Outcomes[2].Promised = 280
	require.Equal(t, []int{0, 0, 1, 0, 1, 0}, shares())
	require.InDelta(t, 30./hour, mean(s.ahead), 1e-12)
	r.Outcomes[2].Displaced = 0
	require.Equal(t, []int{0, 1, 0, 1, 0, 0}, shares(), "a promise is not kept by another start")
	require.InDelta(t, 20./hour, mean(s.late), 1e-12)
	r.Outcomes[2].Promised, r.Broken = 264, []int{2}
	require.Equal(t, []int{0, 1, 0, 1, 0, 0}, shares())
	require.InDelta(t, 36./hour, mean(s.late), 1e-12)
	require.Equal(t, 100., s.percent(s.broken))
	r.Outcomes[2].Rejected, r.Runs = true, r.Runs[:3]
	require.Equal(t, []int{0, 1, 0, 0, 0, 0}, shares())
	require.Empty(t, s.late)
	r.Broken, r.Outcomes[2].Promised = nil, 300
	require.Equal(t, []int{0, 1, 0, 0, 0, 0}, shares(), "a promise is not kept without a run")
	r.Outcomes[2].Displaced = 1
	require.Equal(t, []int{0, 0, 1, 0, 0, 0}, shares())
}

// TestSpread divides an amount among the steps in which an interval lies.
func TestSpread(t *testing.T) {
	steps := make([]float64, 4)
	spread(steps, bookahead.Interval{Start: step / 2, End: 2*step + step/4}, 8)
	require.Equal(t, []float64{4, 8, 2, 0}, steps)
	spread(steps, bookahead.Interval{Start: step, End: step}, 8)
	require.Equal(t, []float64{4, 8, 2, 0}, steps)
}

// TestScenario looks at the machine, the jobs and the outages.
func TestScenario(t *testing.T) {
	s := settings{nodes: 50, jobs: 300, load: 1, ahead: 0.5, failures: 20, drains: 20, seed: 4}
	x, err := newScenario(s)
	require.NoError(t, err)
	require.Len(t, x.gangs, 300)
	require.Equal(t, x.gangs[299].Submit, x.span)
	require.Len(t, x.outages, 40)
	for i, o := range x.outages {
		require.LessOrEqual(t, o.Known, x.span)
		if i < 20 {
			require.Len(t, o.Nodes, 1)
			require.Equal(t, o.Known, o.Start)
			require.Equal(t, bookahead.MaxTime, o.End)
			require.InDelta(t, 6*hour, float64(o.Repaired-o.Start), 4*hour)
			continue
		}
		require.Contains(t, []int{10, 20}, len(o.Nodes), "the last rack has 10 nodes")
		require.Equal(t, o.Known+day, o.Start)
		require.Equal(t, o.Start+4*hour, o.End)
	}
	racks := 0
	for _, g := range x.gangs {
		require.Equal(t, int64(1), g.On.PerNode)
		if g.On.Within != "" {
			racks++
		}
		if g.AR {
			require.Greater(t, g.Due, g.Ready+bookahead.Time(g.Estimate))
		} else {
			require.Zero(t, g.Due)
			require.Equal(t, g.Submit, g.Ready)
		}
	}
	require.Positive(t, racks)
	again, err := newScenario(s)
	require.NoError(t, err)
	require.Equal(t, x.gangs, again.gangs)
	require.Equal(t, x.outages, again.outages)
	s.jobs = -1
	_, err = newScenario(s)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}
