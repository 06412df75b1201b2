package workload

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead"
)

// Feitelson generates jobs after the model of Feitelson ("Packing schemes for
// gang scheduling", JSSPP 1996), the workload of Schneider and Linnert's
// experiments. Sizes are harmonic of order 1.5 and favour powers of two, run
// times are hyper-exponential and grow with the size, and a job is submitted
// again and again.
//
// The original program is not available. Certain are the form of the
// distributions and their order; assumed here are the weight of powers of two
// (3), the share of long jobs (from 5 % for the smallest to 25 % for the
// largest, as the 1997 variant has it), and their length (7 times that of short
// ones).
type Feitelson struct {
	Nodes int64  // of the machine; 0 means 128, at most 2^20
	Seed  uint64 // of the random numbers
	// Gap is the mean time between first submissions, in seconds, which are a
	// Poisson process; it must be positive.
	Gap float64
	// Short is the mean run time of short jobs, in seconds; 0 means 1800.
	Short float64
}

const (
	sizeOrder   = 1.5
	pow2Weight  = 3
	repeatOrder = 2.5
	maxRepeats  = 100
	longFactor  = 7
)

// Generate returns n jobs, at most 1e8, in order of submission. The same seed
// gives the same jobs. O(n) but for repetitions to come, which are kept in order.
func (f Feitelson) Generate(n int) ([]Job, error) {
	if f.Nodes == 0 {
		f.Nodes = 128
	}
	if f.Short == 0 {
		f.Short = 1800
	}
	switch {
	case n < 0 || n > 1e8:
		return nil, invalid("n", n, "is not between 0 and 1e8")
	case f.Nodes < 1 || f.Nodes > 1<<20:
		return nil, invalid("Feitelson.Nodes", f.Nodes, "is not between 1 and 2^20")
	case !(f.Gap > 0 && f.Gap <= 1e9):
		return nil, invalid("Feitelson.Gap", f.Gap, "is not between 0 and 1e9")
	case !(f.Short > 0 && f.Short <= 1e9):
		return nil, invalid("Feitelson.Short", f.Short, "is not between 0 and 1e9")
	}
	rng := rand.New(rand.NewPCG(f.Seed, 0xfe17))
	sizes := cumulative(int(f.Nodes), func(k float64) float64 {
		w := math.Pow(k, -sizeOrder)
		if bits.OnesCount64(uint64(k)) == 1 {
			w *= pow2Weight
		}
		return w
	})
	repeats := cumulative(maxRepeats, func(k float64) float64 { return math.Pow(k, -repeatOrder) })
	var jobs []Job
	// A repetition may come later than a first submission that is drawn after it. Jobs that are
	// submitted before the next first submission are settled: nothing comes between them any more.
	for first, settled := 0.0, 0; settled < n; {
		first += f.Gap * rng.ExpFloat64()
		for settled < len(jobs) && jobs[settled].Submit <= bookahead.Time(first) {
			settled++
		}
		size := pick(sizes, rng)
		mean := f.Short
		if rng.Float64() > 0.95-0.20*float64(size)/float64(f.Nodes) {
			mean *= longFactor
		}
		run := max(1, bookahead.Duration(math.Ceil(mean*rng.ExpFloat64())))
		submit := bookahead.Time(first)
		for range pick(repeats, rng) {
			at, _ := slices.BinarySearchFunc(jobs[settled:], submit, func(j Job, t bookahead.Time) int { return cmp.Compare(j.Submit, t) })
			jobs = slices.Insert(jobs, settled+at, Job{Submit: submit, Run: run, Estimate: run, Units: size})
			submit += bookahead.Time(run)
		}
	}
	return jobs[:n], nil
}

// cumulative returns the shares of 1 to n, added up.
func cumulative(n int, weight func(k float64) float64) []float64 {
	sums := make([]float64, n)
	sum := 0.0
	for k := range sums {
		sum += weight(float64(k + 1))
		sums[k] = sum
	}
	for k := range sums {
		sums[k] /= sum
	}
	return sums
}

// pick draws from 1 to n.
func pick(sums []float64, rng *rand.Rand) int64 {
	k, _ := slices.BinarySearch(sums, rng.Float64())
	return int64(min(k, len(sums)-1)) + 1
}
