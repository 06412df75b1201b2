package workload

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead"
)

// Gang is a job of tasks that run side by side, each on a node of its own.
type Gang struct {
	// Booking has the times. Units counts the GPUs of all tasks, and is 1 for a gang that wants
	// none. A gang that is not booked ahead has no Deadline.
	Booking
	// Tasks is the number of nodes, at least 1.
	Tasks int64
	// GPUs and Cores are those of each task: at most 8 and 64.
	GPUs, Cores int64
	// OneRack asks for all nodes in one rack. Such a gang has 20 tasks at most.
	OneRack bool
}

// Gangs generates the jobs of a cluster with nodes of 8 GPUs and 64 cores, in racks of 20. A tick is
// a second. No trace has such jobs with all their vectors, so all of it is assumed:
//
//	30 %    cores only: 1, 2, 4, ... or 64
//	45 %    a part of a node: 1 to 7 GPUs, with 1 to 8 cores each
//	25 %    whole nodes
//	10 %    of all lie in one rack
//	runs    log-normal, with a median of an hour, from a minute to three days
//	tasks   bounded Pareto, up to 256 or half of the nodes: most gangs have one
//
// With 2 000 nodes, a gang has 13 tasks on average, and works for about 140 GPU-hours.
type Gangs struct {
	Nodes int    // of the machine, from 2 to 2^20
	Seed  uint64 // of the random numbers
	// Load is the work of all gangs over the work that the machine can do until the last of them is
	// submitted, in GPU-seconds, from 0.001 to 1000. The load of cores is nearly the same.
	Load float64
	// Ahead is the share of the gangs that are booked ahead, from 0 to 1. These are ready up to two
	// days after their submission, and must end within half of their estimate after they could
	// have ended at the earliest.
	Ahead float64
}

// The machine of Gangs, and the largest of them.
const (
	nodeGPUs, nodeCores = 8, 64
	rackNodes           = 20
	mostTasks           = 256
)

// Durations of Gangs, in seconds.
const (
	medianRun, shortest = 3600, 60
	longest             = 3 * 86_400
	gangsAhead          = 2 * 86_400
	gangsSlack          = 0.5 // of the estimate
)

// Generate returns n gangs, at most 1e7, in order of submission. The same seed gives the same gangs,
// whatever the load, but for their times. Estimates are 1 to 3 times the runs. O(n log n).
func (g Gangs) Generate(n int) ([]Gang, error) {
	switch {
	case n < 0 || n > 1e7:
		return nil, invalid("n", n, "is not between 0 and 1e7")
	case g.Nodes < 2 || g.Nodes > 1<<20:
		return nil, invalid("Gangs.Nodes", g.Nodes, "is not between 2 and 2^20")
	case !(g.Load >= 0.001 && g.Load <= 1000):
		return nil, invalid("Gangs.Load", g.Load, "is not between 0.001 and 1000")
	case !(g.Ahead >= 0 && g.Ahead <= 1):
		return nil, invalid("Gangs.Ahead", g.Ahead, "is not between 0 and 1")
	}
	rng := rand.New(rand.NewPCG(g.Seed, 0x9a96))
	gangs, jobs := make([]Gang, n), make([]Job, n)
	work := 0.0 // GPU-seconds
	for i := range gangs {
		gangs[i] = g.Draw(rng)
		jobs[i] = gangs[i].Job
		jobs[i].Estimate = bookahead.Duration(math.Ceil(float64(jobs[i].Run) * (1 + 2*rng.Float64())))
		work += float64(gangs[i].Tasks*gangs[i].GPUs) * float64(jobs[i].Run)
	}
	for i, at := range poisson(rng, n, work/(g.Load*float64(g.Nodes*nodeGPUs))) {
		jobs[i].Submit = at
	}
	bookings, err := Reservations{Fraction: g.Ahead, Ahead: gangsAhead, Slack: gangsSlack, Seed: g.Seed}.Book(jobs)
	for i, b := range bookings {
		gangs[i].Booking = b
	}
	return gangs, err
}

// Draw draws a gang with a Run, and with no other times, for a machine of at least 2 nodes. O(1).
func (g Gangs) Draw(rng *rand.Rand) Gang {
	var x Gang
	kind := rng.Float64()
	switch {
	case kind < 0.30:
		x.Cores = 1 << rng.IntN(7)
	case kind < 0.75:
		x.GPUs = 1 + rng.Int64N(nodeGPUs-1)
		x.Cores = x.GPUs * (1 + rng.Int64N(nodeCores/nodeGPUs))
	default:
		x.GPUs, x.Cores = nodeGPUs, nodeCores
	}
	most := min(mostTasks, g.Nodes/2)
	if rng.Float64() < 0.10 {
		x.OneRack, most = true, min(most, rackNodes)
	}
	x.Tasks = tasks(rng, most)
	x.Units = max(1, x.Tasks*x.GPUs)
	x.Run = bookahead.Duration(max(shortest, min(longest, medianRun*math.Exp(1.5*rng.NormFloat64()))))
	return x
}

// tasks draws a number of tasks from 1 to most. Twice as many are 0.68 times as likely: one node is
// the most common gang, and the mean is 13 of 256.
func tasks(rng *rand.Rand, most int) int64 {
	const tail = 0.55 // a bounded Pareto distribution
	all := 1 - math.Pow(float64(most+1), -tail)
	return min(int64(most), int64(math.Pow(1-rng.Float64()*all, -1/tail)))
}

// poisson draws the n times of a Poisson process that has n of them between 0 and end, in order: any
// such times are as likely as any others.
func poisson(rng *rand.Rand, n int, end float64) []bookahead.Time {
	times := make([]bookahead.Time, n)
	for i := range times {
		times[i] = bookahead.Time(rng.Float64() * end)
	}
	slices.Sort(times)
	return times
}
