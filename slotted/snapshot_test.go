package slotted

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func FuzzScanSnapshot(f *testing.F) { fuzzSnapshot(f, target(0, 3)) }

func FuzzIndexedSnapshot(f *testing.F) { fuzzSnapshot(f, target(1, 3)) }

func fuzzSnapshot(f *testing.F, target scheduletest.Target) {
	for _, data := range hostile() {
		f.Add(data)
	}
	scheduletest.FuzzSnapshot(f, target)
}

// Reservations that have ended in the running slot still count there, though no reservation shows
// it.
func TestWhatHasEndedIsRemembered(t *testing.T) {
	each(t, 4, Config{Horizon: 100, Slot: 10}, func(t *testing.T, s bookahead.Schedule) {
		_, err := s.Reserve(bookahead.Request{Ready: 2, Duration: 3, Units: 3})
		require.NoError(t, err)
		require.NoError(t, s.Advance(6))
		data, err := s.(bookahead.Snapshotter).MarshalBinary()
		require.NoError(t, err)
		for _, read := range []bookahead.Snapshotter{&Scan{}, &Indexed{}} { // either form
			require.NoError(t, read.UnmarshalBinary(data))
			for w, free := range map[bookahead.Interval]int64{{Start: 6, End: 7}: 1, {Start: 9, End: 11}: 1, {Start: 10, End: 20}: 4} {
				a, err := read.RangeQuery(w)
				require.NoError(t, err)
				require.Equal(t, free, a.Free, w)
			}
			require.NoError(t, read.(interface{ Verify() error }).Verify())
		}
	})
}

// Where few bytes ask for a large ring, the receiver must have one.
func TestLargeRingsWantConsent(t *testing.T) {
	c := Config{Horizon: 10_000_000}
	s, err := NewScan(4, c)
	require.NoError(t, err)
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	require.Less(t, len(data), 40)
	err = new(Indexed).UnmarshalBinary(data)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "read it into a schedule that has been made with the same arguments")
	other, err := NewIndexed(1, c)
	require.NoError(t, err)
	require.NoError(t, other.UnmarshalBinary(data))
	require.Equal(t, int64(4), other.Frame().Capacity)
}

// TestBlocksOfARingCount: a ring that takes all of 64 MiB as an array takes more with the blocks
// of an Indexed, so it needs a receiver of that size.
func TestBlocksOfARingCount(t *testing.T) {
	const slots = 64 << 20 / 8
	c := Config{Horizon: slots - 1}
	n, err := c.Slots()
	require.NoError(t, err)
	require.Equal(t, slots, n)
	data := numbers(4, 0, uint64(c.Horizon), 0, 0, 1, 0)
	require.NoError(t, new(Scan).UnmarshalBinary(data))
	require.ErrorIs(t, new(Indexed).UnmarshalBinary(data), bookahead.ErrInvalid)
	made, err := NewIndexed(1, c)
	require.NoError(t, err)
	require.NoError(t, made.UnmarshalBinary(data))
}
