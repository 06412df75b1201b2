package servers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

const (
	kind       = "servers"
	kindClosed = "servers with closures"
)

func pack(t require.TestingT, s *Servers) []byte {
	w := snapshot.Begin(kind)
	if s.EverClosed() {
		w = snapshot.Begin(kindClosed)
	}
	s.Write(w)
	data, err := w.End()
	require.NoError(t, err)
	return data
}

func unpack(data []byte) (Servers, error) {
	r := snapshot.Open(data, kind, kindClosed)
	s := Read(r)
	if r.Kind() == kindClosed {
		s.ReadClosures(r)
	}
	return s, r.Close()
}

// numbers is a snapshot of the given numbers.
func numbers(list ...uint64) []byte { return snapshot.Numbers(kind, list...) }

// A set is written as gaps: neighbouring servers take a byte each.
func TestSets(t *testing.T) {
	for _, c := range []struct {
		set  []int32
		gaps []uint64
	}{
		{[]int32{}, nil},
		{[]int32{0, 1, 2}, []uint64{0, 0, 0}},
		{[]int32{2, 3, 9}, []uint64{2, 0, 5}},
		{[]int32{9}, []uint64{9}},
	} {
		w := snapshot.Begin(kind)
		WriteSet(w, c.set)
		data, err := w.End()
		require.NoError(t, err)
		require.Equal(t, numbers(c.gaps...), data)
		r := snapshot.Open(data, kind)
		require.Equal(t, c.set, ReadSet(r, len(c.set), 10))
		require.NoError(t, r.Close())
	}
	for _, beyond := range [][]uint64{{10}, {9, 0}, {4, 5}} {
		r := snapshot.Open(numbers(beyond...), kind)
		ReadSet(r, len(beyond), 10)
		require.ErrorIs(t, r.Close(), bookahead.ErrInvalid, beyond)
	}
}

func TestReadWhatWasWritten(t *testing.T) {
	s, err := Open(300, 10, 50, []bookahead.Offer{offer(10, 20, 0, 1, 299), offer(10, 12, 2), offer(30, 60, 128, 129)})
	require.NoError(t, err)
	require.NoError(t, s.Advance(12)) // the second has ended
	read, err := unpack(pack(t, &s))
	require.NoError(t, err)
	require.Equal(t, s.Limits, read.Limits)
	require.Equal(t, listed(&s), listed(&read))
	five := Booking{span(13, 14), []int32{5}}
	require.Equal(t, s.Booked.Add(five, 12), read.Booked.Add(five, 12), "the next ID")
	require.Equal(t, pack(t, &s), pack(t, &read))
}

// hostile are snapshots that no schedule has written: capacity, now and horizon, the last ID,
// then for each reservation the ID, the start, the duration and the number of servers, and 0 for
// no more.
func hostile() map[string][]byte {
	const most = 1<<64 - 1
	return map[string][]byte{
		"nothing":                   {},
		"no numbers":                numbers(),
		"too many servers":          numbers(Max+1, 0, 0, 0, 0),
		"capacity that overflows":   numbers(most, 0, 0, 0, 0),
		"clock that overflows":      numbers(4, most, 0, 0, 0),
		"horizon that overflows":    numbers(4, 1, 1<<63-1, 0, 0),
		"cut off in a reservation":  numbers(4, 0, 0, 1, 1, 0),
		"ID after the last":         numbers(4, 0, 0, 1, 2, 0, 5, 1, 0, 0),
		"start that overflows":      numbers(4, 0, 0, 1, 1, most-1, 5, 1, 0, 0),
		"duration that overflows":   numbers(4, 0, 0, 1, 1, 0, most, 1, 0, 0),
		"no duration":               numbers(4, 0, 0, 1, 1, 0, 0, 1, 0, 0),
		"an end that has passed":    numbers(4, 9, 0, 1, 1, 9, 4, 1, 0, 0),
		"no servers":                numbers(4, 0, 0, 1, 1, 0, 5, 0, 0),
		"more servers than there":   numbers(4, 0, 0, 1, 1, 0, 5, 5, 0, 0, 0, 0, 0, 0),
		"more servers than bytes":   numbers(Max, 0, 0, 1, 1, 0, 5, Max, 0),
		"a server out of range":     numbers(4, 0, 0, 1, 1, 0, 5, 2, 3, 0, 0),
		"a gap that overflows":      numbers(4, 0, 0, 1, 1, 0, 5, 2, 0, most, 0),
		"bytes that are left":       numbers(4, 0, 0, 0, 0, 0),
		"no end":                    numbers(4, 0, 0, 1, 1, 0, 5, 1, 0),
		"a kind that is no UTF-8":   snapshot.Seal([]byte("BKAH\x01\x07\xff\xfe\xc0\x80\xed\xa0\x80\x04\x00\x00\x00\x00....")),
		"a kind longer than itself": snapshot.Seal([]byte("BKAH\x01\xffservers....")),
	}
}

func TestHostileSnapshotsAreRefused(t *testing.T) {
	for name, data := range hostile() {
		_, err := unpack(data)
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
	}
	_, err := unpack(numbers(4, 0, 0, 1, 1, 0, 5, 2, 1, 1, 0)) // but this one is good
	require.NoError(t, err)
}

// FuzzRead checks that a snapshot that is read is written the same again, and lies within the
// limits.
func FuzzRead(f *testing.F) {
	for _, data := range hostile() {
		f.Add(data)
	}
	for _, data := range hostileClosures() {
		f.Add(data)
	}
	f.Add(goodClosures())
	s, err := Open(300, 10, 50, []bookahead.Offer{offer(10, 20, 0, 1, 299), offer(30, 60, 128, 129)})
	require.NoError(f, err)
	good := pack(f, &s)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		data = snapshot.Seal(data)
		s, err := unpack(data)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		require.Equal(t, data, pack(t, &s))
		require.NoError(t, s.Verify())
		for res := range s.Reservations(s.Frame().Window()) {
			require.Less(t, max(res.Start, s.Now), res.End)
			require.LessOrEqual(t, res.End, s.End)
			require.NoError(t, bookahead.Request{Duration: 1, Units: res.Units, Servers: res.Servers}.Validate())
			require.Less(t, int64(slices.Max(res.Servers)), s.Capacity)
		}
	})
}
