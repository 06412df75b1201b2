package pieces

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/scheduletest"
)

// by returns the answers of a schedule on where units fit.
func by(s bookahead.Schedule, units int64) func(w bookahead.Interval, d bookahead.Duration) (bookahead.Time, error) {
	return func(w bookahead.Interval, d bookahead.Duration) (bookahead.Time, error) {
		o, err := s.Search(bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: d, Units: units})
		return o.Start, err
	}
}

// The rest of work that was begun ends as early as can be: the last piece goes on if it may, and each other piece has a restart.
func TestTheRestAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 9))
	found, goesOn, late := 0, 0, 0
	for range scheduletest.Operations() / 15 {
		var s bookahead.Keeper
		var err error
		if rng.IntN(2) == 0 {
			s, err = carts.NewIndexed(capacity, carts.Config{Horizon: horizon})
		} else {
			s, err = idletree.NewTree(capacity, idletree.Config{Horizon: horizon})
		}
		require.NoError(t, err)
		for range rng.IntN(10) {
			_, _ = s.Reserve(bookahead.Request{Ready: bookahead.Time(rng.IntN(horizon)), Duration: bookahead.Duration(1 + rng.IntN(4)), Units: 1 + rng.Int64N(capacity)})
		}
		r, rule := drawRequest(rng), drawRule(rng)
		in := s.Frame().Between(max(3, r.Ready), r.Deadline)
		last := &Rest{Stopped: in.Start - bookahead.Time(rng.IntN(4))}
		last.GoesOn = last.Stopped == in.Start && rng.IntN(4) > 0
		free := func(w bookahead.Interval) bool {
			a, err := s.RangeQuery(w)
			require.NoError(t, err)
			return a.Free >= r.Units
		}
		plan, spent, err := SearchBy(by(s, r.Units), in, r.Duration, rule, last, bookahead.Effort{})
		so := state{start: -1, begun: true, idle: bookahead.Duration(in.Start - last.Stopped)}
		if last.GoesOn {
			so.start, so.piece = in.Start, max(1, rule.Least)
		}
		end := bruteFrom(so, free, in, r.Duration, rule)
		if end < 0 {
			require.ErrorIs(t, err, bookahead.ErrUnavailable, "%d in %v, %+v behind %+v", r.Duration, in, rule, last)
			continue
		}
		require.NoError(t, err, "%d in %v, %+v behind %+v: ends at %d", r.Duration, in, rule, last, end)
		require.Equal(t, end, plan[len(plan)-1].End, "%d in %v, %+v behind %+v: %v", r.Duration, in, rule, last, plan)
		require.Positive(t, spent)
		work := r.Duration
		for i, w := range plan {
			require.True(t, free(w))
			work -= w.Len()
			if i > 0 || !last.GoesOn || w.Start > last.Stopped {
				work += rule.Restart
			} else {
				goesOn++
			}
		}
		require.Zero(t, work)
		found++
		if plan[0].Start > last.Stopped {
			late++
		}
	}
	t.Logf("%d plans, %d go on at once, and %d begin later", found, goesOn, late)
	require.Greater(t, 50*goesOn+100, found)
}

// Work that was begun at the greatest numbers neither overflows nor takes long.
func TestTheRestOfMuch(t *testing.T) {
	s, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	all := bookahead.Interval{Start: 5, End: bookahead.MaxTime}
	for _, rule := range []Rule{{}, {Restart: math.MaxInt64}, {Restart: 7, Gap: math.MaxInt64, Least: math.MaxInt64}} {
		list, _, err := SearchBy(by(s, 1), all, math.MaxInt64-5, rule, &Rest{Stopped: 5, GoesOn: true}, bookahead.Effort{})
		require.NoError(t, err)
		require.Equal(t, []bookahead.Interval{all}, list)
		_, _, err = SearchBy(by(s, 1), all, math.MaxInt64-5, rule, &Rest{Stopped: 3}, bookahead.Effort{})
		require.Equal(t, rule.Restart > 0, err != nil, "%+v: %v", rule, err)
	}
	_, _, err = SearchBy(by(s, 1), all, 0, Rule{}, nil, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, spent, err := SearchBy(by(s, 1), all, 9, Rule{}, nil, bookahead.Effort{Steps: 1})
	require.ErrorIs(t, err, bookahead.ErrStopped)
	require.LessOrEqual(t, spent, int64(1))
}
