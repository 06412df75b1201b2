package carts

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/internal/profile"
)

// baseline is how long a baseline is warmed up: in a backlog of a million, a turn of it takes milliseconds.
const baseline = 10 * time.Second

// BenchmarkBooking measures the daily work of a scheduler: it finds a place for a request and
// takes it (Reserve). All structures start with the same schedule, and meet the same requests in the same order, as far as each comes.
//
// AR: ready times lie anywhere on the horizon, which is booked to the given load; a request may
// wait for a few durations. For each new reservation, another is cancelled. BATCH: all requests
// are ready now, and have no deadline; the clock moves on when a reservation ends, and another
// request comes.
//
// RARE is AR where one request in 64 wants nearly all units. SPAN is AR where one in 64 lasts for
// a tenth of the horizon, with few units.
//
// The time per operation is the time of Reserve alone; p50-ns and p99-ns are percentiles of
// single Reserves. release-ns is the mean of the cancellations, or of the clock. B/live is the
// memory in the end, with the ledger of IDs, for each live reservation. gc-share is the share of
// the processors' time that garbage collection took, in the cycles that ended meanwhile.
func BenchmarkBooking(b *testing.B) {
	var churns []workload.Churn
	for _, capacity := range []int64{128, 4096, 1 << 20} {
		for _, live := range []int{1_000, 100_000, 1_000_000} {
			churns = append(churns, workload.Churn{Kind: workload.AR, Capacity: capacity, Live: live, Load: 0.70, Powers: true})
		}
	}
	for _, capacity := range []int64{128, 4096} {
		for _, live := range []int{10_000, 100_000, 1_000_000} {
			churns = append(churns, workload.Churn{Kind: workload.Batch, Capacity: capacity, Live: live, Powers: true})
		}
	}
	churns = append(churns,
		workload.Churn{Kind: workload.AR, Capacity: 4096, Live: 100_000, Load: 0.70},
		workload.Churn{Kind: workload.AR, Capacity: 4096, Live: 100_000, Load: 0.95},
		workload.Churn{Kind: workload.AR, Capacity: 128, Live: 100_000, Load: 0.95, Powers: true},
		workload.Churn{Kind: workload.Batch, Capacity: 128, Live: 10_000},
		workload.Churn{Kind: workload.Batch, Capacity: 4096, Live: 100_000},
		workload.Churn{Kind: workload.Batch, Capacity: 4096, Live: 1_000_000},
		workload.Churn{Kind: workload.Rare, Capacity: 1024, Live: 100_000, Load: 0.70},
		workload.Churn{Kind: workload.Span, Capacity: 1024, Live: 100_000, Load: 0.70},
		workload.Churn{Kind: workload.Span, Capacity: 1024, Live: 1_000_000, Load: 0.70})
	for _, c := range churns {
		if testing.Short() && c.Live > 10_000 {
			continue
		}
		var w *work
		for _, impl := range []struct {
			name  string
			aging time.Duration // how long it is warmed up at most; 0 for as long as it takes
			open  func(int64, Config) (bookahead.Schedule, error)
		}{
			{"indexed", 0, func(n int64, c Config) (bookahead.Schedule, error) { return NewIndexed(n, c) }},
			{"unindexed", 0, func(n int64, c Config) (bookahead.Schedule, error) {
				return newIndexed(n, c, profile.Knobs{Width: profile.Fanout, Patience: math.MaxInt})
			}},
			{"btree", baseline, func(n int64, c Config) (bookahead.Schedule, error) { return NewBTree(n, c) }},
			{"flat", baseline, func(n int64, c Config) (bookahead.Schedule, error) { return NewFlat(n, c) }},
		} {
			name := fmt.Sprintf("impl=%s/trace=%s/capacity=%d/live=%d/load=%.2f/pow2=%v", impl.name, c.Kind, c.Capacity, c.Live, c.Load, c.Powers)
			b.Run(name, func(b *testing.B) {
				if w == nil {
					w = newWork(b, c)
				}
				w.measure(b, impl.aging, impl.open)
			})
		}
	}
}

// work is a schedule to start from, and the requests that follow.
type work struct {
	*workload.Work
	booked []bookahead.Offer
}

func newWork(b testing.TB, c workload.Churn) *work {
	w, err := c.Work()
	if err != nil {
		b.Fatal(err)
	}
	s, err := NewIndexed(w.Capacity, Config{})
	if err != nil {
		b.Fatal(err)
	}
	booked, err := w.Place(s)
	if err != nil {
		b.Skip(err)
	}
	return &work{w, booked}
}

func (w *work) measure(b *testing.B, aging time.Duration, open func(int64, Config) (bookahead.Schedule, error)) {
	s, err := open(w.Capacity, Config{Booked: w.booked})
	if err != nil {
		b.Fatal(err)
	}
	t := newTurns(b, s, w.Turnover())
	for k, o := range w.booked {
		t.over.Enter(bookahead.ID(k+1), o.End)
	}
	began := time.Now()
	for i := 0; i < 2*min(w.Live, 200_000) && (i%64 > 0 || aging == 0 || time.Since(began) < aging); i++ {
		t.turn() // until new reservations have taken the place of the first ones
	}
	t.measure(w.Live)
}

// turns times the calls of a turnover on a schedule.
type turns struct {
	b        *testing.B
	s        bookahead.Schedule
	over     *workload.Turnover
	tick     time.Duration // the time to read the clock
	last     time.Duration // of the last Reserve
	release  time.Duration // of all releases, or of the clock
	releases int
}

func newTurns(b *testing.B, s bookahead.Schedule, over *workload.Turnover) *turns {
	return &turns{b: b, s: s, over: over, tick: clockCost()}
}

// turn books a request, and lets another reservation go.
func (t *turns) turn() {
	r := t.over.Request()
	started := time.Now()
	res, err := t.s.Reserve(r)
	t.last = time.Since(started) - t.tick
	if err == nil {
		t.over.Enter(res.ID, res.End)
	} else if err != bookahead.ErrUnavailable {
		t.b.Fatal(err)
	}
	for t.over.Over() {
		t.releases++
		id, now, advance := t.over.Leave()
		started = time.Now()
		if advance {
			err = t.s.Advance(now)
		} else {
			err = t.s.Release(id)
		}
		t.release += time.Since(started) - t.tick
		if err != nil {
			t.b.Fatal(err)
		}
	}
}

// measure reports the metrics of BenchmarkBooking. The schedule is gone afterwards.
func (t *turns) measure(live int) {
	var before, after runtime.MemStats
	var reserve time.Duration
	var times []time.Duration
	t.release, t.releases = 0, 0
	began, spent := time.Now(), collecting()
	for t.b.Loop() {
		t.turn()
		reserve += t.last
		times = append(times, t.last)
	}
	share := (collecting() - spent) / (time.Since(began).Seconds() * float64(runtime.GOMAXPROCS(0)))
	t.b.ReportMetric(share, "gc-share")
	slices.Sort(times)
	n := len(times)
	t.b.ReportMetric(float64(reserve.Nanoseconds())/float64(n), "ns/op")
	t.b.ReportMetric(float64(times[n/2].Nanoseconds()), "p50-ns")
	t.b.ReportMetric(float64(times[n*99/100].Nanoseconds()), "p99-ns")
	t.b.ReportMetric(float64(t.release.Nanoseconds())/float64(max(1, t.releases)), "release-ns")
	runtime.GC()
	runtime.ReadMemStats(&before)
	runtime.KeepAlive(t.s)
	t.s = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.b.ReportMetric((float64(before.HeapAlloc)-float64(after.HeapAlloc))/float64(live), "B/live")
}

// collecting returns the processor seconds that garbage collection has taken in the cycles that are
// over, without the time that was idle anyway.
func collecting() float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64() - s[1].Value.Float64()
}

// clockCost returns the median time of two readings of the clock.
func clockCost() time.Duration {
	var costs []time.Duration
	for range 1001 {
		started := time.Now()
		costs = append(costs, time.Since(started))
	}
	slices.Sort(costs)
	return costs[len(costs)/2]
}
