package carts

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/profile"
)

// BenchmarkBooking measures what a scheduler does all day: it finds a place for
// a request and takes it (Reserve). All structures meet the same requests, on the
// same schedule.
//
// AR: ready times lie anywhere on the horizon, which is booked to the given load;
// a request may wait for a few durations. For each that comes, another is
// cancelled. BATCH: all are ready now, and have no deadline; the clock moves on
// when one ends, and another comes.
//
// RARE is AR where one request in 64 wants nearly all units; SPAN is AR where one
// in 64 lasts for a tenth of the horizon, with few units.
//
// The time per operation is that of Reserve alone; p50-ns and p99-ns are of
// single ones. release-ns is the mean of the cancellations, or of the clock. B/live
// is the memory in the end, with the ledger of IDs, for each live reservation.
func BenchmarkBooking(b *testing.B) {
	var traces []trace
	for _, capacity := range []int64{128, 4096, 1 << 20} {
		for _, live := range []int{1_000, 100_000, 1_000_000} {
			traces = append(traces, trace{name: "AR", capacity: capacity, live: live, load: 0.70, pow2: true})
		}
	}
	for _, capacity := range []int64{128, 4096} {
		for _, live := range []int{10_000, 100_000, 1_000_000} {
			traces = append(traces, trace{name: "BATCH", capacity: capacity, live: live, pow2: true})
		}
	}
	traces = append(traces,
		trace{name: "AR", capacity: 4096, live: 100_000, load: 0.70},
		trace{name: "AR", capacity: 4096, live: 100_000, load: 0.95},
		trace{name: "AR", capacity: 128, live: 100_000, load: 0.95, pow2: true},
		trace{name: "BATCH", capacity: 128, live: 10_000},
		trace{name: "BATCH", capacity: 4096, live: 100_000},
		trace{name: "BATCH", capacity: 4096, live: 1_000_000},
		trace{name: "RARE", capacity: 1024, live: 100_000, load: 0.70},
		trace{name: "SPAN", capacity: 1024, live: 100_000, load: 0.70},
		trace{name: "SPAN", capacity: 1024, live: 1_000_000, load: 0.70})
	for _, tr := range traces {
		if testing.Short() && tr.live > 10_000 {
			continue
		}
		var w *work
		for _, impl := range []struct {
			name string
			open func(int64, Config) (bookahead.Schedule, error)
		}{
			{"indexed", func(n int64, c Config) (bookahead.Schedule, error) { return NewIndexed(n, c) }},
			{"unindexed", func(n int64, c Config) (bookahead.Schedule, error) {
				return newIndexed(n, c, profile.Knobs{Width: profile.Fanout, Patience: math.MaxInt})
			}},
			{"btree", func(n int64, c Config) (bookahead.Schedule, error) { return NewBTree(n, c) }},
			{"flat", func(n int64, c Config) (bookahead.Schedule, error) { return NewFlat(n, c) }},
		} {
			name := fmt.Sprintf("impl=%s/trace=%s/capacity=%d/live=%d/load=%.2f/pow2=%v", impl.name, tr.name, tr.capacity, tr.live, tr.load, tr.pow2)
			b.Run(name, func(b *testing.B) {
				if w == nil {
					w = newWork(b, tr)
				}
				w.measure(b, impl.open)
			})
		}
	}
}

// trace is a kind of work.
type trace struct {
	name     string
	capacity int64
	live     int
	load     float64
	pow2     bool // requests for powers of two only
}

// work is a schedule to start from.
type work struct {
	trace
	most   int64 // units of a request
	length int64 // of the horizon that is booked
	booked []bookahead.Offer
}

const meanTicks = 100_000

func newWork(b testing.TB, tr trace) *work {
	w := &work{trace: tr, most: tr.capacity / 8, length: 1}
	if tr.capacity > 4096 {
		w.most = 1024
	}
	rng := rand.New(rand.NewPCG(7, 7))
	if w.name != "BATCH" {
		area := 0.0
		for range 10_000 {
			r := w.common(rng, 0)
			area += float64(r.Units) * float64(r.Duration) / 10_000
		}
		w.length = int64(area * float64(w.live) / (w.load * float64(w.capacity)))
	}
	s, err := NewIndexed(w.capacity, Config{})
	if err != nil {
		b.Fatal(err)
	}
	for tried := 0; len(w.booked) < w.live; tried++ {
		if tried > 20*w.live {
			b.Skip("so much does not fit")
		}
		if res, err := s.Reserve(w.request(rng, 0)); err == nil {
			w.booked = append(w.booked, res.Offer)
		}
	}
	slices.SortStableFunc(w.booked, func(a, b bookahead.Offer) int { return cmp.Compare(a.Start, b.Start) })
	return w
}

func (w *work) request(rng *rand.Rand, now bookahead.Time) bookahead.Request {
	r := w.common(rng, now)
	if rng.IntN(64) > 0 {
		return r
	}
	switch w.name {
	case "RARE":
		r.Units = w.capacity - 4
		r.Deadline = r.Ready + 1000*bookahead.Time(r.Duration)
	case "SPAN":
		r.Units = 1 + rng.Int64N(2)
		r.Duration = bookahead.Duration(max(1, w.length/10))
		r.Deadline = r.Ready + 4*bookahead.Time(r.Duration)
	}
	return r
}

// common draws what all traces have most of.
func (w *work) common(rng *rand.Rand, now bookahead.Time) bookahead.Request {
	r := bookahead.Request{Ready: now, Duration: bookahead.Duration(1 + rng.Int64N(2*meanTicks-1))}
	r.Units = 1 + rng.Int64N(w.most)
	if w.pow2 {
		r.Units = 1 << rng.IntN(bits.Len64(uint64(w.most)))
	}
	if w.name != "BATCH" {
		r.Ready += bookahead.Time(rng.Int64N(w.length))
		r.Deadline = r.Ready + 4*bookahead.Time(r.Duration)
	}
	return r
}

// booking is what the benchmark knows of a live reservation.
type booking struct {
	end bookahead.Time
	id  bookahead.ID
}

func (w *work) measure(b *testing.B, open func(int64, Config) (bookahead.Schedule, error)) {
	var before, after runtime.MemStats
	s, err := open(w.capacity, Config{Booked: w.booked})
	if err != nil {
		b.Fatal(err)
	}
	var all []booking // of AR, in no order
	ends := btree.NewG(32, func(a, b booking) bool { return a.end < b.end || a.end == b.end && a.id < b.id })
	enter := func(k booking) {
		if w.name == "BATCH" {
			ends.ReplaceOrInsert(k)
		} else {
			all = append(all, k)
		}
	}
	for k, o := range w.booked {
		enter(booking{o.End, bookahead.ID(k + 1)})
	}
	rng := rand.New(rand.NewPCG(11, 11))
	now := bookahead.Time(0)
	var reserve, release, single time.Duration
	releases := 0
	var times []time.Duration
	tick := clockCost()
	step := func() {
		r := w.request(rng, now)
		started := time.Now()
		res, err := s.Reserve(r)
		single = time.Since(started) - tick
		if err == nil {
			enter(booking{res.End, res.ID})
		} else if err != bookahead.ErrUnavailable {
			b.Fatal(err)
		}
		for max(len(all), ends.Len()) > w.live {
			releases++
			if w.name == "BATCH" {
				next, _ := ends.DeleteMin()
				now = next.end
				started = time.Now()
				err = s.Advance(now)
			} else {
				i, last := rng.IntN(len(all)), len(all)-1
				id := all[i].id
				all[i], all = all[last], all[:last]
				started = time.Now()
				err = s.Release(id)
			}
			release += time.Since(started) - tick
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	for range 2 * min(w.live, 200_000) { // until what is new has taken the place of what was there
		step()
	}
	release, releases = 0, 0
	for b.Loop() {
		step()
		reserve += single
		times = append(times, single)
	}
	slices.Sort(times)
	n := len(times)
	b.ReportMetric(float64(reserve.Nanoseconds())/float64(n), "ns/op")
	b.ReportMetric(float64(times[n/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(times[n*99/100].Nanoseconds()), "p99-ns")
	b.ReportMetric(float64(release.Nanoseconds())/float64(max(1, releases)), "release-ns")
	runtime.GC()
	runtime.ReadMemStats(&before)
	runtime.KeepAlive(s)
	s = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric((float64(before.HeapAlloc)-float64(after.HeapAlloc))/float64(w.live), "B/live")
}

// clockCost returns the median of what reading the clock twice takes.
func clockCost() time.Duration {
	var costs []time.Duration
	for range 1001 {
		started := time.Now()
		costs = append(costs, time.Since(started))
	}
	slices.Sort(costs)
	return costs[len(costs)/2]
}
