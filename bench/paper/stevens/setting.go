package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/topology"
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
var sites = []topology.Node{
	{ID: "Poznan", Longitude: 16.93, Latitude: 52.41},
	{ID: "Prague", Longitude: 14.44, Latitude: 50.08},
	{ID: "Jülich", Longitude: 6.36, Latitude: 50.92},
	{ID: "Bonn", Longitude: 7.10, Latitude: 50.73},
	{ID: "Amsterdam", Longitude: 4.90, Latitude: 52.37},
	{ID: "Essex", Longitude: 0.90, Latitude: 51.89},
	{ID: "Barcelona", Longitude: 2.17, Latitude: 41.39},
	{ID: "Ghent", Longitude: 3.72, Latitude: 51.05},
	{ID: "Patras", Longitude: 21.73, Latitude: 38.25},
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
func phosphorus() topology.Graph {
	g := topology.Graph{Name: "Phosphorus (substitute)", Nodes: sites}
	index := map[string]int{}
	for i, n := range sites {
		index[n.ID] = i
	}
	for _, r := range roads {
		g.Links = append(g.Links, topology.Link{From: index[r[0]], To: index[r[1]]})
	}
	return g
}

// build returns a network of 1 Gb/s links with clusters at the nodes named, which
// are booked in slots of some ticks.
func build(g topology.Graph, at []int, slot bookahead.Duration) (*route.Network, error) {
	var links []route.Link
	for _, l := range g.Links {
		km := topology.Kilometres(g.Nodes[l.From], g.Nodes[l.To])
		if math.IsNaN(km) {
			return nil, fmt.Errorf("link %d of %s joins nodes without a place", len(links), g.Name)
		}
		delay := math.Ceil(km * delayPerKm)
		for _, ends := range [][2]int{{l.From, l.To}, {l.To, l.From}} {
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
	return route.New(len(g.Nodes), links, all, route.Config{Weights: 2, Slots: linkSlots})
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
