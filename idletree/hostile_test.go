package idletree

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
	"github.com/bookahead/bookahead/scheduletest"
)

// hostileFleets are fleets that nothing has written: capacity, now, horizon, the
// last ID, the reservations (ID, start, duration, how many servers, and which) up to a
// 0, the policy, and for how long each server has been idle.
func hostileFleets() map[string][]uint64 {
	const most = math.MaxUint64
	return map[string][]uint64{
		"truncated":                   {2, 5, 60, 0, 0, 0, 6},
		"no policy":                   {2, 5, 60, 0, 0},
		"an unknown policy":           {2, 5, 60, 0, 0, callersOwn + 1, 6, 6},
		"a policy of the caller":      {2, 5, 60, 0, 0, callersOwn, 6, 6},
		"more servers than bytes":     {1 << 24, 5, 60, 0, 0, 0, 6, 6},
		"idle since before the start": {2, 5, 60, 0, 0, 0, 6, 7},
		"an idle time that overflows": {2, 5, 60, 0, 0, 0, 6, most},
		"neither idle nor running":    {2, 5, 60, 0, 0, 0, 0, 6},
		"a server booked twice":       {2, 5, 60, 2, 1, 2, 4, 1, 0, 1, 4, 4, 1, 0, 0, 0, 6, 6}, // from 6 to 10, from 8 to 12
		"bytes that are left":         {2, 5, 60, 0, 0, 0, 6, 6, 0},
	}
}

// hostile are snapshots of a kind that nothing has written, and a good one.
func hostile(kind string, head ...uint64) (bad map[string][]byte, good []byte) {
	bad = map[string][]byte{
		"a kind that is no UTF-8": snapshot.Seal([]byte("BKAH\x01\x04\xff\xfe\xc0\x80\x02\x05\x3c\x00\x00\x00\x06\x06....")),
	}
	for name, list := range hostileFleets() {
		bad[name] = snapshot.Numbers(kind, append(head[:len(head):len(head)], list...)...)
	}
	runs := []uint64{2, 5, 60, 2, 1, 1, 4, 1, 0, 1, 10, 4, 1, 1, 0, 0, 0, 6}
	return bad, snapshot.Numbers(kind, append(head[:len(head):len(head)], runs...)...)
}

func TestHostileSnapshotsAreRefused(t *testing.T) {
	for kind, open := range map[string]func() verified{
		kindOfLists: func() verified { return &Lists{} },
		kindOfTree:  func() verified { return &Tree{} },
	} {
		bad, good := hostile(kind)
		for name, data := range bad {
			require.ErrorIs(t, open().UnmarshalBinary(data), bookahead.ErrInvalid, "%s: %s", kind, name)
		}
		s := open()
		require.NoError(t, s.UnmarshalBinary(good), kind)
		require.NoError(t, s.Verify())
	}
}

// hostileClosures are three servers at 10, the last of them added, with closures behind the
// reservations, and idle times that cannot be.
func hostileClosures() (bad map[string][]byte, good []byte) {
	numbers := func(closure, extension uint64, idle ...uint64) []byte { // and when they began
		list := []uint64{3, 10, 60, 0, 0, 2, 1, 0, closure, 20, 1, 1, 1, 1, extension, 20, 2, 1, 0, 1, 0}
		return snapshot.Numbers(kindOfTree+withClosures, append(list, idle...)...)
	}
	return map[string][]byte{
		"idle while it was closed":         numbers(5, 5, 11, 3, 6),
		"idle while it is closed":          numbers(5, 5, 11, 1, 6),
		"idle before there was one":        numbers(5, 5, 11, 0, 7),
		"idle before there is one":         numbers(5, 12, 11, 0, 1),
		"neither idle nor closed":          numbers(5, 5, 11, 0, 0),
		"an idle time too few":             numbers(5, 5, 11, 0),
		"closures in a kind that has none": snapshot.Numbers(kindOfTree, 3, 10, 60, 0, 0, 1, 1, 0, 5, 20, 1, 1, 0, 0, 0, 11, 0, 11),
	}, numbers(10, 5, 11, 4, 6) // closed since now, so it has been idle before
}

func TestHostileClosuresAreRefused(t *testing.T) {
	bad, good := hostileClosures()
	for name, data := range bad {
		require.ErrorIs(t, new(Tree).UnmarshalBinary(data), bookahead.ErrInvalid, name)
	}
	var x Tree
	require.NoError(t, x.UnmarshalBinary(good))
	require.NoError(t, x.Verify())
	data, err := x.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, good, data)
	require.ErrorIs(t, new(Lists).UnmarshalBinary(good), bookahead.ErrInvalid)
}

func TestHostileSnapshotsOfSlottedAreRefused(t *testing.T) {
	bad, good := hostile(kindOfSlotted, 7, 1, 9)
	for name, head := range map[string][]uint64{
		"no slot": {0, 1, 9}, "no step": {7, 0, 9}, "no attempts": {7, 1, 0},
		"a slot that overflows":     {math.MaxUint64, 1, 9},
		"attempts that overflow":    {7, 1, math.MaxUint64},
		"more slots than there are": {1, 1, 9},
	} {
		list := append(head, 2, 5, 60, 0, 0, 0, 6, 6)
		if head[0] == 1 {
			list[5] = math.MaxInt64 - 5 // the horizon
		}
		bad[name] = snapshot.Numbers(kindOfSlotted, list...)
	}
	for name, data := range bad {
		require.ErrorIs(t, new(Slotted).UnmarshalBinary(data), bookahead.ErrInvalid, name)
	}
	var s Slotted
	require.NoError(t, s.UnmarshalBinary(good))
	require.NoError(t, s.Verify())
}

// fuzzSnapshot is scheduletest.FuzzSnapshot with hostile snapshots as further seeds.
func fuzzSnapshot(f *testing.F, target scheduletest.Target, kind string, head ...uint64) {
	bad, good := hostile(kind, head...)
	for _, data := range bad {
		f.Add(data)
	}
	f.Add(good)
	if kind == kindOfTree {
		bad, good := hostileClosures()
		for _, data := range bad {
			f.Add(data)
		}
		f.Add(good)
	}
	scheduletest.FuzzSnapshot(f, target)
}
