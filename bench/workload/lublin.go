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
// the load of the model.
type Lublin struct {
	Nodes int64 // of the machine; 0 means 128
	Seed  uint64
	// Types makes two streams, of batch and interactive jobs, instead of one
	// stream of all.
	Types bool
	// Load is the work of all jobs as a share of what the machine can do until
	// the last arrival; 0 means as the model gives. The gaps between arrivals
	// are stretched to reach it.
	Load float64
	// Over is by how much users overestimate: an estimate lies anywhere from
	// the run time to 1 + Over times that (Feitelson and Mu'alem's f-model). 0
	// means that they know.
	Over float64
}

// stream holds the parameters of one kind of jobs, for 128 nodes.
type stream struct {
	serial, pow2             float64 // shares of all jobs
	low, med, high, medShare float64 // log2 of the sizes; med and high below that of the machine
	a1, b1, a2, b2, pa, pb   float64 // of the run time
	aarr, barr, arar         float64 // of the gaps between arrivals
	anum, bnum               float64 // of the daily cycle
}

var (
	untyped = stream{0.244, 0.576, 0.8, -2.5, 0, 0.86, 4.2, 0.94, 312, 0.03, -0.0054, 0.78,
		10.2303, 0.4871, 1.0225, 8.1737, 3.9631}
	batch = stream{0.2927, 0.6686, 1.2, -2, 0, 0.875, 6.57, 0.823, 639.1, 0.0156, -0.003, 0.6986,
		6.0415, 0.8531, 1.0519, 6.1271, 5.2740}
	interactive = stream{0.1541, 0.625, 1, -4, -1.5, 0.705, 3.8351, 0.6605, 7.073, 0.6856, -0.0118, 0.9156,
		6.5510, 0.6621, 0.9797, 8.9186, 3.6680}
)

const (
	maxLogRun = 12   // e^12 s are 45 hours
	maxLogGap = 13   // e^13 s are five days
	halfHour  = 1800 // seconds
)

// Generate returns n jobs in order of submission. O(n).
func (l Lublin) Generate(n int) ([]Job, error) {
	if l.Nodes == 0 {
		l.Nodes = 128
	}
	switch {
	case n < 0:
		return nil, invalid("n", n, "is negative")
	case l.Nodes < 1 || l.Nodes > 1<<40:
		return nil, invalid("Lublin.Nodes", l.Nodes, "is not between 1 and 2^40")
	case !(l.Load >= 0) || math.IsInf(l.Load, 0):
		return nil, invalid("Lublin.Load", l.Load, "is no load")
	case !(l.Over >= 0 && l.Over <= 1e6):
		return nil, invalid("Lublin.Over", l.Over, "is not between 0 and 1e6")
	}
	streams := []stream{untyped}
	if l.Types {
		streams = []stream{batch, interactive}
	}
	sources := make([]*source, len(streams))
	for i, s := range streams {
		sources[i] = newSource(s, l, uint64(i))
	}
	jobs := l.merge(sources, n)
	if l.Load > 0 && n > 0 {
		// Work over time is the load; time grows with the gaps.
		work := 0.0
		for _, j := range jobs {
			work += float64(j.Run) * float64(j.Units)
		}
		natural := work / (float64(l.Nodes) * float64(max(jobs[n-1].Submit, 1)))
		for i, s := range streams {
			sources[i] = newSource(s, l, uint64(i))
			sources[i].stretch = natural / l.Load
		}
		jobs = l.merge(sources, n)
	}
	return jobs, nil
}

// merge takes n jobs from the sources, the next arrival first.
func (l Lublin) merge(sources []*source, n int) []Job {
	jobs := make([]Job, n)
	next := make([]Job, len(sources))
	for i, s := range sources {
		next[i] = s.next()
	}
	for k := range jobs {
		first := 0
		for i := range next {
			if next[i].Submit < next[first].Submit {
				first = i
			}
		}
		jobs[k] = next[first]
		next[first] = sources[first].next()
	}
	return jobs
}

// source draws the jobs of a stream.
type source struct {
	stream
	rng     *rand.Rand
	nodes   float64
	over    float64
	stretch float64     // of gaps
	weights [48]float64 // how many arrivals fall into each half hour of a day, 1 on average
	bucket  int         // the half hour of the last arrival, from the start on
	spent   float64     // of its weight
}

func newSource(p stream, l Lublin, number uint64) *source {
	s := &source{stream: p, rng: rand.New(rand.NewPCG(l.Seed, number)), nodes: float64(l.Nodes), over: l.Over, stretch: 1}
	sum := 0.0
	for i := 11; i < 11+len(s.weights); i++ { // the density has its day begin at 5:30
		w := gammaMass(p.anum, p.bnum, float64(i)-0.5, float64(i)+0.5)
		s.weights[(i-1)%len(s.weights)] = w
		sum += w
	}
	for i := range s.weights {
		s.weights[i] *= float64(len(s.weights)) / sum
	}
	return s
}

func (s *source) next() Job {
	submit := s.arrival()
	size := s.size()
	run := s.run(size)
	estimate := run * (1 + s.over*s.rng.Float64())
	return Job{Submit: submit, Run: bookahead.Duration(run), Estimate: bookahead.Duration(math.Ceil(estimate)), Units: int64(size)}
}

// arrival pays the gap to the next job in the weights of the half hours that
// pass, so that heavy ones see more arrivals.
func (s *source) arrival() bookahead.Time {
	gap := s.gamma(s.aarr*s.arar, s.barr)
	for gap > maxLogGap {
		gap = s.gamma(s.aarr*s.arar, s.barr)
	}
	s.spent += math.Exp(gap) / halfHour * s.stretch
	for s.spent >= s.weights[s.bucket%len(s.weights)] {
		s.spent -= s.weights[s.bucket%len(s.weights)]
		s.bucket++
	}
	part := s.spent / s.weights[s.bucket%len(s.weights)]
	return bookahead.Time(halfHour * (float64(s.bucket) + part))
}

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

func (s *source) run(size float64) float64 {
	p := s.pa*size + s.pb
	for {
		a, b := s.a2, s.b2
		if s.rng.Float64() < p {
			a, b = s.a1, s.b1
		}
		if x := s.gamma(a, b); x <= maxLogRun {
			return math.Floor(math.Exp(x))
		}
	}
}

// gamma draws from the gamma distribution of shape a >= 1 and scale b
// (Marsaglia and Tsang, 2000).
func (s *source) gamma(a, b float64) float64 {
	d := a - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-s.rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return b * d * v
		}
	}
}

// gammaMass returns what the density of the gamma distribution of shape a and
// scale b holds from x to y, up to a constant factor (Simpson's rule).
func gammaMass(a, b, x, y float64) float64 {
	const steps = 16
	h := (y - x) / steps
	sum := 0.0
	for i := 0; i <= steps; i++ {
		t := x + float64(i)*h
		w := 2.0 + 2*float64(i%2)
		if i == 0 || i == steps {
			w = 1
		}
		sum += w * math.Exp((a-1)*math.Log(t)-t/b)
	}
	return sum * h / 3
}
