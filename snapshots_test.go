package bookahead_test

import (
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
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
	pairs := 8       // pairs take longer, so that only each eighth power has some
	switch {
	case testing.Short():
		pairs = 16
	case depth.Deep():
		pairs = 4
	}
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
			limit := free + askedPerByte*uint64(len(spoilt))
			asked := allocated(limit, func() { err = s.(bookahead.Snapshotter).UnmarshalBinary(spoilt) })
			if asked > limit {
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
				if k%pairs != 3 {
					continue
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

// allocated returns how many bytes a call allocates. runtime.ReadMemStats stops the world, so it counts only the calls
// that come near the limit by a count that has small objects a page at a time; these are called twice.
func allocated(limit uint64, call func()) uint64 {
	count := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(count)
	before := count[0].Value.Uint64()
	call()
	metrics.Read(count)
	if asked := count[0].Value.Uint64() - before; asked+(2<<20) < limit {
		return asked
	}
	var first, last runtime.MemStats
	runtime.ReadMemStats(&first)
	call()
	runtime.ReadMemStats(&last)
	return last.TotalAlloc - first.TotalAlloc
}
