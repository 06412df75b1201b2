package replicated

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated/internal/disklog"
)

// crowd returns a machine with live bookings, and with all sessions that fit.
func crowd(b *testing.B, live int) *feed {
	f := newFeed(b, Config{})
	fill, _ := turnover(live)
	f.give(b, entryOf(once(desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 128}})))
	const sessions = 1 << 14
	for range sessions {
		f.give(b, entryOf(call{op: openSession}))
	}
	for i := range live {
		c := once(fill())
		c.session, c.number = SessionID(1+i%sessions), uint64(1+i/sessions)
		require.NoError(b, f.give(b, entryOf(c))[0].err)
	}
	return f
}

// BenchmarkImage writes and restores the state of a machine in memory. It reports the share of the writing that stops
// entries, and the time of a restore relative to the writing, without a disk.
func BenchmarkImage(b *testing.B) {
	for _, live := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprintf("bookings=%d", live), func(b *testing.B) {
			f := crowd(b, live)
			var stopped, wrote, read time.Duration
			var size int64
			f.on.wrote = func(bytes int64, took, stop time.Duration) {
				size, wrote, stopped = bytes, wrote+took, stopped+stop
			}
			for b.Loop() {
				data := snapshotOf(b, f.machine)
				began := time.Now()
				restored(b, Config{}, data)
				read += time.Since(began)
			}
			b.ReportMetric(float64(stopped.Microseconds())/float64(b.N), "µs-stopped")
			b.ReportMetric(100*float64(stopped)/float64(wrote), "%-stopped")
			b.ReportMetric(float64(read)/float64(wrote), "restore/write")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// BenchmarkRestore writes a snapshot to the disk, with fsync, and restores a machine from the file as Open does,
// which checks all sums before it reads the snapshot. It reports the medians of both times and of their ratio.
func BenchmarkRestore(b *testing.B) {
	sizes := []int{100_000, 1_000_000}
	if testing.Short() {
		sizes = []int{1_000}
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			f := crowd(b, n)
			dir := b.TempDir()
			store, err := disklog.Open(dir, quiet, hclog.NewNullLogger())
			require.NoError(b, err)
			var wrote, read, ratios []float64
			for b.Loop() {
				began := time.Now()
				writeSnapshot(b, f.machine, store.Snapshots())
				done := time.Now()
				require.NoError(b, store.Close())
				store, err = disklog.Open(dir, quiet, hclog.NewNullLogger())
				require.NoError(b, err)
				readSnapshot(b, store.Snapshots())
				w, r := done.Sub(began).Seconds(), time.Since(done).Seconds()
				wrote, read, ratios = append(wrote, w), append(read, r), append(ratios, r/w)
			}
			require.NoError(b, store.Close())
			b.ReportMetric(median(wrote), "s/write")
			b.ReportMetric(median(read), "s/restore")
			b.ReportMetric(median(ratios), "restore/write")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// writeSnapshot plays the part of Raft in a snapshot.
func writeSnapshot(b *testing.B, x *machine, to raft.SnapshotStore) {
	m, err := x.Snapshot()
	require.NoError(b, err)
	sink, err := to.Create(raft.SnapshotVersionMax, x.applied(), 1, raft.Configuration{}, 1, nil)
	require.NoError(b, err)
	require.NoError(b, m.Persist(sink))
	m.Release()
}

// readSnapshot restores a machine from the newest snapshot.
func readSnapshot(b *testing.B, from raft.SnapshotStore) {
	list, err := from.List()
	require.NoError(b, err)
	_, r, err := from.Open(list[0].ID)
	require.NoError(b, err)
	f := newFeed(b, Config{})
	require.NoError(b, f.Restore(r))
	require.NoError(b, r.Close())
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
