package pool

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// numbers is a snapshot of the given numbers.
func numbers(list ...uint64) []byte { return snapshot.Numbers(kind, list...) }

// The profile is not written, because it follows from the reservations.
func TestDecode(t *testing.T) {
	p, err := New(4, 10, 90)
	require.NoError(t, err)
	for _, b := range []Booking{booking(10, 30, 2), booking(11, 12, 1), booking(30, 40, 4)} {
		p.Enter(bookahead.Offer{Interval: b.Interval, Units: b.Units})
	}
	require.NoError(t, p.Advance(12)) // the second has ended
	data, err := p.Encode()
	require.NoError(t, err)
	read, steps, err := Decode(data)
	require.NoError(t, err)
	require.Equal(t, []Step{{12, 2}, {30, 0}, {40, 4}}, steps)
	require.NoError(t, read.VerifySteps(steps))
	require.Equal(t, p.Limits, read.Limits)
	require.Equal(t, slices.Collect(p.Reservations(always)), slices.Collect(read.Reservations(always)))
	o := bookahead.Offer{Interval: span(50, 51), Units: 1}
	require.Equal(t, p.Enter(o), read.Enter(o), "the next ID")
}

// hostile are snapshots that no pool has written: capacity, now and horizon, the last ID, then
// for each reservation the ID, the start, the duration and the units, and 0 for no more.
func hostile() map[string][]byte {
	const most = math.MaxUint64
	return map[string][]byte{
		"nothing":                   {},
		"no numbers":                numbers(),
		"no capacity":               numbers(0, 0, 0, 0, 0),
		"capacity that overflows":   numbers(most, 0, 0, 0, 0),
		"horizon that overflows":    numbers(4, 1, math.MaxInt64, 0, 0),
		"no units":                  numbers(4, 0, 0, 1, 1, 0, 5, 0, 0),
		"more units than there are": numbers(4, 0, 0, 1, 1, 0, 5, 5, 0),
		"units that overflow":       numbers(4, 0, 0, 1, 1, 0, 5, most, 0),
		"two that overbook":         numbers(4, 0, 0, 2, 1, 0, 5, 3, 1, 8, 5, 2, 0),
		"sums that overflow":        numbers(math.MaxInt64, 0, 0, 3, 1, 0, 5, math.MaxInt64, 1, 0, 5, math.MaxInt64, 1, 0, 5, math.MaxInt64, 0),
		"an end past the horizon":   numbers(4, 0, 9, 1, 1, 0, 10, 1, 0),
		"a last ID that overflows":  numbers(4, 0, 0, most, most, 0, 5, 1, 0),
		"cut off in a reservation":  numbers(4, 0, 0, 1, 1, 0),
		"bytes that are left":       numbers(4, 0, 0, 0, 0, 0),
		"a kind that is no UTF-8":   snapshot.Seal([]byte("BKAH\x01\x04\xff\xfe\xc0\x80\x04\x00\x00\x00\x00....")),
		"a number of eleven bytes":  snapshot.Seal([]byte("BKAH\x01\x04pool\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01....")),
		"a number with a zero":      snapshot.Seal([]byte("BKAH\x01\x04pool\x84\x00\x00\x00\x00\x00....")),
	}
}

func TestHostileSnapshotsAreRefused(t *testing.T) {
	for name, data := range hostile() {
		p, steps, err := Decode(data)
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.Zero(t, p, name)
		require.Nil(t, steps, name)
	}
	_, _, err := Decode(numbers(4, 0, 0, 2, 1, 0, 5, 3, 1, 10, 5, 2, 0)) // but this one is good
	require.NoError(t, err)
}

// FuzzDecode checks that a snapshot that is read is written the same again, and that its profile
// is that of a count tick by tick.
func FuzzDecode(f *testing.F) {
	for _, data := range hostile() {
		f.Add(data)
	}
	p, err := New(9, 10, 90)
	require.NoError(f, err)
	for k := range bookahead.Time(9) {
		p.Enter(bookahead.Offer{Interval: span(10+3*k, 20+5*k), Units: 1})
	}
	good, err := p.Encode()
	require.NoError(f, err)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		data = snapshot.Seal(data)
		p, steps, err := Decode(data)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		again, err := p.Encode()
		require.NoError(t, err)
		require.Equal(t, data, again)
		require.Equal(t, p.Now, steps[0].Start)
		require.Equal(t, p.Capacity, steps[len(steps)-1].Free)
		for i, s := range steps {
			free := p.Capacity
			for b := range p.Bookings() {
				if b.Contains(s.Start) {
					free -= b.Units
				}
			}
			require.Equal(t, free, s.Free)
			require.GreaterOrEqual(t, free, int64(0))
			require.True(t, i == 0 || s.Start > steps[i-1].Start && s.Free != steps[i-1].Free)
		}
	})
}
