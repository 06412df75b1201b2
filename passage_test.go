package bookahead_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/idletree"
)

// passage advances tick by tick, and compares the reservations before and after each tick.
func passage(t require.TestingT, s bookahead.Keeper, now bookahead.Time) (p bookahead.Passage) {
	byID := func(a, b bookahead.Reservation) int { return cmp.Compare(a.ID, b.ID) }
	for at := s.Frame().Now + 1; at <= now; at++ {
		before := slices.SortedFunc(s.Reservations(s.Frame().Window()), byID)
		require.NoError(t, s.Advance(at))
		for _, res := range before {
			if res.Start == at {
				p.Started = append(p.Started, res)
			}
			_, err := s.Reservation(res.ID)
			if err != nil {
				require.Equal(t, bookahead.ErrNotFound, err)
				p.Ended = append(p.Ended, res)
			}
		}
	}
	return p
}

// Advance lists the reservations that a clock meets which goes tick by tick, bare and locked, and
// changes the schedule as the method does.
func TestAdvance(t *testing.T) {
	each(t, func(t *testing.T, empty bookahead.Keeper) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawHistory(t, empty)
			old := s.Frame().Now
			now := old + drawn[bookahead.Time](t, -3, 120, "passed")
			slowly, _ := bookahead.Clone(s)
			alone, _ := bookahead.Clone(s)
			behind, _ := bookahead.Clone(s)
			for _, k := range []bookahead.Keeper{s, bookahead.Locked(behind)} {
				p, err := bookahead.Advance(k, now)
				if now < old {
					require.ErrorIs(t, err, bookahead.ErrInvalid)
					require.Zero(t, p)
				} else {
					require.NoError(t, err)
					again, _ := bookahead.Clone(slowly)
					require.Equal(t, passage(t, again, now), p)
					for _, res := range slices.Concat(p.Started, p.Ended) {
						for i := range res.Servers { // the caller's
							res.Servers[i] = -1
						}
					}
				}
			}
			err := alone.Advance(now)
			require.Equal(t, now < old, err != nil)
			want, err := bookahead.Snapshot(alone)
			require.NoError(t, err)
			for _, k := range []bookahead.Keeper{s, behind} {
				got, err := bookahead.Snapshot(k)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		})
	})
}

// The end of the axis is passed like any other tick. A clock that cannot be moved passes nothing.
func TestAdvanceToTheEndOfTheAxis(t *testing.T) {
	const end = bookahead.MaxTime
	unlimited(t, func(t *testing.T, s bookahead.Keeper) {
		var booked []bookahead.Reservation
		for _, r := range []bookahead.Request{bookahead.At(5, 1, 1), bookahead.At(end-1, 1, 2), bookahead.At(7, bookahead.Duration(end-7), 3)} {
			res, err := s.Reserve(r)
			require.NoError(t, err)
			booked = append(booked, res)
		}
		for _, back := range []bookahead.Time{4, math.MinInt64} {
			p, err := bookahead.Advance(s, back)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.Zero(t, p)
		}
		p, err := bookahead.Advance(s, 5)
		require.NoError(t, err)
		require.Zero(t, p, "it stays, and #1 started when it was booked")
		p, err = bookahead.Advance(s, end)
		require.NoError(t, err)
		require.Equal(t, bookahead.Passage{
			Started: []bookahead.Reservation{booked[2], booked[1]},
			Ended:   []bookahead.Reservation{booked[0], booked[1], booked[2]},
		}, p)
		p, err = bookahead.Advance(s, end)
		require.NoError(t, err)
		require.Zero(t, p)
	})
	s, err := idletree.NewTree(3, idletree.Config{Origin: end - 20, Horizon: 10})
	require.NoError(t, err)
	_, err = s.Reserve(bookahead.At(end-15, 3, 1))
	require.NoError(t, err)
	p, err := bookahead.Advance(s, end-9)
	require.ErrorIs(t, err, bookahead.ErrInvalid, "the horizon would lie beyond the axis")
	require.Zero(t, p)
	require.Equal(t, end-20, s.Frame().Now)
	p, err = bookahead.Advance(s, end-10)
	require.NoError(t, err)
	require.Len(t, p.Started, 1)
	require.Len(t, p.Ended, 1)
}
