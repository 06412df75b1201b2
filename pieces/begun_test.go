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

// cut returns what has begun of a plan by some tick of it, as a state and as the search is told. A piece that runs may go on until the end that
// stays says.
func cut(plan []bookahead.Interval, rule Rule, work bookahead.Duration, now bookahead.Time, stays func(bookahead.Interval) bookahead.Time) (state, Begun) {
	so := state{start: -1, begun: true}
	var b Begun
	for i, w := range plan {
		if w.Start > now {
			break
		}
		if w.End > now {
			so.start, w.End = now, now
		}
		so.restart, so.piece, so.idle = 0, w.Len(), bookahead.Duration(now-w.End)
		b.Piece, b.Stop = w, w.Start+bookahead.Time(min(max(1, rule.Least), work))
		if i > 0 {
			so.restart = rule.Restart - min(w.Len(), rule.Restart)
			so.piece -= rule.Restart - so.restart
			b.Stop += bookahead.Time(rule.Restart)
		}
		so.done += so.piece
	}
	b.Done = so.done
	if so.start >= 0 {
		b.Piece.End = stays(bookahead.Interval{Start: now, End: now + 1})
		b.Done += max(0, bookahead.Duration(b.Piece.End-now)-so.restart)
	} else {
		so.piece, so.restart = 0, 0
	}
	return so, b
}

// The rest of work that has begun ends as early as the brute force says, and no later than the plan that was cut.
func TestResumeAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 5))
	cuts, moved, none := 0, 0, 0
	for range scheduletest.Operations() / 20 {
		s, err := carts.NewIndexed(capacity, carts.Config{Horizon: horizon})
		require.NoError(t, err)
		for range rng.IntN(10) {
			_, _ = s.Reserve(bookahead.Request{
				Ready: bookahead.Time(rng.IntN(horizon)), Duration: bookahead.Duration(1 + rng.IntN(4)), Units: 1 + rng.Int64N(capacity),
			})
		}
		r, rule := drawRequest(rng), drawRule(rng)
		r.Ready, r.Deadline = max(0, r.Ready), 0
		plan, err := Search(s, r, rule, bookahead.Effort{})
		if err != nil {
			continue
		}
		last := plan[len(plan)-1].End
		now := plan[0].Start + 1 + bookahead.Time(rng.IntN(int(last-plan[0].Start)))
		if now >= last {
			continue
		}
		if rng.IntN(2) == 0 { // others give something back, or book
			for x := range s.Reservations(bookahead.Interval{Start: now, End: horizon}) {
				require.NoError(t, s.Release(x.ID))
				break
			}
		} else {
			_, _ = s.Reserve(bookahead.Request{Ready: now, Duration: bookahead.Duration(1 + rng.IntN(4)), Units: 1})
		}
		free := func(w bookahead.Interval) bool {
			a, err := s.RangeQuery(w)
			require.NoError(t, err)
			return a.Free >= r.Units
		}
		so, b := cut(plan, rule, r.Duration, now, func(w bookahead.Interval) bookahead.Time {
			for w.End <= horizon && free(w) {
				w.End++
			}
			return w.End - 1
		})
		r.Ready = now
		rest, err := Resume(s, r, rule, &b, bookahead.Effort{})
		end := bruteFrom(so, free, bookahead.Interval{Start: now, End: horizon}, r.Duration, rule)
		cuts++
		if end < 0 {
			require.ErrorIs(t, err, bookahead.ErrUnavailable, "%+v %+v", so, b)
			none++
			continue
		}
		require.NoError(t, err, "%v at %d by %+v: %+v ends at %d", plan, now, rule, b, end)
		require.Equal(t, end, rest[len(rest)-1].End, "%v at %d by %+v: %+v %v", plan, now, rule, b, rest)
		require.Equal(t, b.Piece.Start, rest[0].Start)
		if len(rest) > 1 {
			moved++
		}
		all := []bookahead.Interval{}
		for _, w := range plan {
			if w.Start < b.Piece.Start {
				all = append(all, w)
			}
		}
		past := func(w bookahead.Interval) bool { w.Start = max(w.Start, now); return w.Empty() || free(w) }
		check(t, past, bookahead.Interval{Start: 0, End: horizon}, r.Duration, rule, append(all, rest...))
	}
	require.Positive(t, moved)
	t.Logf("%d plans were cut, of %d the rest had several pieces, and of %d there was no rest", cuts, moved, none)
}

// A piece that must leave its servers goes on elsewhere.
func TestResumeOnServers(t *testing.T) {
	s, err := idletree.NewTree(2, idletree.Config{})
	require.NoError(t, err)
	others := bookahead.At(5, 20, 1)
	others.Servers = []int{0}
	_, err = s.Reserve(others)
	require.NoError(t, err)
	b := Begun{Piece: bookahead.Interval{Start: 0, End: 5}, Done: 5, Stop: 3} // on server 0
	list, err := Resume(s, bookahead.Request{Ready: 2, Duration: 8, Units: 1}, Rule{Least: 3, Restart: 2}, &b, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{{Start: 0, End: 3}, {Start: 3, End: 10}}, list) // as soon as it may
	b.Stop = 6
	_, err = Resume(s, bookahead.Request{Ready: 2, Duration: 8, Units: 1}, Rule{Least: 3, Restart: 2}, &b, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	b.Piece.End, b.Done = 9, 9
	list, err = Resume(s, bookahead.Request{Ready: 2, Duration: 8, Units: 1}, Rule{Least: 3, Restart: 2}, &b, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{{Start: 0, End: 8}}, list)
	b = Begun{Piece: bookahead.Interval{Start: 0, End: 2}, Done: 2}
	list, err = Resume(s, bookahead.Request{Ready: 3, Duration: 8, Units: 2}, Rule{Restart: 9}, &b, bookahead.Effort{}) // longer than all the work
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{{Start: 0, End: 2}, {Start: 25, End: 40}}, list)
	_, err = Resume(s, bookahead.Request{Ready: 3, Duration: 8, Units: 2}, Rule{Gap: 10}, &b, bookahead.Effort{}) // over before both are free
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	for _, wrong := range []Begun{{Piece: bookahead.Interval{Start: 3, End: 2}}, {Piece: bookahead.Interval{Start: -1, End: 4}}, {Piece: bookahead.Interval{Start: 3, End: 5}, Stop: 2}, {Piece: bookahead.Interval{Start: 3, End: 5}, Stop: 3, Done: math.MinInt64}} {
		_, err = Resume(s, bookahead.Request{Duration: 8, Units: 1}, Rule{}, &wrong, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}
