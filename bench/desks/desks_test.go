package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/depth"
)

// bad is a small world in which much goes wrong.
func bad(seed uint64, bookings int) settings {
	x := usual()
	x.Seed, x.Desks, x.Bookings, x.Ahead = seed, 12, bookings, 900_000
	x.Late, x.Lose, x.Double, x.Cut, x.Stop, x.Die, x.Expiry = 0.02, 0.15, 0.2, 0.2, 40, 0.3, 20_000
	return x
}

func ran(t *testing.T, x settings) counts {
	w, err := newWorld(x)
	require.NoError(t, err)
	require.NoError(t, w.run(context.Background(), io.Discard), "seed %d", x.Seed)
	return w.watch.counts
}

// In a bad world, the watch finds no booking in part, no broken promise, no hold that outlives its expiry, and no desk that is
// overbooked.
func TestABookingIsWholeOrGone(t *testing.T) {
	var all counts
	bookings := depth.Cases(1000)
	for seed := range uint64(8) {
		c := ran(t, bad(seed, bookings))
		for i := range c.finished {
			all.finished[i], all.again[i] = all.finished[i]+c.finished[i], all.again[i]+c.again[i]
		}
		all.whole, all.unheard, all.lone = all.whole+c.whole, all.unheard+c.unheard, all.lone+c.lone
		require.NotEmpty(t, c.doubts)
	}
	t.Logf("%+v", all)
	require.Greater(t, all.finished[booked], 4*bookings)
	require.NotZero(t, all.again[refused])
	require.NotZero(t, all.again[late])
	require.NotZero(t, all.unheard)
}

// Where nothing goes wrong, nothing is late, and each booking that was promised has run, unless it was cancelled.
func TestNothingIsLostInAStillWorld(t *testing.T) {
	x := rows(bad(1, depth.Cases(3000)))[0]
	c := ran(t, x)
	require.Zero(t, c.finished[late]+c.again[late]+c.unheard+c.lone)
	require.Equal(t, x.Bookings, c.finished[booked]+c.finished[refused])
	x.Regret, x.Seed = 0, 2
	c = ran(t, x)
	require.Equal(t, c.finished[booked], c.whole)
	require.Equal(t, x.Bookings, c.finished[booked]+c.finished[refused])
}

// If desks are away for long, a booking that was promised is still whole.
func TestDesksThatAreAwayForLong(t *testing.T) {
	for seed := range uint64(3) {
		x := bad(seed, depth.Cases(1000))
		x.Down, x.Stop, x.Skew = 600_000, 6, 10_000
		c := ran(t, x)
		require.NotZero(t, c.whole)
	}
}

// A hold expires in time on a desk that was away and that nobody asks for anything.
func TestAHoldExpiresOnALonelyDesk(t *testing.T) {
	x := bad(1, 0)
	x.Stop = 0
	for _, down := range []int64{5_000, 60_000} {
		w, err := newWorld(x)
		require.NoError(t, err)
		require.Equal(t, desk.Held, w.sites[0].hold("0", 100, 1, 10, bookahead.Time(x.Expiry/1000), nil).state)
		w.sites[0].stop(down)
		require.NoError(t, w.run(context.Background(), io.Discard))
		require.Empty(t, w.watch.stays)
	}
}

// The same seed is the same run.
func TestARunDependsOnItsSeed(t *testing.T) {
	one, other := ran(t, bad(3, 200)), ran(t, bad(3, 200))
	require.Equal(t, one, other)
	require.NotEqual(t, one, ran(t, bad(4, 200)))
}

func TestTable(t *testing.T) {
	var out, progress bytes.Buffer
	x := usual()
	x.Desks, x.Bookings = 5, 20
	require.NoError(t, table(context.Background(), &out, &progress, x, 0))
	require.Equal(t, 2+2+len(rows(x)), strings.Count(out.String(), "\n"))
	ctx, stop := context.WithCancel(context.Background())
	require.NoError(t, one(ctx, &out, &progress, 100, 1))
	require.Contains(t, out.String(), "| 100 | ")
	stop()
	require.ErrorIs(t, one(ctx, &out, &progress, 100, 1), context.Canceled)
	require.ErrorIs(t, table(ctx, &out, &progress, x, 1), context.Canceled)
}
