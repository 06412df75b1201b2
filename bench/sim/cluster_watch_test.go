package sim

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// TestWatch: the numbers of each Moment are those that the runs and outcomes give for its time.
func TestWatch(t *testing.T) {
	for seed := range uint64(200) {
		x := newTrial(t, rand.New(rand.NewPCG(seed, 23)))
		x.Pools = seed%2 == 0
		var list []Moment
		x.Watch = func(m Moment) { list = append(list, m) }
		r, err := RunCluster(t.Context(), x.Cluster, x.gangs)
		require.NoError(t, err)
		before := Moment{Now: -1}
		for k, m := range list {
			require.GreaterOrEqual(t, m.Now, before.Now)
			require.GreaterOrEqual(t, m.Ended, before.Ended)
			require.Equal(t, len(x.gangs), m.Total)
			require.LessOrEqual(t, m.Waiting, r.LongQueue)
			before = m
			if k+1 < len(list) && list[k+1].Now == m.Now {
				continue // more happens at that time
			}
			x.checkMoment(t, r, m)
		}
		if len(x.gangs) > 0 {
			require.Equal(t, Moment{Now: before.Now, Ended: len(x.gangs), Total: len(x.gangs)}, before)
		}
	}
}

// checkMoment counts the gangs by the runs. A rejected gang does not say when it was rejected, and a
// stopped one not when it was booked anew, so that each number has a bound on either side.
func (x *trial) checkMoment(t *testing.T, r ClusterResult, m Moment) {
	running, done, rejected, come, waited := 0, 0, 0, 0, 0
	for _, run := range r.Runs {
		if run.When.Contains(m.Now) {
			running++
		}
	}
	for i, o := range r.Outcomes {
		g := &x.gangs[i]
		batch := !g.AR && g.Ready <= m.Now
		if g.Submit <= m.Now && (g.AR || batch) {
			come++
		}
		switch {
		case o.Rejected:
			rejected++
		case o.End <= m.Now:
			done++
		case batch && o.Displaced == 0 && o.Start > m.Now:
			waited++
		}
	}
	require.Equal(t, running, m.Running)
	require.GreaterOrEqual(t, m.Ended, done)
	require.LessOrEqual(t, m.Ended, done+rejected)
	require.GreaterOrEqual(t, m.Waiting, waited)
	require.LessOrEqual(t, m.Ended+m.Running+m.Waiting, come)
}

// A run that is cancelled ends after the event under way, and leaves nothing behind.
func TestARunIsCancelled(t *testing.T) {
	for _, pools := range []bool{false, true} {
		c := pair(t, Local{Backfill: plan.EASY(1)})
		c.Pools = pools
		gangs := []Gang{gang(0, 5, 5, 2, 2), gang(1, 5, 5, 2, 2), gang(2, 5, 5, 2, 2)}
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		events := 0
		c.Watch = func(m Moment) {
			events++
			if m.Now == 1 {
				cancel()
			}
		}
		r, err := RunCluster(ctx, c, gangs)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "at 1: ")
		require.Empty(t, r)
		require.Equal(t, 2, events)
		require.Equal(t, before, runtime.NumGoroutine())

		_, err = RunCluster(ctx, c, gangs)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 2, events, "no event of a run that was cancelled before")
	}
}

// A gang that never starts has ended too, when nothing else happens any more.
func TestWatchSeesThoseThatNeverStart(t *testing.T) {
	c := pair(t, Local{}, failure(1, 2, 0))
	var last Moment
	c.Watch = func(m Moment) { last = m }
	_, err := RunCluster(t.Context(), c, []Gang{gang(3, 9, 9, 2, 2), gang(4, 9, 9, 2, 2)})
	require.NoError(t, err)
	require.Equal(t, Moment{Now: 4, Ended: 2, Total: 2}, last)
	require.Less(t, last.Now, bookahead.MaxTime)
}
