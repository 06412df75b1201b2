package route

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
)

// plane is a topology for benchmarks: undirected links with delays.
type plane struct {
	name  string
	nodes int
	links []Link
}

// grid has w·w nodes in a square, each joined to its neighbours.
func grid(w int) plane {
	p := plane{name: fmt.Sprintf("grid%d", w*w), nodes: w * w}
	for v := range w * w {
		if v%w > 0 {
			p.links = append(p.links, Link{From: v - 1, To: v, Delay: bookahead.Duration(1 + v%3)})
		}
		if v >= w {
			p.links = append(p.links, Link{From: v - w, To: v, Delay: bookahead.Duration(1 + v%2)})
		}
	}
	return p
}

// nine has the size of the Phosphorus network: 9 nodes, 16 links, as in
// bench/paper/stevens.
func nine() plane {
	p := plane{name: "nine", nodes: 9}
	for i, ends := range [][2]int{{5, 4}, {5, 7}, {7, 4}, {7, 6}, {7, 2}, {4, 2}, {4, 0}, {2, 3}, {3, 1}, {3, 4}, {1, 0}, {1, 8}, {6, 8}, {3, 7}, {0, 2}, {1, 2}} {
		p.links = append(p.links, Link{From: ends[0], To: ends[1], Delay: bookahead.Duration(1 + i%5)})
	}
	return p
}

// benchNetwork has that many clusters of 60 CPUs, 25 units of work a tick each.
func benchNetwork(t testing.TB, p plane, slots, clusters int) *Network {
	var links []Link
	for _, l := range p.links {
		back := l
		back.From, back.To = l.To, l.From
		links = append(links, l, back)
	}
	var all []Cluster
	for _, node := range rand.New(rand.NewPCG(6, 6)).Perm(p.nodes)[:clusters] {
		pool, err := carts.NewIndexed(60, carts.Config{Horizon: 400_000})
		require.NoError(t, err)
		all = append(all, Cluster{Node: node, CPUs: 60, Speed: 25, Pool: pool})
	}
	n, err := New(p.nodes, links, all, Config{Slots: slots})
	require.NoError(t, err)
	return n
}

// arrivals draws the tasks of Stevens et al., Table 2, row 3: rate of them in a
// second, 100 MB over 1 Gb/s and 16 s each on average; a tick is a millisecond.
func arrivals(nodes, n int, rate float64) []Task {
	rng := rand.New(rand.NewPCG(7, 7))
	at, tasks := 0.0, make([]Task, n)
	for i := range tasks {
		at += 1000 * rng.ExpFloat64() / rate
		burst, work := 1+math.Floor(800*rng.ExpFloat64()), 1+math.Floor(400_000*rng.ExpFloat64())
		tasks[i] = Task{Source: rng.IntN(nodes), Ready: bookahead.Time(at), Burst: bookahead.Duration(burst), Work: int64(work), CPUs: 1}
		tasks[i].Deadline = tasks[i].Ready + 2*bookahead.Time(burst+work/25+1)
	}
	return tasks
}

var algorithms = []struct {
	name string
	plan func(*Network, Task) (Plan, error)
	most int // nodes that it can cope with
}{
	{"MCT", func(n *Network, t Task) (Plan, error) { return n.MCT(t, nil) }, 9},
	{"AWMCT", func(n *Network, t Task) (Plan, error) { return n.AWMCT(t, nil) }, 1000},
	{"MCB", (*Network).MCB, 9},
	{"ECT", (*Network).ECT, 1000},
	{"Earliest", (*Network).Earliest, 1000},
}

// BenchmarkPlan plans tasks at a moment of a busy network: the next that arrive,
// by turns, none of them committed.
func BenchmarkPlan(b *testing.B) {
	planes := []plane{nine(), grid(7)}
	for _, p := range planes {
		for _, rate := range []float64{5, 8} {
			n := benchNetwork(b, p, 10_000, 3)
			tasks := arrivals(p.nodes, 2000, rate)
			for _, t := range tasks[:1000] {
				require.NoError(b, n.Advance(t.Ready))
				if plan, err := n.Earliest(t); err == nil {
					_, err = n.Commit(plan)
					require.NoError(b, err)
				}
			}
			for _, a := range algorithms {
				if p.nodes > a.most {
					continue
				}
				b.Run(fmt.Sprintf("network=%s/slots=10000/rate=%g/algorithm=%s", p.name, rate, a.name), func(b *testing.B) {
					b.ReportAllocs()
					var effort Spent
					i := 0
					for b.Loop() {
						t := tasks[1000+i%1000]
						t.Deadline -= t.Ready - n.Now()
						t.Ready = n.Now()
						plan, _ := a.plan(n, t)
						effort.Labels += plan.Spent.Labels
						effort.Words += plan.Spent.Words
						i++
					}
					b.ReportMetric(float64(effort.Labels)/float64(i), "labels/op")
					b.ReportMetric(float64(effort.Words)/float64(i), "words/op")
				})
			}
		}
	}
}

// fragmented is a grid with one cluster, in the corner opposite to node 0. Each link
// is free in runs of 1 to 5 slots, and taken in runs of as many, each by itself.
func fragmented(b testing.TB, w, slots int, seed uint64) *Network {
	rng := rand.New(rand.NewPCG(9, seed))
	pool, err := carts.NewIndexed(60, carts.Config{})
	require.NoError(b, err)
	var links []Link
	for _, l := range grid(w).links {
		for _, ends := range [][2]int{{l.From, l.To}, {l.To, l.From}} {
			free, err := avail.NewVector(slots)
			require.NoError(b, err)
			for at := rng.IntN(5); at < slots; at += 1 + rng.IntN(5) {
				from := at
				at = min(at+1+rng.IntN(5), slots)
				free.Set(from, at)
			}
			links = append(links, Link{From: ends[0], To: ends[1], Delay: l.Delay, Free: free})
		}
	}
	n, err := New(w*w, links, []Cluster{{Node: w*w - 1, CPUs: 60, Speed: 25, Pool: pool}}, Config{Slots: slots})
	require.NoError(b, err)
	return n
}

// BenchmarkFragmented is hard for Earliest: a long way over links with many runs, and a
// shortest path that is hardly ever free.
func BenchmarkFragmented(b *testing.B) {
	for _, w := range []int{3, 7} {
		for _, burst := range []bookahead.Duration{1, 2} {
			b.Run(fmt.Sprintf("network=grid%d/slots=10000/burst=%d/algorithm=Earliest", w*w, burst), func(b *testing.B) {
				b.ReportAllocs()
				networks := make([]*Network, 20)
				for i := range networks {
					networks[i] = fragmented(b, w, 10_000, uint64(i))
				}
				var effort Spent
				var took []time.Duration
				for b.Loop() {
					began := time.Now()
					plan, _ := networks[len(took)%len(networks)].Earliest(Task{Burst: burst, Work: 1, CPUs: 1})
					took = append(took, time.Since(began))
					effort.Labels += plan.Spent.Labels
					effort.Words += plan.Spent.Words
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "median-ns/op")
				b.ReportMetric(float64(effort.Labels)/float64(len(took)), "labels/op")
				b.ReportMetric(float64(effort.Words)/float64(len(took)), "words/op")
			})
		}
	}
}

// BenchmarkCommit plans, commits, and lets the clock follow.
func BenchmarkCommit(b *testing.B) {
	for _, p := range []plane{nine(), grid(7)} {
		b.Run(fmt.Sprintf("network=%s/slots=10000/rate=5", p.name), func(b *testing.B) {
			b.ReportAllocs()
			n := benchNetwork(b, p, 10_000, 3)
			tasks := arrivals(p.nodes, 2000, 5)
			lap, i := bookahead.Time(0), 0
			for b.Loop() {
				t := tasks[i%len(tasks)]
				t.Ready += lap
				t.Deadline += lap
				if err := n.Advance(t.Ready); err != nil {
					b.Fatal(err)
				}
				if plan, err := n.Earliest(t); err == nil {
					if _, err := n.Commit(plan); err != nil {
						b.Fatal(err)
					}
				}
				i++
				if i%len(tasks) == 0 {
					lap = t.Ready
				}
			}
		})
	}
}

// BenchmarkSAMCRA has links with random weights.
func BenchmarkSAMCRA(b *testing.B) {
	for _, k := range []int{2, 4} {
		for _, w := range []int{7, 20} {
			for order, name := range []string{refined: "refined", maxNorm: "max"} {
				b.Run(fmt.Sprintf("nodes=%d/weights=%d/order=%s", w*w, k, name), func(b *testing.B) {
					rng := rand.New(rand.NewPCG(8, 8))
					var links []Link
					for _, l := range grid(w).links {
						for _, ends := range [][2]int{{l.From, l.To}, {l.To, l.From}} {
							weights := make([]float64, k)
							for i := range weights {
								weights[i] = float64(1 + rng.IntN(100))
							}
							links = append(links, Link{From: ends[0], To: ends[1], Weights: weights})
						}
					}
					n, err := New(w*w, links, nil, Config{Weights: k})
					require.NoError(b, err)
					q := Query{Servers: []Server{{Node: w*w - 1}}, order: pathOrder(order)}
					for range k {
						q.Limits = append(q.Limits, float64(200*w))
					}
					labels := int64(0)
					for b.Loop() {
						r, err := n.SAMCRA(q)
						if err != nil {
							b.Fatal(err)
						}
						labels = r.Spent.Labels
					}
					b.ReportMetric(float64(labels), "labels/op")
				})
			}
		}
	}
}

// BenchmarkNextQuery asks for a short way to the same server, in a large network, again and
// again.
func BenchmarkNextQuery(b *testing.B) {
	for _, nodes := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d/weights=2", nodes), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(27, 3))
			var links []Link
			for v := range nodes {
				for _, to := range []int{(v + 1) % nodes, (v + nodes - 1) % nodes, rng.IntN(nodes), rng.IntN(nodes)} {
					if to != v {
						links = append(links, Link{From: v, To: to, Weights: []float64{float64(1 + rng.IntN(100)), float64(1 + rng.IntN(100))}})
					}
				}
			}
			n, err := New(nodes, links, nil, Config{Weights: 2})
			require.NoError(b, err)
			q := Query{Source: 1, Servers: []Server{{Node: 0}}, Limits: []float64{1000, 1000}}
			for b.Loop() {
				if _, err := n.SAMCRA(q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPareto lists all Pareto-optimal paths of the known pairs of netMaker.
func BenchmarkPareto(b *testing.B) {
	n, all := netMaker(b)
	for _, row := range all {
		q := Query{Source: number(b, row[2]), Servers: []Server{{Node: number(b, row[3])}}}
		b.Run(fmt.Sprintf("network=netMaker/weights=3/paths=%s", row[6]), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range n.Pareto(q) {
					require.NoError(b, err)
				}
			}
		})
	}
}
