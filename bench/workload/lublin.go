package workload

import (
	"math"
	"math/rand/v2"

	"github.com/bookahead/bookahead"
)

// Lublin generates jobs after the model of Lublin and Feitelson ("The workload
// on parallel supercomputers: modeling the characteristics of rigid jobs",
// JPDC 63, 2003), with its published parameters: sizes favour powers of two,
// the logarithm of the run time is hyper-gamma and depends on the size, and
// arrivals follow a daily cycle. The zero value is a machine of 128 nodes at
// the load of the model, from a midnight on.
//
// The model does not say how much time users ask for. Here they ask for the run time
// and a random share of it, see Over.
type Lublin struct {
	Nodes int64  // of the machine; 0 means 128
	Seed  uint64 // of the random numbers
	// Load is the work of all jobs as a share of the work that the machine can do until
	// the last arrival, from 0.001 to 1000; 0 means the load of the model. The gaps
	// between arrivals are stretched to reach the load. Since arrivals follow the day, a
	// hundred jobs may miss the load by half, and ten thousand by a hundredth.
	Load float64
	// Over is by how much users overestimate, up to 1e6: an estimate lies
	// anywhere from the run time to 1 + Over times the run time (Feitelson and
	// Mu'alem's f-model). 0 means exact estimates.
	Over float64
}

// stream holds the parameters of the jobs, for 128 nodes.
type stream struct {
	serial, pow2             float64 // shares of all jobs
	low, med, high, medShare float64 // log2 of the sizes; med and high below that of the machine
	a1, b1, a2, b2, pa, pb   float64 // of the run time
	aarr, barr, arar         float64 // of the gaps between arrivals
	anum, bnum               float64 // of the daily cycle
}

// untyped is the stream of all jobs, batch and interactive.
var untyped = stream{0.244, 0.576, 0.8, -2.5, 0, 0.86, 4.2, 0.94, 312, 0.03, -0.0054, 0.78,
	10.2303, 0.4871, 1.0225, 8.1737, 3.9631}

const (
	maxLogRun = 12 // e^12 s are 45 hours
	maxLogGap = 13 // e^13 s are five days
)

// Generate returns n jobs, at most 1e8, in order of submission. A seed gives the
// same jobs for ever, and the same first jobs for every n unless Load is set;
// only a processor that rounds otherwise (such as one that fuses multiply and
// add) may give others. O(n).
func (l Lublin) Generate(n int) ([]Job, error) {
	if l.Nodes == 0 {
		l.Nodes = 128
	}
	switch {
	case n < 0 || n > 1e8:
		return nil, invalid("n", n, "is not between 0 and 1e8")
	case l.Nodes < 1 || l.Nodes > 1<<40:
		return nil, invalid("Lublin.Nodes", l.Nodes, "is not between 1 and 2^40")
	case l.Load != 0 && !(l.Load >= 0.001 && l.Load <= 1000):
		return nil, invalid("Lublin.Load", l.Load, "is not 0, nor between 0.001 and 1000")
	case !(l.Over >= 0 && l.Over <= 1e6):
		return nil, invalid("Lublin.Over", l.Over, "is not between 0 and 1e6")
	}
	jobs := l.draw(n, 1)
	if l.Load == 0 || n == 0 {
		return jobs, nil
	}
	work := 0.0
	for _, j := range jobs {
		work += float64(j.Run) * float64(j.Units)
	}
	natural := work / (float64(l.Nodes) * float64(max(jobs[n-1].Submit, 1)))
	return l.draw(n, natural/l.Load), nil // the same jobs, further apart
}

// draw makes the jobs, with gaps that are stretched.
func (l Lublin) draw(n int, stretch float64) []Job {
	s := &source{
		stream: untyped, rng: rand.New(rand.NewPCG(l.Seed, 0)), nodes: float64(l.Nodes), over: l.Over,
		stretch: stretch, clock: newCycle(untyped.anum, untyped.bnum),
	}
	jobs := make([]Job, n)
	for k := range jobs {
		jobs[k] = s.next()
	}
	return jobs
}

// source yields the jobs of a stream.
type source struct {
	stream
	rng     *rand.Rand
	nodes   float64
	over    float64
	stretch float64 // of gaps
	clock   cycle
}

func (s *source) next() Job {
	submit := s.clock.pass(s.gap() / halfHour * s.stretch)
	size := s.size()
	run := s.run(size)
	estimate := run * (1 + s.over*s.rng.Float64())
	return Job{
		Submit:   submit,
		Run:      bookahead.Duration(run),
		Estimate: bookahead.Duration(math.Ceil(estimate)),
		Units:    int64(size),
	}
}

// gap returns the seconds to the next job, at the mean pace of a day.
func (s *source) gap() float64 {
	for {
		x := gamma(s.rng, s.aarr*s.arar, s.barr)
		if x <= maxLogGap {
			return math.Exp(x)
		}
	}
}

// size returns a number of nodes. A power of two that exceeds the machine becomes the whole
// machine.
func (s *source) size() float64 {
	u := s.rng.Float64()
	if u <= s.serial {
		return 1
	}
	machine := math.Log2(s.nodes)
	high := max(machine+s.high, s.low)
	med := min(max(machine+s.med, s.low), high)
	from, to := s.low, med
	if s.rng.Float64() > s.medShare {
		from, to = med, high
	}
	x := from + (to-from)*s.rng.Float64()
	if u <= s.serial+s.pow2 {
		x = math.Round(x)
	}
	return min(math.Round(math.Exp2(x)), s.nodes)
}

// run returns whole seconds, at least 1.
func (s *source) run(size float64) float64 {
	short := s.pa*size + s.pb
	for {
		a, b := s.a2, s.b2
		if s.rng.Float64() < short {
			a, b = s.a1, s.b1
		}
		x := gamma(s.rng, a, b)
		if x <= maxLogRun {
			return math.Floor(math.Exp(x))
		}
	}
}
