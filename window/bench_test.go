package window

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
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
		list[i] = Node{Performance: p, Price: p * (0.05 + 0.1*rng.Float64()), Quality: 10 * rng.Float64()}
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
		{"Exact", func(e *Environment, j Job) error { _, err := Exact(e, j, Quality); return err }},
		{"ExactDEP", func(e *Environment, j Job) error { _, err := Exact(e, j, Near); return err }},
		{"ExactCOORD", func(e *Environment, j Job) error { _, err := Exact(e, j, Far); return err }},
		{"PlacementDEP", func(e *Environment, j Job) error { _, err := ExactPlacement(e, j, Near); return err }},
		{"PlacementCOORD", func(e *Environment, j Job) error { _, err := ExactPlacement(e, j, Far); return err }},
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

// BenchmarkMachineSlots reads the slots of a machine for a task of 4 GPUs: each node has ten gaps between
// jobs that take the whole node or a part of it.
func BenchmarkMachineSlots(b *testing.B) {
	for _, n := range []int{100, 2_000} {
		if testing.Short() && n > 100 {
			continue
		}
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			m := benchmarkMachine(b, n)
			w := bookahead.Interval{Start: 0, End: 10_000}
			var slots []Slot
			for b.Loop() {
				var err error
				slots, err = MachineSlots(m, nodes.Vector{4, 8}, w)
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(slots)), "slots")
		})
	}
}

func benchmarkMachine(b *testing.B, n int) *nodes.Machine {
	rng := rand.New(rand.NewPCG(22, 1))
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: slices.Repeat([]nodes.Vector{{8, 64}}, n)})
	if err != nil {
		b.Fatal(err)
	}
	for k := range n {
		for i := range bookahead.Time(20) {
			r := nodes.Request{Ready: 500*i + 1 + bookahead.Time(rng.IntN(50)), Duration: 400, Tasks: 1, Each: nodes.Vector{8, 64}, Nodes: []int{k}}
			if i%2 > 0 { // room is left for the task
				r.Each = nodes.Vector{1 + rng.Int64N(4), 8}
			}
			_, err = m.Reserve(r)
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	return m
}
