package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// TestThinned leaves out as large a share as is missing, and no more than half.
func TestThinned(t *testing.T) {
	logs, err := synthesize(90, 1)
	require.NoError(t, err)
	l := logs[light]
	require.Len(t, l.thinned(0).jobs, 90, "a synthetic log has lost nothing")
	l.missing = 10
	require.Len(t, l.thinned(0).jobs, 81)
	require.Zero(t, l.thinned(0).jobs[0].Submit)
	require.Equal(t, l.thinned(3), l.thinned(3))
	require.NotEqual(t, l.thinned(3).jobs, l.thinned(4).jobs)
	l.missing = 1000
	require.Len(t, l.thinned(0).jobs, 45)
	require.Len(t, l.jobs, 90, "the log is as it was")
}

// TestTurned has a claim that holds on the log, and in some draws does not.
func TestTurned(t *testing.T) {
	of := func(u float64) *world {
		return &world{logs: [2]log{{missing: 1}, {missing: 1}}, memory: &memory{runs: map[simulation]*summary{{}: {u: u}}}}
	}
	s := scene{reading: readings[0], worlds: []*world{of(2), of(2)}}
	for k := range draws {
		w := of(2)
		if k <= fewTurns {
			w = of(9)
		}
		s.thinned = append(s.thinned, w)
	}
	c := claim{Claim: trial.Claim{Where: "Table 2", Names: "mean U", From: 1, To: 3}, by: alone, a: at(meanU, plan{})}
	f := c.judge(s)
	require.Equal(t, trial.Untold, f.Verdict)
	require.Equal(t, "hangs on the jobs that the log has lost (3 of 40 logs that lose as many again turn it round): here it holds", f.Note)

	s.thinned = s.thinned[1:]
	require.Equal(t, trial.Holds, c.judge(s).Verdict, "one in twenty is not enough")
	s.thinned = append(s.thinned, of(9), of(9))
	require.Equal(t, trial.Untold, c.judge(s).Verdict)
	c.fact = true
	require.Equal(t, trial.Holds, c.judge(s).Verdict, "it is about the log")
	c.fact, s.worlds[1] = false, of(2.1)
	require.Equal(t, trial.Holds, c.judge(s).Verdict, "its interval tells")
}
