package main

import (
	"math"
	"strings"
	"testing"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/stretchr/testify/require"
)

// saying is a scene whose worlds have those mean utilisations.
func saying(synthetic bool, us ...float64) scene {
	s := scene{reading: readings[0]}
	for _, u := range us {
		s.worlds = append(s.worlds, &world{
			logs:   [2]log{{synthetic: synthetic}, {synthetic: synthetic}},
			memory: &memory{runs: map[simulation]*summary{{}: {u: u}}},
		})
	}
	return s
}

func TestVerdict(t *testing.T) {
	c := claim{Claim: trial.Claim{Where: "Table 1", What: "mean U", Names: "mean U", From: 1, To: 3}, by: alone, a: at(meanU, plan{})}
	for _, k := range []struct {
		us   []float64
		want string
	}{
		{[]float64{2, 2}, "**holds** 2"},
		{[]float64{1, 1}, "**holds** 1"},
		{[]float64{4, 4}, "**does not hold** 4"},
		{[]float64{2, 2.1}, "**holds** 2.05 (2.05 ± 0.64)"},
		{[]float64{2, 9}, "**inconclusive** 5.5 (5.5 ± 44)"},
		{[]float64{4, 4.05}, "**does not hold** 4.025 (4.03 ± 0.32)"},
		{[]float64{math.NaN(), 2}, "cannot be tested"},
		{[]float64{2, 2 * (1 + 1e-15)}, "**holds** 2"},
	} {
		require.Equal(t, k.want, c.find(saying(false, k.us...)).Text(), k)
	}
	c.fact = true
	require.Equal(t, trial.Untested, c.find(saying(true, 2, 2)).Verdict)
	require.Equal(t, trial.Holds, c.find(saying(false, 2, 2)).Verdict)
	require.Equal(t, trial.Untested, claim{}.find(saying(false, 1, 1)).Verdict, "nothing to test it by")
}

func TestWriteTally(t *testing.T) {
	var out strings.Builder
	scenes := []scene{saying(false, 2, 2), saying(false, 4, 4)}
	scenes[1].reading = readings[1]
	c := claim{Claim: trial.Claim{Where: "Fig. 9", From: 1, To: 3, Why: "by chance"}, by: alone, a: at(meanU, plan{})}
	open := claim{Claim: trial.Claim{Where: "Fig. 8", Why: "nobody knows"}}
	writeTally(&out, []claim{c, open}, scenes)
	require.Contains(t, out.String(), " | 1 | any | 0 | 0 | 0 | 0 | 1 |\n| all others | 1 | run | 1 | 0 | 0 | 0 | 0 |\n| all others | 1 | ready | 0 | 1 | 0 | 0 | 0 |\n| all others | 1 | the same in all | 0 | 0 | 0 | 0 | 0 |\n")
	found := findings([]claim{c, open}, scenes)
	require.Len(t, found, 3, "one reading is enough for the second")
	require.Equal(t, []string{"by chance", "by chance", "nobody knows"}, []string{found[0].Note, found[1].Note, found[2].Note})
	c.alike = true
	require.Len(t, findings([]claim{c}, scenes), 1)
}

// TestClaims checks that no claim is there twice, or has bounds or names that say nothing.
func TestClaims(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range claims() {
		key := c.Where + c.What + c.Names
		require.False(t, seen[key], "%s is there twice", key)
		seen[key] = true
		require.NotEmpty(t, c.Where)
		require.NotContains(t, c.What, "|")
		if c.a == nil {
			require.NotEmpty(t, c.Why, c.What)
			continue
		}
		require.LessOrEqual(t, c.From, c.To, c.What)
		require.NotEmpty(t, c.Names, c.What)
		require.NotNil(t, c.by, c.What)
	}
}

func TestNumbers(t *testing.T) {
	is := func(x float64) pick { return func(*world) float64 { return x } }
	require.InDelta(t, 0.15, off([]pick{is(11), is(8), is(3)}, []float64{10, 10, 0})(nil), 1e-12)
	require.Equal(t, 2.0, average([]int{1, 3}, func(share int) pick { return is(float64(share)) })(nil))
	units, jobs := log{jobs: []job{three.jobs[0], three.jobs[1], three.jobs[2], three.jobs[1]}}.mode()
	require.Equal(t, int64(1), units)
	require.Equal(t, 2, jobs)
	require.Len(t, three.asking(100).jobs, 1)
	require.Len(t, three.jobs, 3, "the log is as it was")
	require.Equal(t, 4.5, three.gap())
}
