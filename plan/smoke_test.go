package plan

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

func TestSmoke(t *testing.T) {
	for name, b := range map[string]Backfill{"none": None(), "first": FirstFit(), "easy": EASY(1), "cons": Conservative()} {
		pool, err := carts.NewIndexed(4, carts.Config{})
		require.NoError(t, err)
		q, err := New(Config{Schedules: []Schedule{{Name: "p", Pool: pool}}, Backfill: b})
		require.NoError(t, err)
		job := func(id ID, units int64, d int64) {
			require.NoError(t, q.Submit(Job{ID: id, Shapes: []Shape{{{On: "p", Units: units, Duration: bookahead.Duration(d)}}}}))
		}
		job("a", 2, 10)
		job("b", 4, 5)
		job("c", 2, 10)
		job("d", 2, 11)
		r, err := q.Pass(context.Background(), 0)
		require.NoError(t, err)
		f, err := q.Forecasts(context.Background())
		require.NoError(t, err)
		t.Log(name, r.Starts, f, q.Next())
		for _, s := range r.Starts {
			require.NoError(t, q.Started(s.Job))
		}
		require.NoError(t, q.Ended(3, "a"))
		r, err = q.Pass(context.Background(), 3)
		require.NoError(t, err)
		t.Log(r)
	}
}
