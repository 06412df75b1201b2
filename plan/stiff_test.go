package plan_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/plan"
	"github.com/bookahead/bookahead/volume"
)

// A rule that forbids stops, and a volume whose units cannot change, are those of plain jobs: two queues give the same answers.
func TestStiffJobsArePlain(t *testing.T) {
	for seed := range uint64(max(20, operations()/150)) {
		rng := rand.New(rand.NewPCG(seed, 17))
		b := backfills[rng.IntN(len(backfills))]
		o := orders[rng.IntN(len(orders))]
		kinds := layouts[rng.IntN(len(layouts))]
		var queues [2]*plan.Queue
		var y yard
		shared := rng.Uint64()
		for i := range queues {
			y = newYard(t, rand.New(rand.NewPCG(shared, 1)), kinds)
			q, err := plan.New(plan.Config{Schedules: y.real, Order: o.order, Backfill: b.backfill})
			require.NoError(t, err)
			queues[i] = q
		}
		now := bookahead.Time(0)
		running := map[plan.ID]bookahead.Time{}
		for n := range 60 {
			for range rng.IntN(3) {
				j := y.job(rng, plan.ID(fmt.Sprint(n, rng.IntN(1000))), now)
				require.Equal(t, queues[0].Submit(j) == nil, queues[1].Submit(stiff(y, rng, j)) == nil)
			}
			now += bookahead.Time(rng.IntN(4))
			for id, end := range running {
				if end <= now {
					delete(running, id)
				}
			}
			one, err := queues[0].Pass(context.Background(), now)
			require.NoError(t, err)
			two, err := queues[1].Pass(context.Background(), now)
			require.NoError(t, err)
			require.NoError(t, queues[1].Verify())
			require.Empty(t, two.Changes)
			require.Equal(t, one.Starts, two.Starts, "seed %d", seed)
			require.Equal(t, one.Promises, two.Promises, "seed %d", seed)
			require.Equal(t, one.Events, two.Events, "seed %d", seed)
			for _, s := range one.Starts {
				require.NoError(t, queues[0].Started(s.Job))
				require.NoError(t, queues[1].Started(s.Job))
				running[s.Job] = now + 1 + bookahead.Time(rng.IntN(12))
			}
			for _, id := range first(running) {
				at := max(now, min(running[id], now+1))
				delete(running, id)
				now = at
				require.NoError(t, queues[0].Ended(at, id))
				require.NoError(t, queues[1].Ended(at, id))
			}
		}
	}
}

// stiff returns a job that bends in name alone.
func stiff(y yard, rng *rand.Rand, j plan.Job) plan.Job {
	j.Shapes = slices.Clone(j.Shapes)
	for i, s := range j.Shapes {
		if len(s) > 1 {
			continue
		}
		s = slices.Clone(s)
		p := &s[0]
		k := slices.IndexFunc(y.cells, func(c *cells) bool { return c.name == p.On })
		if y.cells[k].kind == pool && rng.IntN(2) == 0 {
			p.Volume = &volume.Request{Least: p.Units}
		} else {
			p.Pieces = &pieces.Rule{Least: p.Duration, Restart: bookahead.Duration(rng.IntN(3))}
		}
		j.Shapes[i] = s
	}
	return j
}
