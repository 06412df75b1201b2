package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
)

// three is a log of three jobs; the last one is larger than a part.
var three = log{jobs: []job{
	{Submit: 0, Run: 10, Estimate: 30, Units: 2, Number: 1, Wait: 5},
	{Submit: 7, Run: 20, Estimate: 20, Units: 1, Number: 2, Wait: 0},
	{Submit: 9, Run: 1, Estimate: 50, Units: 100, Number: 3, Wait: 40},
}}

// TestTasks makes AR tasks of all jobs, and of none.
func TestTasks(t *testing.T) {
	p := two(light, mct, 100)
	for _, c := range []struct {
		reading                    string
		at                         interval
		ready                      bookahead.Time
		run, estimate, dueEstimate bookahead.Duration
	}{
		{"run", interval{}, 5, 10, 10, 10},
		{"ready", interval{}, 5, 10, 10, 10},
		{"text", interval{}, 5, 10, 30, 30},
		{"kept", interval{}, 5, 30, 30, 30},
		{"run", interval{1, 4}, 5 + hour, 10, 10, 10 + 3*hour},
	} {
		p.interval = c.at
		var r reading
		for _, candidate := range readings {
			if candidate.name == c.reading {
				r = candidate
			}
		}
		tasks, err := p.tasks(three, r, 1)
		require.NoError(t, err)
		first := tasks[0]
		require.True(t, first.AR)
		require.Equal(t, c.ready, first.Ready, c)
		require.Equal(t, c.run, first.Run, c)
		require.Equal(t, c.estimate, first.Estimate, c)
		require.Equal(t, c.ready+bookahead.Time(c.dueEstimate), first.Due, c)
		require.Equal(t, part, tasks[2].Units)
	}
	tasks, err := two(light, mct, 0).tasks(three, readings[0], 1)
	require.NoError(t, err)
	require.Equal(t, sim.Task{Job: three.jobs[0]}, tasks[0])
	tasks, err = knowing(two(light, mct, 0)).tasks(three, readings[0], 1)
	require.NoError(t, err)
	require.Equal(t, bookahead.Duration(10), tasks[0].Estimate)
}

// TestSummary sums up a batch task and two AR tasks on two parts of two processors;
// the last one is late.
func TestSummary(t *testing.T) {
	r := sim.Result{
		Units: []int64{2, 2},
		Tasks: []sim.Task{
			{Job: workload.Job{Submit: 0, Run: 10, Estimate: 10, Units: 2}},
			{Job: workload.Job{Submit: 0, Run: 10, Estimate: 10, Units: 1}, Ready: 20, Due: 30, AR: true},
			{Job: workload.Job{Submit: 4, Run: 20, Estimate: 20, Units: 1}, Ready: 10, Due: 30, AR: true},
		},
		Outcomes: []sim.Outcome{{Start: 5, End: 15}, {Start: 20, End: 30}, {Start: 20, End: 40, Provider: 1}},
	}
	s := summarise(r, false)
	require.Equal(t, (15.0+30+36)/3, s.f)
	require.Equal(t, 15.0, s.flowBatch)
	require.Equal(t, 33.0, s.flowAR)
	require.Equal(t, 5.0, s.d, "(0 + 10) / 2")
	require.Equal(t, 40.0, s.makespan)
	require.InDelta(t, (30.0/80+20.0/80)/2, s.u, 1e-12)
	require.Equal(t, (15.0+10+30)/3, summarise(r, true).f)
	require.InDelta(t, 50.0/(4*24*hour), s.daily[0], 1e-12)
}

// TestDaily has one task that lasts from noon to noon.
func TestDaily(t *testing.T) {
	r := sim.Result{
		Units:    []int64{4},
		Tasks:    []sim.Task{{Job: workload.Job{Units: 2}}},
		Outcomes: []sim.Outcome{{Start: 12 * hour, End: 60 * hour}},
	}
	require.Equal(t, []float64{0.25, 0.5, 0.25}, daily(r))
}

// TestKept ends an AR task when it is done, though its reservation goes on.
func TestKept(t *testing.T) {
	kept := readings[len(readings)-1]
	require.True(t, kept.kept)
	res := sim.Result{
		Tasks:    []sim.Task{{Job: workload.Job{Run: 30, Estimate: 30}, AR: true}, {Job: workload.Job{Run: 20, Estimate: 20}}},
		Outcomes: []sim.Outcome{{Start: 5, End: 35}, {Start: 7, End: 27}},
	}
	kept.done(three, res)
	require.Equal(t, bookahead.Time(15), res.Outcomes[0].End)
	require.Equal(t, bookahead.Duration(10), res.Tasks[0].Run)
	require.Equal(t, bookahead.Time(27), res.Outcomes[1].End)
}

// TestShared checks that a plan that does not depend on the seed is simulated once for all
// worlds.
func TestShared(t *testing.T) {
	require.False(t, two(light, priority, 0).chance())
	require.False(t, two(light, priority, 100).chance())
	require.True(t, two(light, mct, 100).chance(), "ties")
	require.True(t, two(light, random, 0).chance())
	require.True(t, two(light, priority, 50).chance())
	kept := &memory{runs: map[simulation]*summary{}}
	a := &world{logs: [2]log{three, three}, reading: readings[0], seed: 1, memory: kept}
	b := &world{logs: [2]log{three, three}, reading: readings[0], seed: 2, memory: kept}
	p := two(light, priority, 100)
	require.Same(t, a.run(p), b.run(p))
	p.grid = random
	require.NotSame(t, a.run(p), b.run(p))
	p.units = 0
	require.Zero(t, *a.run(p))
	require.ErrorContains(t, kept.err, "capacity 0")
}

// pair is a log of two jobs, each of which takes a whole part for 100 s.
var pair = log{jobs: []job{
	{Submit: 0, Run: 100, Estimate: 100, Units: part, Number: 1},
	{Submit: 0, Run: 100, Estimate: 100, Units: part, Number: 2},
}}

// TestStrategies has two jobs on two parts: mean F is 100 s if each gets a part of its
// own, and 150 s if one follows the other.
func TestStrategies(t *testing.T) {
	mixed := uint64(0) // a seed that makes the first of the jobs an AR task
	for ; ; mixed++ {
		tasks, err := two(light, mct, 50).tasks(pair, readings[0], mixed)
		require.NoError(t, err)
		if tasks[0].AR && !tasks[1].AR {
			break
		}
	}
	for _, c := range []struct {
		plan plan
		f    float64
	}{
		{two(light, mct, 0), 100},
		{two(light, mct, 100), 100},
		{two(light, priority, 100), 100},                        // fixed requests
		{within(interval{0, 1}, mct, 100), 100},                 // flexible ones: whoever is first
		{within(interval{0, 1}, priority, 100), 150},            // the first part will do
		{two(light, static, 0), 150},                            // both to the second part
		{two(light, static, 100), 150},                          // both to the first
		{two(light, static, 50), 100},                           // one to each
		{plan{parts: 1, units: part, grid: mct, share: 0}, 150}, // there is one only
		{plan{parts: 1, units: machine, grid: mct, share: 0}, 100},
	} {
		w := &world{logs: [2]log{pair, pair}, reading: readings[0], seed: mixed, memory: &memory{runs: map[simulation]*summary{}}}
		require.Equal(t, c.f, w.run(c.plan).f, c)
		require.NoError(t, w.err)
	}
}

// TestPeriod has a grid that decides every hour.
func TestPeriod(t *testing.T) {
	later := log{jobs: []job{pair.jobs[0], pair.jobs[1]}}
	later.jobs[1].Submit = 100
	w := &world{logs: [2]log{later, later}, reading: readings[0], memory: &memory{runs: map[simulation]*summary{}}}
	require.Equal(t, (100.0+3600)/2, w.run(every(hour, mct, 0)).f)
	require.Equal(t, 100.0, w.run(every(0, mct, 0)).f)
	require.Equal(t, 3500.0/2, w.run(every(hour, mct, 100)).d, "AR tasks wait for it too, and are late")
}

// TestSimulate checks three things on any log: Proposition 1 of Kurowski et al., that MCT
// is AR resource priority if it takes the first of equals, and that all strategies do the
// same work.
func TestSimulate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logs, err := synthesize(rapid.IntRange(2, 40).Draw(t, "jobs"), rapid.Uint64Range(0, 1<<40).Draw(t, "seed"))
		require.NoError(t, err)
		w := &world{
			logs: logs, reading: rapid.SampledFrom(readings).Draw(t, "reading"), seed: 3,
			memory: &memory{runs: map[simulation]*summary{}},
		}
		share := rapid.IntRange(0, 100).Draw(t, "share")
		counted := w.run(two(heavy, priority, share))
		require.Equal(t, counted, w.run(bound(dynamic, share)), "servers chosen at the start")
		require.Equal(t, counted, w.run(two(heavy, first, share)), "requests are fixed")
		for _, g := range []strategy{mct, random, static} {
			s := w.run(two(heavy, g, share))
			require.InEpsilon(t, counted.u*counted.makespan, s.u*s.makespan, 1e-9, "the work of all tasks")
			require.GreaterOrEqual(t, s.d, 0.0)
		}
		require.Zero(t, w.run(two(heavy, priority, 0)).d)
		require.NoError(t, w.err)
	})
}
