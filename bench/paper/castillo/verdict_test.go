package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
)

// saying is a scene whose worlds have those mean waits online, in hours.
func saying(fixed bool, waits ...float64) (s scene) {
	for _, h := range waits {
		s = append(s, &world{
			log: log{source: source{name: "KTH"}, synthetic: !fixed}, setting: settings[0],
			online: &summary{Metrics: sim.Metrics{MeanWait: h * hour}},
		})
	}
	return s
}

func TestVerdict(t *testing.T) {
	wait := claim{Claim: trial.Claim{What: "waits", Names: "hours", From: 1, To: 3}, by: alone, a: online.of(meanWait)}
	for _, c := range []struct {
		fixed, chance bool
		waits         []float64
		want          string
	}{
		{true, false, []float64{2}, "**holds** 2"},
		{true, false, []float64{2, 9}, "**holds** 2"}, // nothing depends on chance: the first tells
		{true, false, []float64{4}, "**does not hold** 4"},
		{true, false, []float64{math.NaN()}, "cannot be tested"},
		{true, true, []float64{2, 2.1}, "**holds** 2.05 (2.05 ± 0.64)"},
		{true, true, []float64{2, 9}, "**inconclusive** 5.5 (5.5 ± 44)"},
		{false, false, []float64{4, 4.05}, "**does not hold** 4.025 (4.03 ± 0.32)"},
	} {
		wait.chance = c.chance
		f := wait.find(saying(c.fixed, c.waits...))
		require.Equal(t, c.want, f.Text(), c)
	}
	other := saying(true, 2)
	other[0].log.other = "another log"
	wait.chance = false
	require.Equal(t, trial.Holds, wait.find(other).Verdict)
	wait.own = true
	f := wait.find(other)
	require.Equal(t, trial.Untested, f.Verdict)
	require.Equal(t, "another log", f.Note)
	require.Equal(t, "**cannot be tested** 2", f.Text(), "the numbers are shown all the same")
	ours := saying(true, 2)
	require.Equal(t, trial.Holds, wait.find(ours).Verdict)
	wait.peer = true
	ours[0].peer = other[0]
	require.Equal(t, trial.Untested, wait.find(ours).Verdict, "it compares with another log")

	require.Equal(t, trial.Untested, claim{}.find(saying(true, 1)).Verdict, "nothing to test it by")
}

// TestNotes says why a claim has no test, and that a log is another one where the
// paper's claim does not hold.
func TestNotes(t *testing.T) {
	require.Equal(t, "nobody knows", claim{Claim: trial.Claim{Why: "nobody knows"}}.find(saying(true, 1)).Note)
	c := claim{Claim: trial.Claim{To: 3, Why: "no wait is known"}, by: alone, a: online.of(meanWait)}
	other := saying(true, 4)
	other[0].log.other = "another log"
	require.Equal(t, "another log", c.find(other).Note)
	require.Empty(t, c.find(saying(true, 4)).Note)
	require.Equal(t, "no wait is known", c.find(saying(true, math.NaN())).Note)
	c.Where = trial.Ours
	require.Empty(t, c.find(other).Note)
}

// TestClaims checks that no claim is there twice, or has bounds or names that say nothing.
func TestClaims(t *testing.T) {
	for _, c := range claims() {
		require.NotEmpty(t, c.Where)
		require.NotContains(t, c.What, "|")
		if c.a == nil {
			require.NotEmpty(t, c.Why, c.What)
			continue
		}
		require.Less(t, c.From, c.To, c.What)
		require.NotEmpty(t, c.Names, c.What)
		require.NotNil(t, c.by, c.What)
	}
}

// TestBoundaries has a claim that holds as logged, and not with starts at the boundaries
// of slots: the verdict on a claim of the paper's cannot be told, that on ours is kept.
func TestBoundaries(t *testing.T) {
	logged, bounded, elsewhere := saying(true, 2), saying(true, 4), saying(true, 4)
	bounded[0].setting = settings[len(settings)-1]
	elsewhere[0].setting, elsewhere[0].log.name = bounded[0].setting, "CTC"
	require.True(t, bounded[0].setting.boundaries)
	c := claim{Claim: trial.Claim{What: "waits", Names: "hours", From: 1, To: 3}, by: alone, a: online.of(meanWait)}
	of := func(scenes ...scene) (verdicts []string) {
		for _, f := range findings([]claim{c}, scenes) {
			verdicts = append(verdicts, f.Verdict)
		}
		return verdicts
	}
	require.Equal(t, []string{trial.Untold, trial.Fails}, of(logged, bounded))
	require.Equal(t, []string{trial.Holds, trial.Fails}, of(logged, elsewhere), "another log settles nothing")
	c.Where = trial.Ours
	require.Equal(t, []string{trial.Holds, trial.Fails}, of(logged, bounded))
}

func TestClasses(t *testing.T) {
	of := func(means ...float64) []sim.Class {
		var list []sim.Class
		for i, m := range means {
			list = append(list, sim.Class{Above: int64(i), To: int64(i + 1), Tasks: fewest, Mean: m})
		}
		return list
	}
	require.Equal(t, 1.0, rising(of(1, 2, 3)))
	require.Equal(t, 2.0/3, rising(of(1, 3, 2)))
	require.Equal(t, 0.0, rising(of(3, 3)))
	require.True(t, math.IsNaN(rising(of(3))))
	few := of(1, 9, 3)
	few[1].Tasks--
	require.Equal(t, 1.0, rising(few), "a small class does not count")
	require.Equal(t, 3.0, largest(few))
	require.Equal(t, 3.0, meanOf(telling(few), 3))
	require.True(t, math.IsNaN(meanOf(telling(few), 2)))
	require.Equal(t, 2.0, worstRatio(of(1, 4, 3), of(2, 2, 3)))
	require.Equal(t, 1.0, worstRatio(of(1, 4, 3), few), "the second class is too small in one of them")
	require.True(t, math.IsNaN(worstRatio(of(1), nil)))
}

// TestSummary sums up four tasks on two processors; the third never ran.
func TestSummary(t *testing.T) {
	tasks := tasksOf([4]int64{0, hour, hour, 1}, [4]int64{0, 4 * hour, 4 * hour, 2}, [4]int64{0, 1, 1, 9}, [4]int64{0, hour, hour, 1})
	tasks[3].Ready = 2 * hour
	for i := range tasks {
		tasks[i].AR = true // as online books them
	}
	s := summarise(sim.Result{Tasks: tasks, Units: []int64{2}, Outcomes: []sim.Outcome{
		{Start: 0, End: hour, Attempts: 1},
		{Start: hour, End: 5 * hour, Attempts: 5},
		{Rejected: true, Provider: -1, Attempts: 6},
		{Start: 5 * hour, End: 6 * hour, Attempts: 4},
	}})
	require.Equal(t, 4.0, s.MeanAttempts, "tasks that are turned away count")
	require.Equal(t, 2.0, s.delay, "(0 + 1 + 5) / 3")
	require.Equal(t, 4.0/3, hours(s.MeanWait), "(0 + 1 + 3) / 3")
	require.Equal(t, 5.0, s.longest)
	require.Equal(t, 1.0/3, under(1)(s), "one hour is not less than one")
	require.Equal(t, 1.0/3, between(1, 1.5)(s))
	require.Equal(t, 1.0, under(5.5)(s))
	require.Equal(t, typical{1.5, 3}, s.short, "(0 + 3) / 2")
	require.Equal(t, typical{0.25, 0.25}, s.medium)
	require.Equal(t, []sim.Class{{Above: -1, To: 0, Tasks: 2, Mean: 1.5, Median: 3}, {Above: 0, To: 1, Tasks: 1, Mean: 1, Median: 1}}, s.sizes)
	require.Equal(t, []sim.Class{{Above: 0, To: 50, Tasks: 3, Mean: 4.0 / 3, Median: 1}}, s.fifties)
	require.Equal(t, []sim.Class{{Above: 0, To: 50, Tasks: 3, Mean: 10.0 / 3, Median: 4}}, s.tries)
	require.InDelta(t, 10.0/12, s.Utilisation, 1e-12)
}

// TestRecorded takes the waits of the log; a job without one does not count.
func TestRecorded(t *testing.T) {
	l := log{source: source{table: 8}, units: 4}
	for _, task := range tasksOf([4]int64{0, 10, 20, 1}, [4]int64{5, 10, 20, 1}) {
		task.Wait = workload.Unknown
		l.jobs = append(l.jobs, task.Job)
	}
	require.Nil(t, settings[0].recorded(l))
	l.jobs[1].Wait = 2 * hour
	s := settings[0].recorded(l)
	require.Equal(t, 2.0, hours(s.MeanWait))
	require.Equal(t, 1, s.Rejected)
	require.Equal(t, int64(8), settings[1].units(l))
	require.Equal(t, int64(20), int64(settings[2].tasks(l)[0].Estimate))
	require.Equal(t, int64(10), int64(settings[1].tasks(l)[0].Estimate))
}

// TestAhead books a share of the jobs up to three hours ahead, and more of them
// for a larger share.
func TestAhead(t *testing.T) {
	l, err := synthesize(400, 1)
	require.NoError(t, err)
	some, err := settings[0].ahead(l, 0.4, 7)
	require.NoError(t, err)
	all, err := settings[0].ahead(l, 1, 7)
	require.NoError(t, err)
	n := 0
	for i := range all {
		require.True(t, all[i].AR)
		d := all[i].Ready - all[i].Submit
		require.True(t, 0 <= d && d <= 3*hour)
		require.Zero(t, all[i].Due, "it may wait as the others do")
		require.Equal(t, l.jobs[i].Run, all[i].Estimate)
		if some[i].AR {
			n++
			require.Equal(t, all[i].Ready, some[i].Ready)
		} else {
			require.Equal(t, some[i].Submit, some[i].Ready)
		}
	}
	require.InDelta(t, 160, n, 40)
}
