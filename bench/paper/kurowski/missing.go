package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// Our copy of the log has lost 62 and 108 jobs of the two pieces, and a claim that depends
// on no chance has no confidence interval. So such a claim is judged again on logs that
// have lost as large a share of their jobs once more:
//
//	the paper's   1000 jobs
//	ours           938             6.2 % are missing
//	a draw         880             6.2 % of ours are left out by chance
//
// If some draws turn the verdict round, then so could the jobs that are missing.
const (
	draws = 40
	// fewTurns is how many draws may turn a verdict round that is told all the same: one
	// in twenty.
	fewTurns = draws / 20
)

// thinned returns the log without as large a share of its jobs as the log has lost
// already, and with half of its jobs at least.
func (l log) thinned(seed uint64) log {
	n := len(l.jobs)
	out := min(n*l.missing/(n+l.missing), n/2)
	rng := rand.New(rand.NewPCG(seed, 0x105e))
	left := slices.Sorted(slices.Values(rng.Perm(n)[out:]))
	jobs := make([]job, 0, len(left))
	for _, i := range left {
		jobs = append(jobs, l.jobs[i])
	}
	l.jobs = jobs
	l.settle()
	return l
}

// thin makes the worlds of the draws. There are none for synthetic logs, which have lost
// nothing.
func (s *scene) thin() {
	w := s.worlds[0]
	if w.logs[light].missing == 0 && w.logs[heavy].missing == 0 {
		return
	}
	for k := range draws {
		other := *w
		other.memory = &memory{runs: map[simulation]*summary{}}
		for piece, l := range w.logs {
			other.logs[piece] = l.thinned(uint64(k))
		}
		s.thinned = append(s.thinned, &other)
	}
}

// turned returns in how many draws a finding comes out otherwise. Only the comparison of
// two simulations that do not depend on chance is tried: a finding that does has an
// interval, and one on the log's own jobs would miss those that were left out.
func (c claim) turned(f trial.Finding, s scene) int {
	if c.fact || f.Value.Half > 0 {
		return 0
	}
	n := 0
	for _, w := range s.thinned {
		// One value alone would have an infinite interval; twice the same value has none.
		there := c.find(scene{reading: s.reading, worlds: []*world{w, w}})
		if there.Verdict != f.Verdict {
			n++
		}
	}
	return n
}

// jobsLost names the missing jobs in a finding that hangs on them.
func jobsLost(turned int) string {
	return fmt.Sprintf("the jobs that the log has lost (%d of %d logs that lose as many again turn it round)", turned, draws)
}
