package plan

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// poolQueue returns a queue on a pool of 4 units.
func poolQueue(t testing.TB, c Config) (*Queue, *carts.Indexed) {
	t.Helper()
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	c.Schedules = []Schedule{{Name: "p", Pool: pool}}
	q, err := New(c)
	require.NoError(t, err)
	return q, pool
}

// on returns the shape of a job of the pool.
func on(units int64, d bookahead.Duration) []Shape {
	return []Shape{{{On: "p", Units: units, Duration: d}}}
}

func submit(t testing.TB, q *Queue, jobs ...Job) {
	t.Helper()
	for _, j := range jobs {
		require.NoError(t, q.Submit(j))
	}
}

// pass makes a pass, starts all that it proposes, and returns their IDs.
func pass(t testing.TB, q *Queue, now bookahead.Time) (started []ID, events []Event) {
	t.Helper()
	r, err := q.Pass(context.Background(), now)
	require.NoError(t, err)
	for _, s := range r.Starts {
		require.NoError(t, q.Started(s.Job))
		started = append(started, s.Job)
	}
	require.NoError(t, q.Verify())
	return started, r.Events
}

// TestFirmReservationsGoAroundPromises: what is booked by way of the queue delays nobody, is a reservation like any other, and
// makes room when it is released.
func TestFirmReservationsGoAroundPromises(t *testing.T) {
	q, pool := poolQueue(t, Config{Backfill: EASY(1)})
	submit(t, q, Job{ID: "runs", Shapes: on(3, 10)}, Job{ID: "first", Shapes: on(4, 5)})
	started, _ := pass(t, q, 0)
	require.Equal(t, []ID{"runs"}, started)

	p := Part{On: "p", Units: 1, Duration: 12}
	at, err := q.Search(p, 0, 0)
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: 15, End: 27}, at.Interval, "behind the promise from 10 to 15")
	id, booked, err := q.Reserve(p, 0, 0)
	require.NoError(t, err)
	require.Equal(t, at, booked)
	res, err := pool.Reservation(id)
	require.NoError(t, err)
	require.Equal(t, at.Interval, res.Interval)
	_, events := pass(t, q, 1)
	require.Empty(t, events)

	submit(t, q, Job{ID: "wide", Shapes: on(4, 6)})
	_, _ = pass(t, q, 2)
	list, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(27), list[2].Start, "behind the firm reservation")
	require.NoError(t, q.Release("p", id))
	_, err = pool.Reservation(id)
	require.Equal(t, bookahead.ErrNotFound, err)
	list, err = q.Forecasts(context.Background())
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(15), list[2].Start)
	_, events = pass(t, q, 3)
	require.Empty(t, events, "nothing is told by Changed")

	require.Equal(t, bookahead.ErrNotFound, q.Release("p", id))
	require.ErrorIs(t, q.Release("nowhere", id), bookahead.ErrInvalid)
	require.ErrorContains(t, q.Release("p", 1), `is of job "runs"`)
	_, err = q.Search(Part{On: "p", Units: 1, Duration: 1, Offset: 2}, 0, 0)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, _, err = q.Reserve(Part{On: "p", Units: 5, Duration: 1}, 0, 0)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, q.Verify())
}

// TestReservationOfOthersIsReleased: one that was booked on the schedule itself can be released by way of the queue.
func TestReservationOfOthersIsReleased(t *testing.T) {
	q, pool := poolQueue(t, Config{Backfill: Conservative()})
	res, err := pool.Reserve(bookahead.At(0, 20, 3))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, Job{ID: "a", Shapes: on(2, 5)})
	started, _ := pass(t, q, 0)
	require.Empty(t, started)
	require.NoError(t, q.Release("p", res.ID))
	started, _ = pass(t, q, 0)
	require.Equal(t, []ID{"a"}, started)
}

// TestCharge: use from elsewhere decides whose turn it is.
func TestCharge(t *testing.T) {
	q, _ := poolQueue(t, Config{Order: FairShare(Share{})})
	submit(t, q, Job{ID: "ann's", Owner: "ann", Shapes: on(4, 5)}, Job{ID: "bob's", Owner: "bob", Shapes: on(4, 5)})
	require.NoError(t, q.Charge("ann", "", 2, 10))
	started, _ := pass(t, q, 0)
	require.Equal(t, []ID{"bob's"}, started)
	require.NoError(t, q.Charge("ann", "", 2, -10))
	require.NoError(t, q.Charge("ann", "", 2, math.MinInt64+1))
	require.ErrorIs(t, q.Charge("ann", "", -1, 1), bookahead.ErrInvalid)
	require.NoError(t, q.Verify())
}
