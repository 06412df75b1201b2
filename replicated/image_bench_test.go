package replicated

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
)

// BenchmarkImage writes and restores the state of a machine with live bookings and all the sessions that it remembers. It
// reports for how long entries are stopped, as a share of the time that the writing takes, and how long a restore takes against
// the writing.
func BenchmarkImage(b *testing.B) {
	for _, live := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprintf("bookings=%d", live), func(b *testing.B) {
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
