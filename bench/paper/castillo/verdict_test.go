package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/sim"
)

// saying is a scene whose worlds have those mean waits online, in hours.
func saying(fixed bool, waits ...float64) *scene {
	s := &scene{fixed: fixed}
	for _, h := range waits {
		s.worlds = append(s.worlds, &world{
			log: log{name: "KTH", synthetic: !fixed}, setting: settings[0],
			online: &summary{Metrics: sim.Metrics{MeanWait: h * hour}},
		})
	}
	return s
}

func TestVerdict(t *testing.T) {
	wait := claim{what: "waits", by: alone, from: 1, to: 3, names: "hours",
		sides: func(w *world) (float64, float64) { return hours(w.online.MeanWait), 0 }}
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
	other.worlds[0].log.other = "another log"
	wait.chance = false
	require.Equal(t, trial.Holds, wait.find(other).Verdict)
	wait.own = true
	f := wait.find(other)
	require.Equal(t, trial.Untested, f.Verdict)
	require.Equal(t, "another log", f.why)
	require.Equal(t, "**cannot be tested** 2", f.Text(), "the numbers are shown all the same")
	ours := saying(true, 2)
	require.Equal(t, trial.Holds, wait.find(ours).Verdict)
	wait.peer = true
	ours.worlds[0].peer = other.first()
	require.Equal(t, trial.Untested, wait.find(ours).Verdict, "it compares with another log")

	require.Equal(t, trial.Untested, claim{}.find(saying(true, 1)).Verdict, "nothing to test it by")
}

func TestWriteVerdicts(t *testing.T) {
	var out strings.Builder
	open := claim{where: "Fig. 9", what: "It is so", why: "nobody knows", logs: kth}
	writeVerdicts(&out, []claim{open}, []*scene{saying(true, 1)})
	require.Contains(t, out.String(), "| Fig. 9 | It is so |  | KTH |  | cannot be tested |  |  |\n")
	require.Contains(t, out.String(), "of the paper's claims: 0 hold, 0 do not, 0 are inconclusive, 1 cannot be tested; of ours: 0 hold, 0 do not, 0 are inconclusive, 0 cannot be tested.")
	require.Contains(t, out.String(), "- Cannot be tested: Fig. 9, It is so (KTH): nobody knows.\n")
}

// TestTally counts the paper's claims apart from ours, each for a log of the paper
// and for another one, and in the setting that decides only.
func TestTally(t *testing.T) {
	at := func(to float64) claim {
		return claim{where: "Fig. 9", what: "waits", names: "hours", by: alone, to: to,
			sides: func(w *world) (float64, float64) { return hours(w.online.MeanWait), 0 }}
	}
	own := at(3)
	own.where = ours
	elsewhere, estimated := saying(true, 4), saying(true, 4)
	elsewhere.first().log.name, elsewhere.first().log.other = "CTC", "another log"
	estimated.first().setting = settings[2]
	var out strings.Builder
	writeVerdicts(&out, []claim{at(3), at(5), at(2), own}, []*scene{elsewhere, saying(true, 2.5), estimated})
	require.Contains(t, out.String(), "In the setting that decides, of the paper's claims: "+
		"3 hold, 3 do not (2 of these on CTC, which is another log than the paper's), 0 are inconclusive, 0 cannot be tested; "+
		"of ours: 1 hold, 1 do not, 0 are inconclusive, 0 cannot be tested.")
}

// TestClaims looks for what would make a verdict that says nothing.
func TestClaims(t *testing.T) {
	for _, c := range claims() {
		require.NotEmpty(t, c.where)
		require.NotContains(t, c.what, "|")
		if c.sides == nil {
			require.NotEmpty(t, c.why, c.what)
			continue
		}
		require.Less(t, c.from, c.to, c.what)
		require.NotEmpty(t, c.names, c.what)
		require.NotNil(t, c.by, c.what)
	}
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
	require.Equal(t, 3.0, meanOf(few, 3))
	require.True(t, math.IsNaN(meanOf(few, 2)))
	require.Equal(t, 2.0, worstRatio(of(1, 4, 3), of(2, 2, 3)))
	require.Equal(t, 1.0, worstRatio(of(1, 4, 3), few), "the second class is too small in one of them")
	require.True(t, math.IsNaN(worstRatio(of(1), nil)))
}

// TestSummary sums up four tasks on two processors; the third never ran.
func TestSummary(t *testing.T) {
	tasks := batch([4]int64{0, hour, hour, 1}, [4]int64{0, 4 * hour, 4 * hour, 2}, [4]int64{0, 1, 1, 9}, [4]int64{0, hour, hour, 1})
	tasks[3].Ready = 2 * hour
	s := summarise(sim.Result{Tasks: tasks, Units: []int64{2}, Outcomes: []sim.Outcome{
		{Start: 0, End: hour, Attempts: 1},
		{Start: hour, End: 5 * hour, Attempts: 5},
		{Rejected: true, Provider: -1, Attempts: 6},
		{Start: 5 * hour, End: 6 * hour, Attempts: 4},
	}})
	require.Equal(t, 4.0, s.trials, "what is turned away counts")
	require.Equal(t, 2.0, s.delay, "(0 + 1 + 5) / 3")
	require.Equal(t, 4.0/3, hours(s.MeanWait), "(0 + 1 + 3) / 3")
	require.Equal(t, 5.0, s.longest)
	require.Equal(t, 1.0/3, s.under(1), "one hour is not less than one")
	require.Equal(t, 1.0/3, s.between(1, 1.5))
	require.Equal(t, 1.0, s.under(5.5))
	require.Equal(t, 1.5, s.short.value(), "(0 + 3) / 2")
	require.Equal(t, 0.25, s.medium.value())
	require.Equal(t, []sim.Class{{Above: -1, To: 0, Tasks: 2, Mean: 1.5}, {Above: 0, To: 1, Tasks: 1, Mean: 1}}, s.sizes)
	require.Equal(t, []sim.Class{{Above: 0, To: 50, Tasks: 3, Mean: 10.0 / 3}}, s.tries)
	require.InDelta(t, 10.0/12, s.Utilisation, 1e-12)
}

// TestRecorded takes the waits of the log; a job without one does not count.
func TestRecorded(t *testing.T) {
	l := log{units: 4, table: 8}
	for _, task := range batch([4]int64{0, 10, 20, 1}, [4]int64{5, 10, 20, 1}) {
		l.jobs = append(l.jobs, job{task.Job, unknown})
	}
	require.Nil(t, settings[0].recorded(l))
	l.jobs[1].wait = 2 * hour
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
