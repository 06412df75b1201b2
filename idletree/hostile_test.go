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

// hostile are the snapshots of a kind that nothing has written, and one that is good.
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

// fuzzSnapshot is scheduletest.FuzzSnapshot that begins with what is hostile, too.
func fuzzSnapshot(f *testing.F, target scheduletest.Target, kind string, head ...uint64) {
	bad, good := hostile(kind, head...)
	for _, data := range bad {
		f.Add(data)
	}
	f.Add(good)
	scheduletest.FuzzSnapshot(f, target)
}
