package desk

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// BenchmarkQuota books and cancels on a pool of 128 units with live bookings of 100 owners, under no quota and under
// one of each kind: for each owner, or for all together. As much is allowed as an owner has, or all have, on a busy
// day: some bookings have to go further.
func BenchmarkQuota(b *testing.B) {
	live := 100_000
	if testing.Short() {
		live = 5_000
	}
	for _, c := range []struct {
		name string
		Quota
	}{
		{"none", Quota{}},
		{"count", Quota{Each: true}},
		{"units", Quota{Each: true, Units: 24}},
		{"period", Quota{Each: true, Ticks: 40_000, Every: 20_000}},
		{"window", Quota{Each: true, Ticks: 40_000, Window: 20_000}},
		{"units/all", Quota{Units: 110}},
		{"period/all", Quota{Ticks: 2_200_000, Every: 20_000}},
		{"window/all", Quota{Ticks: 2_200_000, Window: 20_000}},
	} {
		b.Run(fmt.Sprintf("quota=%s/live=%d", c.name, live), func(b *testing.B) {
			d, err := New(Config{})
			require.NoError(b, err)
			must(b, d, AddSchedule{"pool", Pool{Units: 128}})
			if c.name != "none" {
				must(b, d, SetQuota{c.name, c.Quota})
			}
			next, n, late := steady(live), 0, 0
			benchmarkTurnover(b, live, func() (BookingID, error) {
				r := next()
				n++
				out, err := d.Do(Book{Key: strconv.Itoa(n), Request: Request{
					Owner: owners100[n%100], Ready: r.Ready, Shapes: []Shape{{{On: "pool", Units: r.Units, Duration: r.Duration}}},
				}})
				if out.Booking.Start > max(r.Ready, bookahead.Time(0)) {
					late++
				}
				return out.Booking.ID, err
			}, func(id BookingID) error {
				_, err := d.Do(Cancel{id})
				return err
			})
			b.ReportMetric(float64(late)/float64(n), "late/op")
		})
	}
}
