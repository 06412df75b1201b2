package desk

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// steady yields requests that are ready anywhere in a time in which so many live ones take 70 % of 128 units.
func steady(live int) func() bookahead.Request {
	rng := rand.New(rand.NewPCG(1, 1))
	span := int64(float64(live) * 8.5 * 500 / 0.7 / 128)
	return func() bookahead.Request {
		return bookahead.Request{Ready: bookahead.Time(rng.Int64N(span)), Duration: 1 + bookahead.Duration(rng.IntN(1000)), Units: 1 + rng.Int64N(16)}
	}
}

// BenchmarkBook books and cancels on a pool with live bookings: with a key, an owner and a number on a
// desk, and on a carts.Indexed alone. It reports the two apart, and the memory of a booking.
func BenchmarkBook(b *testing.B) {
	for _, live := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("impl=alone/live=%d", live), func(b *testing.B) {
			s, err := carts.NewIndexed(128, carts.Config{})
			require.NoError(b, err)
			next := steady(live)
			benchmarkTurnover(b, live, func() (bookahead.ID, error) {
				r, err := s.Reserve(next())
				return r.ID, err
			}, s.Release)
		})
		b.Run(fmt.Sprintf("impl=desk/live=%d", live), func(b *testing.B) {
			d, err := New(Config{})
			require.NoError(b, err)
			_, err = d.Do(AddSchedule{"pool", Pool{Units: 128}})
			require.NoError(b, err)
			next, n := steady(live), 0
			benchmarkTurnover(b, live, func() (BookingID, error) {
				r := next()
				n++
				out, err := d.Do(Book{Key: strconv.Itoa(n), Request: Request{
					Owner: owners100[n%100], Ready: r.Ready, Shapes: []Shape{{{On: "pool", Units: r.Units, Duration: r.Duration}}},
				}})
				return out.Booking.ID, err
			}, func(id BookingID) error {
				_, err := d.Do(Cancel{id})
				return err
			})
		})
	}
}

// benchmarkTurnover cancels bookings in turn at random, each after another was booked.
func benchmarkTurnover[ID any](b *testing.B, live int, book func() (ID, error), cancel func(ID) error) {
	ids := make([]ID, live)
	empty := heap()
	for i := range ids {
		var err error
		ids[i], err = book()
		require.NoError(b, err)
	}
	full := heap()
	rng := rand.New(rand.NewPCG(2, 2))
	var booking, cancelling time.Duration
	for b.Loop() {
		began := time.Now()
		id, err := book()
		booked := time.Now()
		if err != nil {
			b.Fatal(err)
		}
		i := rng.IntN(live)
		err = cancel(ids[i])
		cancelling += time.Since(booked)
		booking += booked.Sub(began)
		if err != nil {
			b.Fatal(err)
		}
		ids[i] = id
	}
	b.ReportMetric(float64(booking)/float64(b.N), "book-ns")
	b.ReportMetric(float64(cancelling)/float64(b.N), "cancel-ns")
	b.ReportMetric(float64(full-empty)/float64(live), "B/booking")
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

var owners100 = func() (list []string) {
	for i := range 100 {
		list = append(list, fmt.Sprintf("owner %d", i))
	}
	return list
}()

// BenchmarkClone compares the clone of a desk with one pool, or many, to those of the pools alone.
func BenchmarkClone(b *testing.B) {
	for _, c := range []struct{ pools, live int }{{1, 1_000}, {1, 100_000}, {100, 100_000}} {
		d, err := New(Config{})
		require.NoError(b, err)
		for i := range c.pools {
			_, err = d.Do(AddSchedule{strconv.Itoa(i), Pool{Units: 128}})
			require.NoError(b, err)
		}
		next := steady(c.live / c.pools)
		for n := range c.live {
			r := next()
			_, err := d.Do(Book{Key: strconv.Itoa(n), Request: Request{
				Owner: owners100[n%100], Ready: r.Ready, Shapes: []Shape{{{On: strconv.Itoa(n % c.pools), Units: r.Units, Duration: r.Duration}}},
			}})
			require.NoError(b, err)
		}
		b.Run(fmt.Sprintf("impl=alone/pools=%d/live=%d", c.pools, c.live), func(b *testing.B) {
			for b.Loop() {
				for _, s := range d.b.schedules {
					s.Keeper().(*carts.Indexed).Clone()
				}
			}
		})
		b.Run(fmt.Sprintf("impl=desk/pools=%d/live=%d", c.pools, c.live), func(b *testing.B) {
			for b.Loop() {
				d.Clone()
			}
		})
	}
}

// BenchmarkCalendar asks for a week, anywhere, in which about 200 bookings lie, among a million on one pool: a desk, and
// bookahead.ReservationsOn on a carts.Indexed with the same bookings. With -short there are 20 000 bookings.
func BenchmarkCalendar(b *testing.B) {
	live := 1_000_000
	if testing.Short() {
		live = 20_000
	}
	alone, err := carts.NewIndexed(128, carts.Config{})
	require.NoError(b, err)
	alone.Track(true)
	d, err := New(Config{})
	require.NoError(b, err)
	_, err = d.Do(AddSchedule{"pool", Pool{Units: 128}})
	require.NoError(b, err)
	next := steady(live)
	end := bookahead.Time(0)
	for n := range live {
		r := next()
		_, err = alone.Reserve(r)
		require.NoError(b, err)
		out, err := d.Do(Book{Key: fmt.Sprintf("key %d", n), Request: Request{
			Owner: owners100[n%100], Ready: r.Ready, Shapes: []Shape{{{On: "pool", Units: r.Units, Duration: r.Duration}}},
		}})
		require.NoError(b, err)
		end = max(end, out.Booking.End)
	}
	week := 190 * end / bookahead.Time(live) // 10 more reach into it
	for _, impl := range []struct {
		name string
		read func(w bookahead.Interval) int
	}{
		{"alone", func(w bookahead.Interval) (n int) {
			for res := range bookahead.ReservationsOn(alone, w, nil) {
				n += min(1, int(res.Units))
			}
			return n
		}},
		{"desk", func(w bookahead.Interval) (n int) {
			for k := range d.Bookings(Filter{On: "pool", Window: w}, bookahead.Effort{}) {
				n += min(1, int(k.Places[0].Units))
			}
			return n
		}},
		{"desk/one-owner", func(w bookahead.Interval) int {
			return len(collected(d.Bookings(Filter{Owner: owners100[7], Window: w}, bookahead.Effort{})))
		}},
	} {
		b.Run("impl="+impl.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 3))
			weeks, found := 0, 0
			for b.Loop() {
				start := bookahead.Time(rng.Int64N(int64(end)))
				found += impl.read(bookahead.Interval{Start: start, End: start + week})
				weeks++
			}
			b.ReportMetric(float64(found)/float64(weeks), "found/op")
		})
	}
}
