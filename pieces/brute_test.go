package pieces

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// free reports whether the units are free throughout a time, on the same servers or nodes.
type free func(w bookahead.Interval) bool

// state is how far work is.
type state struct {
	start   bookahead.Time     // of the piece that runs; -1 for none
	restart bookahead.Duration // the ticks that are left of it
	piece   bookahead.Duration // what this piece has done
	done    bookahead.Duration
	idle    bookahead.Duration // since the last piece
	begun   bool
}

// brute returns the least end of some work in a window, by all that may be done at each tick; -1 if there is no plan.
func brute(free free, in bookahead.Interval, work bookahead.Duration, rule Rule) bookahead.Time {
	return bruteFrom(state{start: -1}, free, in, work, rule)
}

// bruteFrom is brute for work that is so far.
func bruteFrom(so state, free free, in bookahead.Interval, work bookahead.Duration, rule Rule) bookahead.Time {
	states := map[state]bool{so: true}
	for t := in.Start; t < in.End; t++ {
		next := map[state]bool{}
		run := func(s state) (over bool) {
			if !free(bookahead.Interval{Start: s.start, End: t + 1}) {
				return false
			}
			if s.restart > 0 {
				s.restart--
			} else {
				s.piece++
				s.done++
			}
			next[s] = true
			return s.done == work
		}
		for s := range states {
			mayStop := s.start < 0 || s.piece >= max(1, rule.Least)
			over := s.start >= 0 && run(s)
			if mayStop && (!s.begun || rule.Gap == 0 || s.idle <= rule.Gap) {
				fresh := state{start: t, done: s.done, begun: true}
				if s.begun {
					fresh.restart = rule.Restart
				}
				over = run(fresh) || over
			}
			if over {
				return t + 1
			}
			if mayStop {
				s.start, s.piece = -1, 0
				if s.begun {
					s.idle++
				}
				next[s] = true
			}
		}
		states = next
	}
	return -1
}

// check checks that a plan keeps to its rule and to the free units.
func check(t testing.TB, free free, in bookahead.Interval, work bookahead.Duration, rule Rule, plan []bookahead.Interval) {
	for i, w := range plan {
		require.True(t, in.Start <= w.Start && w.Start < w.End && w.End <= in.End, "%v", plan)
		require.True(t, free(w), "%v", plan)
		done := w.Len()
		if i > 0 {
			gap := bookahead.Duration(w.Start - plan[i-1].End)
			require.GreaterOrEqual(t, gap, bookahead.Duration(0))
			if rule.Gap > 0 {
				require.LessOrEqual(t, gap, rule.Gap)
			}
			done -= rule.Restart
		}
		if i < len(plan)-1 {
			require.GreaterOrEqual(t, done, rule.Least)
		}
		require.Positive(t, done)
		work -= done
	}
	require.Zero(t, work)
}

// tally counts the plans that were compared.
type tally struct{ found, several int }

// compare compares the answer of a search with the brute force.
func (n *tally) compare(t testing.TB, free free, in bookahead.Interval, work bookahead.Duration, rule Rule, plan []bookahead.Interval, err error) {
	end := brute(free, in, work, rule)
	if end < 0 {
		require.ErrorIs(t, err, bookahead.ErrUnavailable, "%d in %v, %+v", work, in, rule)
		return
	}
	require.NoError(t, err, "%d in %v, %+v: ends at %d", work, in, rule, end)
	require.Equal(t, end, plan[len(plan)-1].End, "%d in %v, %+v: %v", work, in, rule, plan)
	check(t, free, in, work, rule, plan)
	n.found++
	if len(plan) > 1 {
		n.several++
	}
}

// enough checks that enough of the plans have several pieces; of few draws none may.
func (n *tally) enough(t testing.TB) {
	require.Greater(t, 50*n.several+100, n.found)
	t.Logf("%d plans, %d of several pieces", n.found, n.several)
}
