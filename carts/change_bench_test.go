package carts

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// BenchmarkChange measures changes of the capacity, and the question who is in the way, beside
// Reserve, Release and Search on the same schedule in the same run: divide by reserve-ns or
// search-ns. The schedule is that of AR in BenchmarkBooking.
//
//	close-ns end-ns       units closed over the time of a request, and opened again
//	open-ns reopen-ns     units closed until further notice, and opened again
//	1000-...              with 1 000 closures until further notice besides
//	tracked-...           while reservations are tracked
//	on-ns on-found        ReservationsOn a window with about 100 in it, and how many these are
//	B/live tracked-B      memory for each live reservation, and the memory of the index
func BenchmarkChange(b *testing.B) {
	for _, live := range []int{10_000, 1_000_000} {
		if testing.Short() && live > 10_000 {
			continue
		}
		b.Run(fmt.Sprintf("impl=indexed/capacity=128/live=%d", live), func(b *testing.B) {
			w := newWork(b, workload.Churn{Kind: workload.AR, Capacity: 128, Live: live, Load: 0.70, Powers: true})
			measureChange(b, w)
		})
	}
}

func measureChange(b *testing.B, w *work) {
	empty := heap()
	x, err := NewIndexed(w.Capacity, Config{Booked: w.booked})
	require.NoError(b, err)
	plain := heap()
	tracked := x.Clone().(*Indexed)
	tracked.Track(true)
	indexed := heap()
	many := x.Clone().(*Indexed)
	rng := rand.New(rand.NewPCG(3, 3))
	at := func() bookahead.Time { return bookahead.Time(rng.Int64N(w.Length)) }
	for range 1000 {
		c := bookahead.Closure{Interval: bookahead.Interval{Start: bookahead.Time(w.Length) + at(), End: bookahead.MaxTime}, Units: 1 + rng.Int64N(8)}
		_, err := many.Close(c)
		require.NoError(b, err)
	}
	hundred := bookahead.Time(w.Length / int64(w.Live) * 100)
	spent := map[string]time.Duration{}
	n, found := 0, 0
	for b.Loop() { // each operation has a loop of its own, and so the caches to itself
		batch := make([]bookahead.Request, 500)
		for i := range batch {
			batch[i] = w.Request(rng, 0)
		}
		n += len(batch)
		timed := func(name string, do func(r bookahead.Request)) {
			started := time.Now()
			for _, r := range batch {
				do(r)
			}
			spent[name] += time.Since(started)
		}
		for _, s := range []struct {
			name string
			*Indexed
		}{{"", x}, {"tracked-", tracked}, {"1000-", many}} {
			var ids []bookahead.ID
			timed(s.name+"reserve", func(r bookahead.Request) {
				res, err := s.Reserve(r)
				if err == nil {
					ids = append(ids, res.ID)
				}
			})
			timed(s.name+"search", func(r bookahead.Request) { _, _ = s.Search(r) })
			timed(s.name+"release", func(bookahead.Request) {
				if len(ids) > 0 {
					require.NoError(b, s.Release(ids[0]))
					ids = ids[1:]
				}
			})
			var closed []bookahead.ClosureID
			shut := func(w bookahead.Interval, units int64) {
				c, err := s.Close(bookahead.Closure{Interval: w, Units: units})
				require.NoError(b, err)
				closed = append(closed, c.ID)
			}
			end := func(bookahead.Request) {
				last := len(closed) - 1
				require.NoError(b, s.End(closed[last], 0))
				closed = closed[:last]
			}
			timed(s.name+"close", func(r bookahead.Request) {
				shut(bookahead.Interval{Start: r.Ready, End: r.Ready + bookahead.Time(r.Duration)}, r.Units)
			})
			timed(s.name+"end", end)
			timed(s.name+"open", func(r bookahead.Request) {
				shut(bookahead.Interval{Start: r.Ready, End: bookahead.MaxTime}, r.Units)
			})
			timed(s.name+"reopen", end)
		}
		timed("on", func(r bookahead.Request) {
			for range tracked.ReservationsOn(bookahead.Interval{Start: r.Ready, End: r.Ready + hundred}, nil) {
				found++
			}
		})
	}
	for name, d := range spent {
		b.ReportMetric(float64(d.Nanoseconds())/float64(n), name+"-ns")
	}
	b.ReportMetric(float64(found)/float64(n), "on-found")
	b.ReportMetric(float64(plain-empty)/float64(w.Live), "B/live")
	b.ReportMetric(float64(indexed-plain)/float64(w.Live), "tracked-B")
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
