package bookahead_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

const benchUnits = 1000

// booked books n reservations of up to 100 ticks and 20 units, or servers, so that a quarter of
// the capacity is in use.
func booked(b *testing.B, s bookahead.Keeper, n int) bookahead.Interval {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	w := bookahead.Interval{End: bookahead.Time(2*n + 100)}
	for range n {
		r := bookahead.Request{Ready: bookahead.Time(rng.Int64N(int64(w.End) - 100)), Duration: 1 + bookahead.Duration(rng.IntN(100)), Units: 1 + rng.Int64N(20)}
		_, err := s.Reserve(r)
		if err != nil {
			b.Fatal(err)
		}
	}
	return w
}

// profiles runs a benchmark on a pool and on servers with several numbers of reservations.
func profiles(b *testing.B, run func(b *testing.B, s bookahead.Keeper, w bookahead.Interval)) {
	for _, n := range []int{1_000, 100_000} {
		pool, err := carts.NewIndexed(benchUnits, carts.Config{})
		if err != nil {
			b.Fatal(err)
		}
		w := booked(b, pool, n)
		b.Run(fmt.Sprintf("impl=carts.Indexed/live=%d", n), func(b *testing.B) { run(b, pool, w) })
		servers, err := idletree.NewTree(benchUnits, idletree.Config{})
		if err != nil {
			b.Fatal(err)
		}
		booked(b, servers, n)
		b.Run(fmt.Sprintf("impl=idletree.Tree/live=%d", n), func(b *testing.B) { run(b, servers, w) })
	}
}

// BenchmarkSteps goes through all steps, beside the blocks from which they are made.
func BenchmarkSteps(b *testing.B) {
	profiles(b, func(b *testing.B, s bookahead.Keeper, w bookahead.Interval) {
		b.Run("op=blocks", func(b *testing.B) {
			n := 0
			for b.Loop() {
				blocks, _ := bookahead.Blocks(s, w)
				for range blocks {
					n++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/block")
		})
		b.Run("op=steps", func(b *testing.B) {
			n := 0
			for b.Loop() {
				steps, _ := bookahead.Steps(s, w)
				for range steps {
					n++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/step")
		})
	})
}

// BenchmarkChange finds the change after a time, and the change before it: where there are many,
// and where there has been none for as long as the schedule is booked.
func BenchmarkChange(b *testing.B) {
	profiles(b, func(b *testing.B, s bookahead.Keeper, w bookahead.Interval) {
		for name, find := range map[string]func(bookahead.Schedule, bookahead.Time) (bookahead.Time, bool){
			"next": bookahead.NextChange, "previous": bookahead.PreviousChange,
		} {
			for at, t := range map[string]bookahead.Time{"middle": w.End / 2, "behind": 2 * w.End} {
				b.Run(fmt.Sprintf("op=%s/at=%s", name, at), func(b *testing.B) {
					for b.Loop() {
						find(s, t)
					}
				})
			}
		}
	})
}

// BenchmarkUsage adds up all blocks and reservations.
func BenchmarkUsage(b *testing.B) {
	profiles(b, func(b *testing.B, s bookahead.Keeper, w bookahead.Interval) {
		for b.Loop() {
			bookahead.Usage(s, w)
		}
	})
}

// BenchmarkRectangles finds the largest gaps of a pool.
func BenchmarkRectangles(b *testing.B) {
	for _, live := range []int{1_000, 100_000} {
		pool, err := carts.NewIndexed(benchUnits, carts.Config{})
		if err != nil {
			b.Fatal(err)
		}
		w := booked(b, pool, live)
		for _, n := range []int{1, 10, 1000} {
			b.Run(fmt.Sprintf("impl=carts.Indexed/live=%d/n=%d", live, n), func(b *testing.B) {
				for b.Loop() {
					bookahead.Rectangles(pool, w, n)
				}
			})
		}
	}
}

// BenchmarkAdvance moves the clock a tick at a time, with the method and with the function that
// lists the reservations passed. Each reservation that has ended is booked again after all
// others.
func BenchmarkAdvance(b *testing.B) {
	for _, live := range []int{1_000, 100_000} {
		for name, advance := range map[string]func(bookahead.Keeper, bookahead.Time) error{
			"method":   func(k bookahead.Keeper, now bookahead.Time) error { return k.Advance(now) },
			"function": func(k bookahead.Keeper, now bookahead.Time) error { _, err := bookahead.Advance(k, now); return err },
		} {
			b.Run(fmt.Sprintf("impl=carts.Indexed/live=%d/op=%s", live, name), func(b *testing.B) {
				pool, err := carts.NewIndexed(benchUnits, carts.Config{})
				if err != nil {
					b.Fatal(err)
				}
				w := booked(b, pool, live)
				now := bookahead.Time(0)
				for b.Loop() {
					now++
					err := advance(pool, now)
					if err != nil {
						b.Fatal(err)
					}
					if now%2 == 0 {
						_, err := pool.Reserve(bookahead.At(w.End-100+now, 50, 10))
						if err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
