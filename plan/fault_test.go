package plan_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/plan"
)

// broken fails after some bookings.
type broken struct {
	bookahead.Keeper
	left int
}

var errBroken = errors.New("broken")

func (b *broken) Clone() bookahead.Schedule {
	k, _ := bookahead.Clone(b.Keeper)
	return &broken{k, b.left}
}

func (b *broken) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	b.left--
	if b.left < 0 {
		return bookahead.Reservation{}, errBroken
	}
	return b.Keeper.Reserve(r)
}

// A schedule that cannot book any more is an error of the Pass. When it could not book the place of a job that was to move, the
// Pass went through the line again until its steps were spent.
func TestAFaultEndsThePass(t *testing.T) {
	for left := range 3 {
		pool, err := carts.NewIndexed(4, carts.Config{})
		require.NoError(t, err)
		q, err := plan.New(plan.Config{
			Schedules: []plan.Schedule{{Pool: &broken{pool, left}}}, Backfill: plan.EASY(1), Limits: plan.Limits{Steps: math.MaxInt64},
		})
		require.NoError(t, err)
		for _, id := range []plan.ID{"a", "b"} {
			require.NoError(t, q.Submit(plan.Job{ID: id, Shapes: []plan.Shape{{{Units: 4, Duration: 9}}}}))
		}
		done := make(chan error, 1)
		go func() {
			r, err := q.Pass(context.Background(), 0)
			for _, s := range r.Starts {
				err = errors.Join(err, q.Started(s.Job))
			}
			if err == nil {
				err = q.Ended(5, "a")
			}
			if err == nil {
				_, err = q.Pass(context.Background(), 5)
			}
			done <- err
		}()
		select {
		case err := <-done:
			require.ErrorIs(t, err, errBroken)
		case <-time.After(10 * time.Second):
			require.Fail(t, "the Pass does not end", "after %d bookings", left)
		}
	}
}
