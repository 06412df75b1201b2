package kinds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// BenchmarkSearch looks for places for jobs of two kinds, and of three, on n nodes of 8 GPUs and 64 cores with ten live jobs for each
// node: up to n/4 workers of GPUs and cores, up to n/2 servers of cores alone, and a launcher of one core. ns/op is the mean of a
// Search. It reports besides
//
//	turn/op      the part of the searches in which the kinds found room one after the other at the first start
//	proven/op    the part that is proven to be the earliest
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{100, 1_000, 2_000} {
		m := loaded(b, n)
		for _, kinds := range []int{2, 3} {
			b.Run(fmt.Sprintf("nodes=%d/kinds=%d", n, kinds), func(b *testing.B) {
				if testing.Short() && n > 100 {
					b.Skip("it takes seconds")
				}
				rng := rand.New(rand.NewPCG(7, uint64(kinds)))
				searches, turn, proven := 0, 0, 0
				for b.Loop() {
					b.StopTimer()
					r := Request{Ready: bookahead.Time(rng.IntN(3_000)), Duration: bookahead.Duration(50 + rng.IntN(200)), Kinds: []nodes.Request{
						{Tasks: 1 + rng.Int64N(int64(n)/4), Each: nodes.Vector{1 << rng.IntN(4), 4 + rng.Int64N(13)}},
						{Tasks: 1 + rng.Int64N(int64(n)/2), Each: nodes.Vector{0, 8 + rng.Int64N(41)}},
						{Tasks: 1, Each: nodes.Vector{0, 1}},
					}[:kinds]}
					b.StartTimer()
					o, err := Search(m, r, bookahead.Effort{})
					b.StopTimer()
					if err != nil {
						b.Fatal(err)
					}
					searches++
					if o.Proven() {
						proven++
					}
					x, err := begin(m, r, bookahead.Effort{})
					if err != nil {
						b.Fatal(err)
					}
					first, _ := x.allNeeds(x.starts.Start)
					_, ok := x.inTurn(bookahead.Interval{Start: first, End: first + bookahead.Time(r.Duration)})
					if ok {
						turn++
					}
					b.StartTimer()
				}
				b.ReportMetric(float64(turn)/float64(searches), "turn/op")
				b.ReportMetric(float64(proven)/float64(searches), "proven/op")
			})
		}
	}
}

// loaded returns a machine of n nodes with ten live jobs for each, that are ready in three thousand ticks: about 70 % of the GPUs are booked.
func loaded(b *testing.B, n int) *nodes.Machine {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: slices.Repeat([]nodes.Vector{{8, 64}}, n)})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 1))
	for range 10 * n {
		_, err := m.Reserve(nodes.Request{
			Ready: bookahead.Time(rng.IntN(3_000)), Duration: bookahead.Duration(50 + rng.IntN(350)), Tasks: 1 + rng.Int64N(4),
			Each: nodes.Vector{1 << rng.IntN(4), 8 + rng.Int64N(17)},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return m
}
