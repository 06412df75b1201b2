package slotted

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// numbers is a snapshot of the given numbers: capacity, now, horizon, the last ID, the
// reservations (ID, start, duration and units of each) up to a 0, the width of a slot, and the
// units that ended in the running slot.
func numbers(list ...uint64) []byte { return snapshot.Numbers(kind, list...) }

// hostile are snapshots that no schedule has written.
func hostile() map[string][]byte {
	const most = math.MaxUint64
	return map[string][]byte{
		"truncated":                      numbers(4, 0, 60, 0, 0),
		"no horizon":                     numbers(4, 0, 0, 0, 0, 3, 0),
		"no width":                       numbers(4, 0, 60, 0, 0, 0, 0),
		"a width that overflows":         numbers(4, 0, 60, 0, 0, most, 0),
		"more slots than there may be":   numbers(4, 0, math.MaxInt64, 0, 0, 1, 0),
		"more slots than bytes pay for":  numbers(4, 0, 1<<26, 0, 0, 1, 0),
		"more has ended than there is":   numbers(4, 1, 60, 0, 0, 3, 5),
		"what has ended overflows":       numbers(4, 1, 60, 0, 0, 3, most),
		"ended in a slot that has begun": numbers(4, 3, 60, 0, 0, 3, 1),
		"what has ended overbooks":       numbers(4, 1, 60, 1, 1, 0, 5, 3, 0, 3, 2),
		"two share a slot":               numbers(4, 0, 60, 2, 1, 0, 4, 3, 1, 8, 4, 2, 0, 3, 0),
		"bytes that are left":            numbers(4, 0, 60, 0, 0, 3, 0, 0),
		"a kind that is no UTF-8":        snapshot.Seal([]byte("BKAH\x01\x07\xff\xfe\xc0\x80\xed\xa0\x80\x04\x00\x3c\x00\x00\x03\x00....")),
	}
}

func TestHostileSnapshotsAreRefused(t *testing.T) {
	for name, data := range hostile() {
		for _, s := range []bookahead.Snapshotter{&Scan{}, &Indexed{}} {
			require.ErrorIs(t, s.UnmarshalBinary(data), bookahead.ErrInvalid, name)
		}
	}
	// A snapshot that differs from these is good: the second starts a slot later, and 1 has
	// ended.
	for _, s := range []bookahead.Snapshotter{&Scan{}, &Indexed{}} {
		require.NoError(t, s.UnmarshalBinary(numbers(4, 1, 60, 2, 1, 0, 5, 3, 1, 10, 4, 4, 0, 3, 1)))
	}
}

// At the end of the axis the last slot is cut short, and ends with it.
func TestLastSlotOfTheAxis(t *testing.T) {
	for _, form := range forms {
		s, err := form.open(4, Config{Origin: math.MaxInt64 - 20, Horizon: 20, Slot: 8})
		require.NoError(t, err)
		r := bookahead.Request{Ready: math.MaxInt64 - 2, Duration: 2, Units: 3}
		res, err := s.Reserve(r)
		require.NoError(t, err, form.name)
		require.Equal(t, bookahead.MaxTime, res.End)
		last := bookahead.Interval{Start: math.MaxInt64 - 7, End: math.MaxInt64}
		var blocks []bookahead.Block
		for b := range s.(bookahead.Profiler).Blocks(bookahead.Interval{Start: last.Start - 8, End: last.End}) {
			blocks = append(blocks, b)
		}
		require.Equal(t, []bookahead.Block{
			{Interval: bookahead.Interval{Start: last.Start - 8, End: last.Start}, Units: 4},
			{Interval: last, Units: 1},
		}, blocks, form.name)
		r.Units, r.Ready = 2, math.MaxInt64-12
		o, err := s.Search(r)
		require.NoError(t, err)
		require.Equal(t, r.Ready, o.Start)
		r.Duration = 6 // into the last slot
		_, err = s.Search(r)
		require.Equal(t, bookahead.ErrUnavailable, err, form.name)
		data, err := s.(bookahead.Snapshotter).MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, s.(bookahead.Snapshotter).UnmarshalBinary(data), form.name)
		require.NoError(t, s.(interface{ Verify() error }).Verify(), form.name)
	}
}
