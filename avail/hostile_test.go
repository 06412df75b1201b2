package avail

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// sealed is a snapshot of the given numbers: capacity, now, horizon, the last ID, the
// reservations (ID, start, duration, number of servers, the servers) up to a 0, the width of a
// slot, the number of servers that ended in the running slot, and these servers.
func sealed(list ...uint64) []byte { return snapshot.Numbers(kind, list...) }

// hostile are snapshots that no schedule has written.
func hostile() map[string][]byte {
	const most = math.MaxUint64
	return map[string][]byte{
		"truncated":                      sealed(4, 0, 60, 0, 0, 3),
		"no horizon":                     sealed(4, 0, 0, 0, 0, 3, 0),
		"no width":                       sealed(4, 0, 60, 0, 0, 0, 0),
		"a width that overflows":         sealed(4, 0, 60, 0, 0, most, 0),
		"more slots than there may be":   sealed(4, 0, math.MaxInt64, 0, 0, 1, 0),
		"more slots than bytes pay for":  sealed(1<<20, 0, 4000, 0, 0, 1, 0),
		"more have ended than bytes":     sealed(4, 1, 60, 0, 0, 3, 4, 0),
		"more have ended than there are": sealed(4, 1, 60, 0, 0, 3, 5, 0, 0, 0, 0, 0),
		"a gap that overflows":           sealed(4, 1, 60, 0, 0, 3, 2, 0, most),
		"ended in a slot that has begun": sealed(4, 3, 60, 0, 0, 3, 1, 2),
		"what has ended is booked twice": sealed(4, 1, 60, 1, 1, 0, 5, 1, 2, 0, 3, 1, 2),
		"two share a server in a slot":   sealed(4, 0, 60, 2, 1, 0, 4, 1, 2, 1, 8, 4, 1, 2, 0, 3, 0),
		"bytes that are left":            sealed(4, 0, 60, 0, 0, 3, 0, 0),
		"a kind that is no UTF-8":        snapshot.Seal([]byte("BKAH\x01\x0e\xff\xfe\xc0\x80\xed\xa0\x80.......\x04\x00\x3c\x00\x00\x03\x00....")),
	}
}

func TestHostileSnapshotsAreRefused(t *testing.T) {
	for name, data := range hostile() {
		require.ErrorIs(t, new(Schedule).UnmarshalBinary(data), bookahead.ErrInvalid, name)
	}
	// A snapshot that differs from these is good: another server has ended, and is booked a slot
	// later.
	good := sealed(4, 1, 60, 2, 1, 0, 5, 1, 2, 1, 10, 4, 1, 2, 0, 3, 1, 0)
	require.NoError(t, new(Schedule).UnmarshalBinary(good))
}
