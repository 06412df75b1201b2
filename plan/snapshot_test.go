package plan

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// full returns a queue with a job in each state.
func full(t testing.TB) (*Queue, *carts.Indexed) {
	q, pool := poolQueue(t, Config{Backfill: EASY(2), Preempt: true, Order: By(ByPriority(), FairShare(Share{HalfLife: 50}))})
	submit(t, q,
		Job{ID: "low", Owner: "ann", Preemptible: true, Shapes: on(3, 40)},
		Job{ID: "small", Owner: "bob", Group: "g", Shapes: append(on(1, 9), on(2, 5)...)})
	_, _ = pass(t, q, 0)
	submit(t, q,
		Job{ID: "high", Class: 1, Priority: 7, Submitted: 1, Shapes: on(3, 4)},
		Job{ID: "wide", Owner: "cid", Submitted: 1, Shapes: on(4, 6)},
		Job{ID: "later", Submitted: 1, NotBefore: 30, Shapes: on(1, 1)},
		Job{ID: "after", Submitted: 1, After: []ID{"wide"}, Shapes: on(1, 2)})
	r, err := q.Pass(context.Background(), 2)
	require.NoError(t, err)
	require.Equal(t, []ID{"low"}, r.Starts[0].Victims)
	return q, pool
}

// TestSnapshot: a queue that was read goes on like the one that was written, and has the same bytes.
func TestSnapshot(t *testing.T) {
	q, _ := full(t)
	data, err := q.Snapshot()
	require.NoError(t, err)
	copied, err := q.Clone()
	require.NoError(t, err)
	again, err := copied.Snapshot()
	require.NoError(t, err)
	require.Equal(t, data, again)
	for _, x := range []*Queue{q, copied} {
		require.NoError(t, x.Requeue(2, "low"))
		require.NoError(t, x.Started("high"))
	}
	for now := bookahead.Time(3); now < 60; now++ {
		a, ea := pass(t, q, now)
		b, eb := pass(t, copied, now)
		require.Equal(t, a, b, "at %d", now)
		require.Equal(t, ea, eb, "at %d", now)
		require.Equal(t, q.Next(), copied.Next(), "at %d", now)
		if now == 20 {
			for _, x := range []*Queue{q, copied} {
				_, f, err := x.Job("wide")
				require.NoError(t, err)
				if f.State == Running {
					require.NoError(t, x.Ended(now, "wide"))
				}
			}
		}
	}
	data, err = q.Snapshot()
	require.NoError(t, err)
	again, err = copied.Snapshot()
	require.NoError(t, err)
	require.Equal(t, data, again)
}

// TestReadRefuses: bytes that do not agree with the schedules, or with themselves, are refused.
func TestReadRefuses(t *testing.T) {
	q, pool := full(t)
	data, err := q.Snapshot()
	require.NoError(t, err)
	for i := range data {
		_, err = Read(q.Config(), data[:i])
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
	other, err := carts.NewIndexed(4, carts.Config{Origin: 2})
	require.NoError(t, err)
	c := q.Config()
	c.Schedules = []Schedule{{Name: "p", Pool: other}}
	_, err = Read(c, data)
	require.ErrorContains(t, err, "is not as p has it")
	c.Schedules = []Schedule{{Name: "other", Pool: pool}}
	_, err = Read(c, data)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// A volume that overran does not keep its rule, and has units nevertheless.
func TestReadRefusesUnits(t *testing.T) {
	for units, ok := range map[int64]bool{2: true, 0: false, -3: false} {
		q, _ := poolQueue(t, Config{Backfill: EASY(1)})
		submit(t, q, Job{ID: "v", Shapes: asVolume(2, 0, 4)})
		pass(t, q, 0)
		j := q.jobs["v"]
		j.overran, j.firm[0], j.places[0].Units = 0, 0, units
		data, err := q.Snapshot()
		require.NoError(t, err)
		_, err = Read(q.Config(), data)
		if ok {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
		}
	}
}

// FuzzRead: what Read accepts is a queue that can be used.
func FuzzRead(f *testing.F) {
	q, _ := full(f)
	data, err := q.Snapshot()
	require.NoError(f, err)
	f.Add(data, uint64(0))
	for seed := range uint64(40) {
		f.Add(snapshot.Spoil(data, seed), seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		for _, bytes := range [][]byte{data, snapshot.Seal(data), snapshot.Spoil(data, seed)} {
			c := q.Config()
			c.Limits.Steps = 1 << 16
			for i, m := range q.firm.Clone() {
				c.Schedules[i].Pool = m.pool
			}
			x, err := Read(c, bytes)
			if err != nil {
				require.ErrorIs(t, err, bookahead.ErrInvalid)
				continue
			}
			written, err := x.Snapshot()
			require.NoError(t, err)
			_, err = Read(c, written)
			require.NoError(t, err)
			last := x.now + 3
			for now := x.now; now < last; now++ {
				r, err := x.Pass(context.Background(), now)
				if err != nil {
					return
				}
				for _, s := range r.Starts {
					_ = x.Started(s.Job)
				}
				_, _ = x.Forecasts(context.Background())
				for _, j := range x.all() {
					_, _ = x.Why(j.ID)
					_ = x.Ended(now, j.ID)
				}
			}
			require.NoError(t, x.Verify())
		}
	})
}
