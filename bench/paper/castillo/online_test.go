package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/idletree"
)

// tasksOf returns tasks of {submit, run, estimate, units}.
func tasksOf(jobs ...[4]int64) []sim.Task {
	var list []workload.Job
	for _, j := range jobs {
		list = append(list, workload.Job{Submit: bookahead.Time(j[0]), Run: bookahead.Duration(j[1]), Estimate: bookahead.Duration(j[2]), Units: j[3]})
	}
	return sim.FromJobs(list)
}

// TestByHand books three jobs on four servers, in order of submission:
//
//	job 0  all, [0, 1000)
//	job 1  all, ready at 100. Δt: 100, 1000; exact: 1000
//	job 2  one, ready at 200. Where job 1 starts at 1000, nothing is free before its end.
func TestByHand(t *testing.T) {
	tasks := tasksOf([4]int64{0, 1000, 1000, 4}, [4]int64{100, 500, 500, 4}, [4]int64{200, 10, 10, 1})
	for name, c := range map[string]struct {
		open     opener
		starts   []bookahead.Time
		attempts []int
	}{
		// 200 + 900 = 1100 lies in job 1, [1000, 1500); 200 + 2 × 900 does not.
		"Δt = 900":   {stepped(900), []bookahead.Time{0, 1000, 2000}, []int{1, 2, 3}},
		"boundaries": {stepped(900).fromBoundaries(), []bookahead.Time{0, 1800, 2700}, []int{1, 2, 3}},
		"stepping":   {openStepping, []bookahead.Time{0, 1000, 2000}, []int{1, 2, 3}},
		"Δt = 100":   {stepped(100), []bookahead.Time{0, 1000, 1500}, []int{1, 10, 14}},
		"exact":      {openExact, []bookahead.Time{0, 1000, 1500}, []int{1, 1, 1}},
	} {
		s, err := c.open(4, 0)
		require.NoError(t, err)
		r, err := schedule(tasks, 4, s)
		require.NoError(t, err)
		for i, o := range r.Outcomes {
			require.Equal(t, c.starts[i], o.Start, "%s, job %d", name, i)
			require.Equal(t, c.attempts[i], o.Attempts, "%s, job %d", name, i)
			require.Equal(t, o.Start+bookahead.Time(tasks[i].Run), o.End)
		}
		require.Equal(t, strings.HasPrefix(name, "Δt") || name == "boundaries", s.operations > 0, name)
	}
}

// TestGivesBack ends a job before its reservation: a job that is submitted at that moment
// finds the rest free, and a job that was booked before does not move.
func TestGivesBack(t *testing.T) {
	tasks := tasksOf([4]int64{0, 300, 1000, 4}, [4]int64{299, 100, 100, 4}, [4]int64{300, 100, 100, 4})
	c, err := openExact(4, 0)
	require.NoError(t, err)
	r, err := schedule(tasks, 4, c)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(1000), r.Outcomes[1].Start)
	require.Equal(t, bookahead.Time(300), r.Outcomes[2].Start)
}

// TestPatience turns away jobs that would have to wait for longer than R_max attempts
// take, by each search alike.
func TestPatience(t *testing.T) {
	for _, over := range []bookahead.Duration{0, 1} {
		tasks := tasksOf([4]int64{0, int64(patience + over), int64(patience + over), 1}, [4]int64{0, 10, 10, 1})
		for k, open := range []opener{stepped(slot), openStepping, openExact} {
			c, err := open(1, 0)
			require.NoError(t, err)
			r, err := schedule(tasks, 1, c)
			require.NoError(t, err)
			require.Equal(t, over > 0, r.Outcomes[1].Rejected)
			if over == 0 {
				require.Equal(t, bookahead.Time(patience), r.Outcomes[1].Start)
			}
			if k < 2 {
				require.Equal(t, attempts, r.Outcomes[1].Attempts)
			}
		}
	}
}

// someTasks draws tasks that crowd a few servers, some of them ahead.
func someTasks(t *rapid.T) ([]sim.Task, int64) {
	units := rapid.Int64Range(1, 9).Draw(t, "units")
	var tasks []sim.Task
	now := bookahead.Time(rapid.Int64Range(0, 10_000).Draw(t, "first"))
	for range rapid.IntRange(1, 40).Draw(t, "tasks") {
		now += bookahead.Time(rapid.Int64Range(0, 2000).Draw(t, "gap"))
		run := rapid.Int64Range(1, 20_000).Draw(t, "run")
		tasks = append(tasks, sim.Task{
			Job: workload.Job{
				Submit: now, Run: bookahead.Duration(run),
				Estimate: bookahead.Duration(run * rapid.Int64Range(1, 3).Draw(t, "over")),
				Units:    rapid.Int64Range(1, units).Draw(t, "units of the task"),
			},
			Ready: now + bookahead.Time(rapid.SampledFrom([]int64{0, 0, 1, 5000}).Draw(t, "ahead")),
		})
	}
	return tasks, units
}

// TestSteppingIsThePublishedSearch compares starts and attempts of all tasks.
func TestSteppingIsThePublishedSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks, units := someTasks(t)
		var results [2]sim.Result
		for k, open := range []opener{stepped(slot), openStepping} {
			c, err := open(units, tasks[0].Submit)
			require.NoError(t, err)
			results[k], err = schedule(tasks, units, c)
			require.NoError(t, err)
		}
		require.Equal(t, results[0].Outcomes, results[1].Outcomes)
	})
}

// TestSimulationAgrees takes the steps of bench/sim on the tree, and compares starts,
// ends and attempts.
func TestSimulationAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks, units := someTasks(t)
		c, err := openStepping(units, tasks[0].Submit)
		require.NoError(t, err)
		ours, err := schedule(tasks, units, c)
		require.NoError(t, err)
		for i := range tasks {
			tasks[i].AR = true
		}
		tree, err := idletree.NewTree(units, idletree.Config{Origin: tasks[0].Submit, Horizon: horizon})
		require.NoError(t, err)
		theirs, err := sim.Run(sim.Config{
			Providers: []sim.Provider{{Schedule: tree, Units: units}},
			Search:    sim.Steps{Step: slot, Tries: attempts},
		}, tasks)
		require.NoError(t, err)
		for i, o := range ours.Outcomes {
			require.Equal(t, theirs.Outcomes[i].Start, o.Start, "task %d", i)
			require.Equal(t, theirs.Outcomes[i].End, o.End, "task %d", i)
			require.Equal(t, theirs.Outcomes[i].Attempts, o.Attempts, "task %d", i)
		}
	})
}
