package workload

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// TestChurnIsTheSameEachTime: figures of different years are of the same requests. The sums
// were taken when the benchmarks were first published.
func TestChurnIsTheSameEachTime(t *testing.T) {
	for _, c := range []struct {
		Churn
		length int64
		sum    uint64
	}{
		{Churn{AR, 128, 1000, 0.7, true}, 7024380, 0xbed10875e948601b},
		{Churn{Batch, 4096, 1000, 0, false}, 1, 0x41a552334387e423},
		{Churn{Rare, 1024, 1000, 0.7, false}, 9019366, 0x388587f930150034},
		{Churn{Span, 1 << 20, 1000, 0.7, false}, 69984, 0x7a7befb1b3c8f67},
	} {
		w, err := c.Work()
		require.NoError(t, err)
		s, err := carts.NewFlat(c.Capacity, carts.Config{})
		require.NoError(t, err)
		booked, err := w.Place(s)
		require.NoError(t, err)
		h := fnv.New64a()
		for _, o := range booked {
			fmt.Fprintln(h, o.Start, o.End, o.Units)
		}
		rng := rand.New(rand.NewPCG(11, 11))
		for i := range 1000 {
			r := w.Request(rng, 5)
			fmt.Fprintln(h, i, r.Ready, r.Duration, r.Units, r.Deadline)
		}
		require.Equal(t, c.length, w.Length, c.Kind)
		require.Equal(t, c.sum, h.Sum64(), "%s: 0x%x", c.Kind, h.Sum64())
	}
}

// TestTurnover: as many stay live, each that leaves was live, and the clock of a backlog goes on.
func TestTurnover(t *testing.T) {
	for _, c := range []Churn{{AR, 128, 500, 0.9, true}, {Batch, 128, 500, 0, false}} {
		w, err := c.Work()
		require.NoError(t, err)
		s, err := carts.NewIndexed(c.Capacity, carts.Config{})
		require.NoError(t, err)
		booked, err := w.Fill(s)
		require.NoError(t, err)
		over := w.Turnover()
		live := map[bookahead.ID]bookahead.Time{}
		enter := func(res bookahead.Reservation) {
			over.Enter(res.ID, res.End)
			live[res.ID] = res.End
		}
		for _, res := range booked {
			enter(res)
		}
		now, left := bookahead.Time(0), 0
		for range 2000 {
			if res, err := s.Reserve(over.Request()); err == nil {
				enter(res)
			}
			for over.Over() {
				id, at, advance := over.Leave()
				require.Contains(t, live, id)
				require.Equal(t, c.Kind == Batch, advance)
				if advance {
					require.Equal(t, live[id], at, "it ends")
					require.GreaterOrEqual(t, at, now)
					now = at
					require.NoError(t, s.Advance(now))
				} else {
					require.NoError(t, s.Release(id))
				}
				delete(live, id)
				left++
			}
			require.Equal(t, len(live), max(len(over.all), over.ends.Len()))
		}
		require.Greater(t, left, 500, c.Kind)
		require.Len(t, live, c.Live)
	}
}

func TestChurnRefuses(t *testing.T) {
	good := Churn{AR, 128, 10, 0.7, true}
	for says, change := range map[string]func(*Churn){
		`Churn.Kind LUNCH is none of AR, BATCH, RARE, SPAN`: func(c *Churn) { c.Kind = "LUNCH" },
		`Churn.Capacity 7 is less than 8`:                   func(c *Churn) { c.Capacity = 7 },
		`Churn.Live 0 is less than 1`:                       func(c *Churn) { c.Live = 0 },
		`Churn.Load 1.5 is not above 0 and at most 1`:       func(c *Churn) { c.Load = 1.5 },
	} {
		c := good
		change(&c)
		_, err := c.Work()
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, says)
	}
	w, err := Churn{AR, 128, 100_000, 1, false}.Work()
	require.NoError(t, err)
	s, err := carts.NewFlat(1, carts.Config{Horizon: 10})
	require.NoError(t, err)
	w.Live = 10
	_, err = w.Fill(s)
	require.EqualError(t, err, "only 0 of 10 reservations fit at load 1")
}
