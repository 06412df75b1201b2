package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestAJobThatCannotStartHoldsNobodyUp: a job whose launch fails keeps its turn, and others have its units meanwhile. Before
// Postpone, it was proposed again and again, and nobody else got them.
func TestAJobThatCannotStartHoldsNobodyUp(t *testing.T) {
	for name, b := range map[string]Backfill{"first fit": FirstFit(), "EASY": EASY(1), "conservative": Conservative()} {
		q, _ := poolQueue(t, Config{Backfill: b})
		submit(t, q, Job{ID: "a", Shapes: on(4, 10)})
		submit(t, q, Job{ID: "b", Shapes: on(2, 5)})
		r, err := q.Pass(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, ID("a"), r.Starts[0].Job)
		require.NoError(t, q.Postpone("a", 7))
		started, _ := pass(t, q, 0)
		require.Equal(t, []ID{"b"}, started, name)
		_, f, err := q.Job("a")
		require.NoError(t, err)
		if b == FirstFit() {
			require.Equal(t, Never, f.Promised)
		} else {
			require.Equal(t, bookahead.Time(7), f.Promised, name)
		}
		why, err := q.Why("a")
		require.NoError(t, err)
		require.Contains(t, why.String(), "is not to start before 7", name)
		require.NoError(t, q.Ended(5, "b"))
		started, _ = pass(t, q, 5)
		require.Empty(t, started, name)
		require.Equal(t, bookahead.Time(7), q.Next(), name)
		started, _ = pass(t, q, 7)
		require.Equal(t, []ID{"a"}, started, name)
	}
}

// TestPostponeHasTheLastWord: a later call replaces a former one, and a time in the past lets the job start.
func TestPostponeHasTheLastWord(t *testing.T) {
	q, _ := poolQueue(t, Config{Backfill: EASY(1)})
	submit(t, q, Job{ID: "a", Shapes: on(4, 10)})
	require.NoError(t, q.Postpone("a", bookahead.MaxTime))
	started, _ := pass(t, q, 0)
	require.Empty(t, started)
	require.NoError(t, q.Postpone("a", 20))
	started, _ = pass(t, q, 1)
	require.Empty(t, started)
	require.NoError(t, q.Postpone("a", 0))
	started, _ = pass(t, q, 1)
	require.Equal(t, []ID{"a"}, started)
	require.ErrorIs(t, q.Postpone("a", 5), bookahead.ErrInvalid)
	require.ErrorIs(t, q.Postpone("b", 5), bookahead.ErrNotFound)
}
