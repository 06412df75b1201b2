package desk

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// BenchmarkCancelWhileOthersWait cancels one of 10 000 live bookings, for whose place others wait that are too large
// for it.
func BenchmarkCancelWhileOthersWait(b *testing.B) {
	for _, waiting := range []int{0, 10, 1_000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			d := deskWith(b, "pool", Pool{Units: 128})
			const end = 100_000
			booked := func(units int64, ready, length bookahead.Time) (Outcome, error) {
				return d.Do(Book{Request: at(ready, "pool", units, bookahead.Duration(length))})
			}
			_, err := booked(64, 0, end)
			require.NoError(b, err)
			rng := rand.New(rand.NewPCG(1, 1))
			for range 10_000 {
				_, err = booked(1, bookahead.Time(rng.IntN(end-100)), 100)
				require.NoError(b, err)
			}
			for i := range waiting {
				r := at(bookahead.Time(rng.IntN(end-2000)), "pool", 65, 500)
				r.Deadline, r.Priority = r.Ready+1500, int64(i%5)
				out, err := d.Do(Book{Request: r, Wait: end})
				require.NoError(b, err)
				require.Equal(b, Waiting, out.Booking.State)
			}
			cancelling := time.Duration(0)
			for b.Loop() {
				out, err := booked(1, bookahead.Time(rng.IntN(end-100)), 100)
				if err != nil {
					b.Fatal(err)
				}
				began := time.Now()
				_, err = d.Do(Cancel{out.Booking.ID})
				cancelling += time.Since(began)
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cancelling)/float64(b.N), "cancel-ns")
		})
	}
}
