package plan_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/plan"
)

// The start of Why ignores jobs before it in the line that have no promise, so the sentence does not say that the job is expected
// then: Forecasts, which counts them, expects it later.
func TestWhyAndForecastsAgree(t *testing.T) {
	q, _ := newQueue(t, 4, plan.Config{Backfill: plan.EASY(1)})
	for _, id := range []plan.ID{"runs", "first", "second", "third"} {
		submit(t, q, id, on(4, 10))
	}
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	pass(t, q, 0)
	list, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, "third", list[3].Job)
	require.EqualValues(t, 30, list[3].Start)
	w, err := q.Why("third")
	require.NoError(t, err)
	require.EqualValues(t, 20, w.Start)
	require.Equal(t, "job third waits for p: job runs until 10; it is not expected to start before 20", w.String())
	w, err = q.Why("first")
	require.NoError(t, err)
	require.Equal(t, "job first waits for p: job runs until 10; it is promised to start at 10", w.String())
}
