package pool

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func booking(start, end bookahead.Time, units int64) Booking {
	return Booking{bookahead.Interval{Start: start, End: end}, units}
}

func TestSteps(t *testing.T) {
	for name, c := range map[string]struct {
		booked []Booking
		want   []Step
	}{
		"empty":            {nil, []Step{{10, 4}}},
		"running":          {[]Booking{booking(3, 12, 3)}, []Step{{10, 1}, {12, 4}}},
		"touching":         {[]Booking{booking(15, 20, 4), booking(11, 15, 4)}, []Step{{10, 4}, {11, 0}, {20, 4}}},
		"a change in both": {[]Booking{booking(11, 15, 1), booking(15, 20, 2)}, []Step{{10, 4}, {11, 3}, {15, 2}, {20, 4}}},
		"together":         {[]Booking{booking(11, 15, 2), booking(11, 15, 2)}, []Step{{10, 4}, {11, 0}, {15, 4}}},
	} {
		got, err := Steps(4, 10, slices.Values(c.booked))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

// Sums that would wrap around are found like any other.
func TestStepsOfTooMuch(t *testing.T) {
	const most = math.MaxInt64
	for _, booked := range [][]Booking{
		{booking(11, 15, 3), booking(14, 20, 2)},
		{booking(11, 15, most), booking(11, 15, most), booking(11, 15, most)},
	} {
		capacity := int64(4)
		if booked[0].Units == most {
			capacity = most
		}
		_, err := Steps(capacity, 10, slices.Values(booked))
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}

// Reservations that a pool holds from the start get the IDs from 1, in any order of time.
// A reservation that runs at the origin keeps its Start, and takes units from the origin on.
func TestOpen(t *testing.T) {
	offer := func(start, end bookahead.Time, units int64) bookahead.Offer {
		return bookahead.Offer{Interval: span(start, end), Units: units}
	}
	p, steps, err := Open(4, 10, 90, []bookahead.Offer{offer(20, 100, 4), offer(3, 12, 3), offer(10, 11, 1), offer(12, 15, 2)})
	require.NoError(t, err)
	require.Equal(t, []Step{{10, 0}, {11, 1}, {12, 2}, {15, 4}, {20, 0}, {100, 4}}, steps)
	require.NoError(t, p.VerifySteps(steps))
	require.Equal(t, []bookahead.Reservation{{ID: 2, Offer: offer(3, 12, 3)}, {ID: 3, Offer: offer(10, 11, 1)}, {ID: 4, Offer: offer(12, 15, 2)}, {ID: 1, Offer: offer(20, 100, 4)}},
		slices.Collect(p.Reservations(span(0, 200))))
	require.Equal(t, bookahead.ID(5), p.Enter(offer(15, 16, 1)).ID)

	for want, bad := range map[string][]bookahead.Offer{
		"capacity 0 is less than 1":                                                             nil,
		"Config.Booked[1]: bookahead: Request.Units 0 is less than 1":                           {offer(10, 11, 1), offer(10, 11, 0)},
		"Config.Booked[1]: bookahead: Request.Duration 0":                                       {offer(10, 11, 1), offer(10, 10, 1)},
		"Config.Booked[0] [10, 11) 5 has more units than the capacity 4":                        {offer(10, 11, 5)},
		"Config.Booked[0] [5, 10) 1 ends by the origin 10":                                      {offer(5, 10, 1)},
		"Config.Booked[0] [-5, 11) 1 starts before tick 0":                                      {offer(-5, 11, 1)},
		"Config.Booked[0] [99, 101) 1 ends beyond the horizon 100":                              {offer(99, 101, 1)},
		"Config.Booked: bookahead: reservations 1 units at 20 exceed the capacity":              {offer(20, 30, 3), offer(3, 40, 2)},
		"Config.Booked[0]: bookahead: Request.Servers [1] are named, but a pool has units only": {{Interval: span(10, 11), Units: 1, Servers: []int{1}}},
	} {
		capacity := int64(4)
		if bad == nil {
			capacity = 0
		}
		_, steps, err := Open(capacity, 10, 90, bad)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
		require.Nil(t, steps)
	}
}

// The steps of a structure must be those that the reservations leave, no more and no less.
func TestVerifySteps(t *testing.T) {
	p, err := New(4, 10, 0)
	require.NoError(t, err)
	p.Enter(bookahead.Offer{Interval: bookahead.Interval{Start: 11, End: 15}, Units: 3})
	require.NoError(t, p.VerifySteps([]Step{{10, 4}, {11, 1}, {15, 4}}))
	for _, wrong := range [][]Step{
		nil, {{10, 4}}, {{10, 4}, {11, 1}}, {{10, 4}, {11, 2}, {15, 4}}, {{10, 4}, {11, 1}, {15, 4}, {16, 4}}, {{9, 4}, {11, 1}, {15, 4}},
	} {
		require.Error(t, p.VerifySteps(wrong), wrong)
	}
	block := func(start, end bookahead.Time, units int64) bookahead.Block {
		return bookahead.Block{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
	}
	whole := []bookahead.Block{block(10, bookahead.MaxTime, 1), block(10, 11, 3), block(15, bookahead.MaxTime, 3)}
	require.NoError(t, p.VerifyBlocks(slices.Values(whole)))
	require.Error(t, p.VerifyBlocks(slices.Values(whole[:2])))
}

// At the end of the axis no time is left, and so no block.
func TestVerifyBlocksAtTheEnd(t *testing.T) {
	p, err := New(4, bookahead.MaxTime, 0)
	require.NoError(t, err)
	require.NoError(t, p.VerifyBlocks(slices.Values([]bookahead.Block(nil))))
}
