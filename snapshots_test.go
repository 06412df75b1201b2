package bookahead_test

import (
	"runtime"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/require"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// The limit that Snapshotter promises: this much memory besides memory in proportion to the
// bytes. Each schedule of a Broker may ask for this much.
const (
	askedFree    = 64 << 20
	askedPerByte = 2 << 10
)

// TestSnapshotsAskForLittleMemory changes one or two of the first numbers of snapshots to powers
// of two and similar numbers, and counts the memory that is allocated while the snapshots are
// read, garbage included.
func TestSnapshotsAskForLittleMemory(t *testing.T) {
	const first = 14 // the first numbers: limits and a reservation in each kind
	each(t, func(t *testing.T, s bookahead.Keeper) {
		free := uint64(askedFree)
		if b, ok := s.(interface{ Providers() int }); ok {
			free *= uint64(b.Providers())
		}
		_, err := s.Reserve(bookahead.Request{Ready: 300, Duration: 9, Units: 1})
		require.NoError(t, err)
		data, err := s.(bookahead.Snapshotter).MarshalBinary()
		require.NoError(t, err)
		shown, accepted, most, perByte := 0, 0, uint64(0), 0.0
		show := func(spoilt []byte) {
			asked := allocated(func() { err = s.(bookahead.Snapshotter).UnmarshalBinary(spoilt) })
			if limit := free + askedPerByte*uint64(len(spoilt)); asked > limit {
				t.Fatalf("%d bytes, more than %d, are asked for to read %x, %v", asked, limit, spoilt, err)
			}
			if err == nil {
				accepted++
				require.NoError(t, s.(bookahead.Snapshotter).UnmarshalBinary(data), "which consents to little")
			}
			if asked > free {
				perByte = max(perByte, float64(asked-free)/float64(len(spoilt)))
			}
			most, shown = max(most, asked), shown+1
		}
		for place := range first {
			for k := range 63 {
				n := uint64(1) << k
				one := snapshot.With(data, place, n)
				show(one)
				if k%4 != 3 {
					continue // pairs take longer
				}
				for other := range place {
					for _, m := range []uint64{1, n / 2, n - 20} {
						show(snapshot.With(one, other, m))
					}
				}
			}
		}
		t.Logf("%d snapshots, %d accepted: at most %d bytes, %.0f for each of the snapshot's besides the free ones", shown, accepted, most, perByte)
	})
}

// allocated returns how many bytes a call allocates.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
