package desk

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// BenchmarkQuota books and cancels on a pool of 128 units with live bookings of 100 owners, under no quota and under
// one of each kind: for each owner, or for all together. As much is allowed as an owner has, or all have, on a busy
// day: some bookings have to go further. Each kind is set on a pool that was filled without a quota.
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
			x := newTurnover(b, live)
			if c.name != "none" {
				must(b, x.d, SetQuota{c.name, c.Quota})
			}
			for range live / 10 {
				x.turn(b)
			}
			x.n, x.late, x.booking, x.cancelling = 0, 0, 0, 0
			for b.Loop() {
				x.turn(b)
			}
			b.ReportMetric(float64(x.booking)/float64(x.n), "book-ns")
			b.ReportMetric(float64(x.cancelling)/float64(x.n), "cancel-ns")
			b.ReportMetric(float64(x.late)/float64(x.n), "late/op")
		})
	}
}

// turnover is a desk that always has as many bookings.
type turnover struct {
	d                   *Desk
	ids                 []BookingID
	next                func() bookahead.Request
	rng                 *rand.Rand // which booking is cancelled
	key                 int
	n, late             int // turns, and those whose booking starts after it is ready
	booking, cancelling time.Duration
}

// newTurnover returns a desk with so many bookings.
func newTurnover(b *testing.B, live int) *turnover {
	d, err := New(Config{})
	require.NoError(b, err)
	must(b, d, AddSchedule{"pool", Pool{Units: 128}})
	x := &turnover{d: d, next: steady(live), rng: rand.New(rand.NewPCG(2, 2))}
	for range live {
		x.ids = append(x.ids, x.book(b))
	}
	return x
}

func (x *turnover) book(b *testing.B) BookingID {
	r := x.next()
	x.key++
	out, err := x.d.Do(Book{Key: strconv.Itoa(x.key), Request: Request{
		Owner: owners100[x.key%100], Ready: r.Ready, Shapes: []Shape{{{On: "pool", Units: r.Units, Duration: r.Duration}}},
	}})
	if err != nil {
		b.Fatal(err)
	}
	if out.Booking.Start > r.Ready {
		x.late++
	}
	return out.Booking.ID
}

// turn books, and cancels another booking at random.
func (x *turnover) turn(b *testing.B) {
	began := time.Now()
	id := x.book(b)
	booked := time.Now()
	i := x.rng.IntN(len(x.ids))
	_, err := x.d.Do(Cancel{x.ids[i]})
	if err != nil {
		b.Fatal(err)
	}
	x.cancelling += time.Since(booked)
	x.booking += booked.Sub(began)
	x.ids[i] = id
	x.n++
}
