package carts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/scheduletest"
)

func FuzzFlatSnapshot(f *testing.F) { scheduletest.FuzzSnapshot(f, targetOf(f, "carts.Flat")) }

func FuzzBTreeSnapshot(f *testing.F) { scheduletest.FuzzSnapshot(f, targetOf(f, "carts.BTree")) }

func FuzzIndexedSnapshot(f *testing.F) { scheduletest.FuzzSnapshot(f, targetOf(f, "carts.Indexed")) }

func FuzzSRSnapshot(f *testing.F) {
	for _, data := range hostileSR(f) {
		f.Add(data)
	}
	scheduletest.FuzzSnapshot(f, targetOf(f, "carts.SR"))
}

// ofSR is a snapshot of 4 servers, at tick 0, with the given numbers: the last ID, and the
// reservations (ID, start, duration, number of servers, the servers) up to a 0.
func ofSR(t require.TestingT, list ...uint64) []byte {
	w := snapshot.Begin(kindOfSR)
	for _, n := range append([]uint64{4, 0, 60}, list...) {
		w.Uint(n)
	}
	data, err := w.End()
	require.NoError(t, err)
	return data
}

// hostileSR are snapshots of an SR that no SR has written. Snapshots that the limits and the
// ledger refuse are in the tests of their packages.
func hostileSR(t require.TestingT) map[string][]byte {
	return map[string][]byte{
		"truncated":                  ofSR(t),
		"a server booked twice":      ofSR(t, 2, 1, 0, 5, 1, 2, 1, 8, 5, 2, 1, 0, 0), // from 0 to 5, from 4 to 9
		"a server booked twice, now": ofSR(t, 2, 1, 0, 5, 1, 2, 1, 0, 3, 1, 2, 0),
		"bytes that are left":        ofSR(t, 0, 0, 0),
		"a kind that is no UTF-8":    snapshot.Seal([]byte("BKAH\x01\x08\xff\xfe\xc0\x80\xed\xa0\x80.\x04\x00\x3c\x00\x00....")),
	}
}

func TestHostileSnapshotsAreRefused(t *testing.T) {
	for name, data := range hostileSR(t) {
		require.ErrorIs(t, new(SR).UnmarshalBinary(data), bookahead.ErrInvalid, name)
	}
	var s SR
	require.NoError(t, s.UnmarshalBinary(ofSR(t, 2, 1, 0, 5, 1, 2, 1, 10, 5, 2, 1, 0, 0))) // from 5 on
	require.NoError(t, s.Verify())
}

// The bytes are a format: a snapshot that was written once must be read for ever.
func TestSnapshotBytes(t *testing.T) {
	s, err := NewFlat(4, Config{Origin: 10, Horizon: 100})
	require.NoError(t, err)
	for _, r := range []bookahead.Request{
		{Ready: 10, Duration: 5, Units: 3}, {Ready: 10, Duration: 7, Units: 2}, {Ready: 12, Duration: 2, Units: 1},
	} {
		_, err := s.Reserve(r)
		require.NoError(t, err)
	}
	require.NoError(t, s.Release(2))
	require.NoError(t, s.Advance(11))
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	want := "BKAH\x01\x04pool" +
		"\x04\x0b\x64" + // capacity, now, horizon
		"\x03" + // the last ID
		"\x01\x01\x05\x03" + // #1 one tick before now, for 5, 3 units
		"\x02\x04\x02\x01" + // #3 two ticks after that, for 2, 1 unit
		"\x00"
	require.Equal(t, want, string(data[:len(data)-4]))
}

// All pools that are exact to the tick read each other's snapshots.
func TestPoolsReadEachOther(t *testing.T) {
	flat, err := NewFlat(1<<40, Config{Horizon: 1000}) // more than fits 32 bits
	require.NoError(t, err)
	for k := range bookahead.Time(500) {
		_, err := flat.Reserve(bookahead.Request{Ready: k * 7 % 900, Duration: bookahead.Duration(1 + k%50), Units: 1 << (k % 40)})
		require.NoError(t, err)
	}
	data, err := flat.MarshalBinary()
	require.NoError(t, err)
	for _, s := range []bookahead.Snapshotter{&BTree{}, &Indexed{}, &Flat{}} {
		require.NoError(t, s.UnmarshalBinary(data))
		require.NoError(t, s.(interface{ Verify() error }).Verify())
		for k := range bookahead.Time(100) {
			r := bookahead.Request{Ready: 9 * k, Duration: 40, Units: 1<<40 - 1<<(k%40)}
			want, wantErr := flat.Search(r)
			got, err := s.Search(r)
			require.Equal(t, wantErr, err)
			require.Equal(t, want, got)
		}
		again, err := s.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again)
	}
	require.ErrorIs(t, new(SR).UnmarshalBinary(data), bookahead.ErrInvalid, "servers are something else")
}

// Where few bytes ask for much memory, the receiver must have as many servers.
func TestLargeSetsWantConsent(t *testing.T) {
	const n = 1 << 24
	s, err := NewSR(n, Config{})
	require.NoError(t, err)
	for k := range bookahead.Time(20) {
		_, err := s.Reserve(bookahead.Request{Ready: 2 * k, Duration: 1, Units: 1})
		require.NoError(t, err)
	}
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	require.Less(t, len(data), 200)
	require.ErrorContains(t, new(SR).UnmarshalBinary(data), "read it into a schedule that has been made with the same arguments")
	other, err := NewSR(n, Config{})
	require.NoError(t, err)
	require.NoError(t, other.UnmarshalBinary(data))
	require.NoError(t, other.Release(7))
}
