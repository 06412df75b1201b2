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

func TestProfile(t *testing.T) {
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

// Sums that would wrap around are found out like any other.
func TestProfileOfTooMuch(t *testing.T) {
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

// What a structure says must be what the reservations leave, no more and no less.
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
