package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/route"
	"github.com/bookahead/bookahead/slotted"
)

// A tick is a millisecond, which is the slot of a link, τₗ.
const (
	ticksPerSecond = 1000
	linkSlots      = 10_000  // dₗ: 10 s
	clusterTicks   = 400_000 // dₘ·τₘ
	clusterSlot    = 40      // τₘ
	mostSteps      = 1 << 22 // of a query of the targeted form: half for itself, half for AWMC-T
	clusters       = 3
	cpus           = 60
	speed          = 25_000 / ticksPerSecond // million instructions that a CPU does in a tick
	bytesPerTick   = 1e9 / 8 / ticksPerSecond
	delayPerKm     = 5e-6 * ticksPerSecond
)

// sites stand for the nodes of Fig. 10, whose table was not to be had: nine places
// in Europe, most of them partners of the Phosphorus project.
var sites = []place{
	{id: "Poznan", longitude: 16.93, latitude: 52.41},
	{id: "Prague", longitude: 14.44, latitude: 50.08},
	{id: "Jülich", longitude: 6.36, latitude: 50.92},
	{id: "Bonn", longitude: 7.10, latitude: 50.73},
	{id: "Amsterdam", longitude: 4.90, latitude: 52.37},
	{id: "Essex", longitude: 0.90, latitude: 51.89},
	{id: "Barcelona", longitude: 2.17, latitude: 41.39},
	{id: "Ghent", longitude: 3.72, latitude: 51.05},
	{id: "Patras", longitude: 21.73, latitude: 38.25},
}

// roads are the 16 links, both ways each. The three smallest degrees sum to 6, as
// the paper's limit on the load has it.
var roads = [][2]string{
	{"Essex", "Amsterdam"}, {"Essex", "Ghent"}, {"Ghent", "Amsterdam"}, {"Ghent", "Barcelona"},
	{"Ghent", "Jülich"}, {"Amsterdam", "Jülich"}, {"Amsterdam", "Poznan"}, {"Jülich", "Bonn"},
	{"Bonn", "Prague"}, {"Bonn", "Amsterdam"}, {"Prague", "Poznan"}, {"Prague", "Patras"},
	{"Barcelona", "Patras"}, {"Bonn", "Ghent"}, {"Poznan", "Jülich"}, {"Prague", "Jülich"},
}

// phosphorus returns the topology.
func phosphorus() graph {
	g := graph{name: "Phosphorus (substitute)", nodes: sites}
	index := map[string]int{}
	for i, n := range sites {
		index[n.id] = i
	}
	for _, r := range roads {
		g.links = append(g.links, link{from: index[r[0]], to: index[r[1]]})
	}
	return g
}

// build returns a network of 1 Gb/s links with clusters at the nodes named, which
// are booked in slots of some ticks.
func build(g graph, at []int, slot bookahead.Duration) (*route.Network, error) {
	var links []route.Link
	for _, l := range g.links {
		km := kilometres(g.nodes[l.from], g.nodes[l.to])
		if math.IsNaN(km) {
			return nil, fmt.Errorf("link %d of %s joins nodes without a place", len(links), g.name)
		}
		delay := math.Ceil(km * delayPerKm)
		for _, ends := range [][2]int{{l.from, l.to}, {l.to, l.from}} {
			links = append(links, route.Link{From: ends[0], To: ends[1], Delay: bookahead.Duration(delay), Weights: []float64{delay, 0}})
		}
	}
	var all []route.Cluster
	for _, node := range at {
		pool, err := newPool(slot)
		if err != nil {
			return nil, err
		}
		all = append(all, route.Cluster{Node: node, CPUs: cpus, Speed: speed, Pool: pool})
	}
	return route.New(len(g.nodes), links, all, route.Config{Weights: 2, Slots: linkSlots})
}

// newPool returns the CPUs of a cluster. Slots of one tick need no slots.
func newPool(slot bookahead.Duration) (bookahead.Schedule, error) {
	if slot == 1 {
		return carts.NewIndexed(cpus, carts.Config{Horizon: clusterTicks})
	}
	return slotted.NewIndexed(cpus, slotted.Config{Horizon: clusterTicks, Slot: slot})
}

// workload is a row of Table 2.
type workload struct {
	name      string
	work      float64 // mean, in million instructions
	megabytes float64 // mean
}

// workloads are those of Table 2.
var workloads = []workload{
	{"CPU-intensive", 400_000, 10},
	{"data-intensive", 25_000, 100},
	{"CPU- and data-intensive", 400_000, 100},
}

// stream has the tasks of a run: Poisson arrivals, exponential sizes, sources and
// clusters at random.
type stream struct {
	at    []int        // the nodes with clusters
	tasks []route.Task // each is submitted when it is ready
}

// newStream draws n tasks on a network of so many nodes, rate of them in a second.
func newStream(w workload, nodes, n int, rate float64, seed uint64) stream {
	rng := rand.New(rand.NewPCG(seed, 2008))
	s := stream{at: rng.Perm(nodes)[:clusters]}
	seconds := 0.0
	for range n {
		seconds += rng.ExpFloat64() / rate
		burst := math.Ceil(rng.ExpFloat64() * w.megabytes * 1e6 / bytesPerTick)
		work := math.Ceil(rng.ExpFloat64() * w.work)
		t := route.Task{Source: rng.IntN(nodes), Burst: bookahead.Duration(max(1, burst)), Work: int64(max(1, work)), CPUs: 1}
		t.Ready = bookahead.Time(seconds * ticksPerSecond)
		t.Deadline = t.Ready + 2*(bookahead.Time(t.Burst)+bookahead.Time((t.Work-1)/speed+1))
		s.tasks = append(s.tasks, t)
	}
	return s
}
