package window

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
)

// benchmarkEnvironment has nodes as in §4.1: performances from 2 to 10, qualities
// up to 10, prices about a tenth of the performance, and some idle spans of 1 200
// ticks each.
func benchmarkEnvironment(tb testing.TB, nodes int, seed uint64) *Environment {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := make([]Node, nodes)
	var slots []Slot
	for i := range list {
		p := 2 + 8*rng.Float64()
		list[i] = Node{p, p * (0.05 + 0.1*rng.Float64()), 10 * rng.Float64()}
		for at := bookahead.Time(rng.IntN(100)); at < 1200; at += bookahead.Time(20 + rng.IntN(100)) {
			end := min(1200, at+bookahead.Time(100+rng.IntN(700)))
			slots = append(slots, Slot{i, bookahead.Interval{Start: at, End: end}})
			at = end
		}
	}
	slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
	e, err := New(list, slots)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// benchmarkJob is that of §4.1, with a budget that grows with the nodes.
func benchmarkJob(n int) Job {
	return Job{Nodes: n, MinPerformance: 1, Volume: 800, Budget: 92 * float64(n)}
}

func BenchmarkSearch(b *testing.B) {
	type algorithm struct {
		name string
		run  func(e *Environment, j Job) error
	}
	algorithms := []algorithm{
		{"FirstFit", func(e *Environment, j Job) error { _, err := FirstFit(e, j); return err }},
		{"Lite", func(e *Environment, j Job) error { _, err := MaxQLite(e, j, Quality); return err }},
		{"MultipleBest", func(e *Environment, j Job) error { _, err := MultipleBest(e, j, Quality); return err }},
		{"Exact", func(e *Environment, j Job) error { _, err := Exact(e, j, Quality, 0); return err }},
		{"ExactDEP", func(e *Environment, j Job) error { _, err := Exact(e, j, Near, 0); return err }},
		{"ExactCOORD", func(e *Environment, j Job) error { _, err := Exact(e, j, Far, 0); return err }},
		{"PlacementDEP", func(e *Environment, j Job) error { _, err := ExactPlacement(e, j, Near, 0); return err }},
		{"PlacementCOORD", func(e *Environment, j Job) error { _, err := ExactPlacement(e, j, Far, 0); return err }},
		{"MaxQ", func(e *Environment, j Job) error {
			_, err := MaxQ(e, j, Quality, Program{Steps: int(j.Budget)})
			return err
		}},
	}
	for _, size := range []struct{ nodes, n int }{{100, 7}, {1000, 64}} {
		var environments []*Environment
		for seed := range uint64(8) {
			environments = append(environments, benchmarkEnvironment(b, size.nodes, seed))
		}
		for _, a := range algorithms {
			if a.name == "MaxQ" && (testing.Short() || size.nodes > 100) || a.name == "MultipleBest" && size.nodes > 100 {
				continue
			}
			b.Run(fmt.Sprintf("op=%s/nodes=%d/n=%d", a.name, size.nodes, size.n), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := a.run(environments[i%len(environments)], benchmarkJob(size.n)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
