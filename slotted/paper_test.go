package slotted

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Reference: Schneider and Linnert, "List-based data structures for efficient
// management of advance reservations", 2012.

func each(t *testing.T, capacity int64, c Config, test func(t *testing.T, s bookahead.Schedule)) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			s, err := f.open(capacity, c)
			require.NoError(t, err)
			test(t, s)
		})
	}
}

// §4: "the resource usage is counted for the whole time slot": internal
// fragmentation.
func TestPartlyUsedSlotCountsWhole(t *testing.T) {
	each(t, 4, Config{Horizon: 100, Slot: 10}, func(t *testing.T, s bookahead.Schedule) {
		_, err := s.Reserve(bookahead.Request{Ready: 9, Duration: 2, Units: 3}) // [9, 11)
		require.NoError(t, err)
		for w, free := range map[bookahead.Interval]int64{
			{Start: 0, End: 1}: 1, {Start: 19, End: 20}: 1, {Start: 20, End: 100}: 4, {Start: 19, End: 21}: 1,
		} {
			a, err := s.RangeQuery(w)
			require.NoError(t, err)
			require.Equal(t, free, a.Free, w)
		}
		o, err := s.Search(bookahead.Request{Ready: 11, Duration: 5, Units: 2})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(20), o.Start, "11 would do, were slots finer")
	})
	each(t, 4, Config{Horizon: 100, Slot: 1}, func(t *testing.T, s bookahead.Schedule) {
		_, err := s.Reserve(bookahead.Request{Ready: 9, Duration: 2, Units: 3})
		require.NoError(t, err)
		o, err := s.Search(bookahead.Request{Ready: 11, Duration: 5, Units: 2})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(11), o.Start)
	})
}

// §4: the slot t_i holds the times from iΔt to (i+1)Δt, so two reservations
// that touch inside a slot both count there.
func TestTouchingInsideASlotCollides(t *testing.T) {
	each(t, 1, Config{Horizon: 100, Slot: 10}, func(t *testing.T, s bookahead.Schedule) {
		_, err := s.Reserve(bookahead.Request{Ready: 0, Duration: 15, Units: 1})
		require.NoError(t, err)
		fixed := bookahead.Request{Ready: 15, Deadline: 20, Duration: 5, Units: 1}
		_, err = s.Search(fixed)
		require.Equal(t, bookahead.ErrUnavailable, err)
	})
}

// §4: the ring's size depends only on the book-ahead time; it turns for ever.
func TestRingTurns(t *testing.T) {
	each(t, 2, Config{Horizon: 40, Slot: 7}, func(t *testing.T, s bookahead.Schedule) {
		for now := bookahead.Time(0); now < 5000; now += 13 {
			require.NoError(t, s.Advance(now))
			res, err := s.Reserve(bookahead.Request{Ready: now + 20, Duration: 10, Units: 2})
			require.NoError(t, err)
			require.LessOrEqual(t, res.Start, now+28)
			require.NoError(t, s.Release(res.ID))
			res, err = s.Reserve(bookahead.Request{Ready: now, Duration: 2, Units: 1})
			require.NoError(t, err)
			require.Less(t, res.Start, now+8)
			require.NoError(t, s.(interface{ Verify() error }).Verify())
		}
		require.NoError(t, s.Advance(1_000_000_000), "many turns at once")
		a, err := s.RangeQuery(bookahead.Interval{Start: 1_000_000_000, End: 1_000_000_040})
		require.NoError(t, err)
		require.Equal(t, int64(2), a.Free)
	})
}

// §4: memory depends only on book-ahead time and slot width, and is refused before it is taken.
func TestSlotsAreCountedFirst(t *testing.T) {
	for want, c := range map[int]Config{
		2: {Horizon: 1}, 11: {Horizon: 10}, 3: {Horizon: 10, Slot: 7}, 900_001: {Horizon: 9_000_000, Slot: 10},
	} {
		n, err := c.Slots()
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	for want, c := range map[string]Config{
		"Config.Horizon 0 is less than 1: a ring needs an end":                          {},
		"Config.Slot -1 is negative":                                                    {Horizon: 1, Slot: -1},
		"Config.Horizon 1099511627776 takes more than 134217728 slots of 1 ticks":       {Horizon: 1 << 40},
		"Config.Horizon 9223372036854775807 takes more than 134217728 slots of 1 ticks": {Horizon: math.MaxInt64},
		"Config.Horizon 134217728 takes more than 134217728 slots of 1 ticks":           {Horizon: maxSlots},
	} {
		for _, f := range forms {
			_, err := f.open(1, c)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, want)
		}
	}
}
