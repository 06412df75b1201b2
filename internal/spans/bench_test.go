package spans

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bookahead/bookahead"
)

// perSize runs a benchmark with several numbers of spans.
func perSize(b *testing.B, bench func(b *testing.B, n int)) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { bench(b, n) })
	}
}

// perCrowd runs a benchmark with several crowds.
func perCrowd(b *testing.B, bench func(b *testing.B, x *Index, n int)) {
	perSize(b, func(b *testing.B, n int) { bench(b, crowd(n), n) })
}

// BenchmarkChange removes one span of n, and adds another: any span, or the first span and one
// after all others.
func BenchmarkChange(b *testing.B) {
	for _, order := range []string{"any", "oldest"} {
		b.Run("remove="+order, func(b *testing.B) {
			perSize(b, func(b *testing.B, n int) {
				var x Index
				rng := rand.New(rand.NewPCG(2, 2))
				spans := make([]Span, n)
				next := 0
				id := bookahead.ID(0)
				step := func() {
					id++
					s := crowded(rng, n, id)
					if order == "oldest" {
						s.Start, s.End = bookahead.Time(id), bookahead.Time(id)+s.End-s.Start
					} else if x.Len() == n {
						next = rng.IntN(n)
					}
					if x.Len() == n && !x.Remove(spans[next]) {
						b.Fatal("it is gone")
					}
					x.Add(s)
					spans[next] = s
					next = (next + 1) % n
				}
				for range 3 * n { // until the nodes are as full as they stay
					step()
				}
				for b.Loop() {
					step()
				}
				b.ReportMetric(float64(memory(&x))/float64(n), "B/span")
			})
		})
	}
}

// BenchmarkOverlapping finds about 100 spans.
func BenchmarkOverlapping(b *testing.B) {
	perCrowd(b, func(b *testing.B, x *Index, n int) {
		rng := rand.New(rand.NewPCG(2, 2))
		found := 0
		for b.Loop() {
			start := bookahead.Time(rng.IntN(n - 50))
			for range x.Overlapping(bookahead.Interval{Start: start, End: start + 50}) {
				found++
			}
		}
		b.ReportMetric(float64(found)/float64(b.N), "found/op")
	})
}

// BenchmarkForget moves now by a tick, and adds as many spans as have ended.
func BenchmarkForget(b *testing.B) {
	perCrowd(b, func(b *testing.B, x *Index, n int) {
		rng := rand.New(rand.NewPCG(2, 2))
		now, id := bookahead.Time(0), bookahead.ID(n)
		for b.Loop() {
			now++
			x.Forget(now)
			for x.Len() < n {
				id++
				s := crowded(rng, n, id)
				s.Start, s.End = s.Start+now, s.End+now
				x.Add(s)
			}
		}
	})
}

// BenchmarkCloneAndWrite clones an index, and adds a span to the clone.
func BenchmarkCloneAndWrite(b *testing.B) {
	perCrowd(b, func(b *testing.B, x *Index, n int) {
		rng := rand.New(rand.NewPCG(2, 2))
		for b.Loop() {
			c := x.Clone()
			c.Add(crowded(rng, n, bookahead.ID(n)))
		}
	})
}

// BenchmarkBuild makes an index of n spans, which are sorted.
func BenchmarkBuild(b *testing.B) {
	perCrowd(b, func(b *testing.B, x *Index, n int) {
		var sorted []Span
		for s := range x.Overlapping(bookahead.Interval{End: bookahead.MaxTime}) {
			sorted = append(sorted, s)
		}
		for b.Loop() {
			Build(sorted)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/span")
	})
}
