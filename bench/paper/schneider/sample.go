package main

import (
	"math"
	"slices"
	"time"
)

// sample is a mean with the half width of its 95 % confidence interval.
type sample struct {
	values     []float64 // one for each repeat
	mean, half float64
}

// student95 are the quantiles of Student's distribution for 1, 2, ... degrees of
// freedom.
var student95 = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086}

func (s *sample) add(x float64) {
	s.values = append(s.values, x)
	n := float64(len(s.values))
	s.mean += (x - s.mean) / n
	if n < 2 {
		s.half = math.Inf(1)
		return
	}
	squares := 0.0
	for _, v := range s.values {
		squares += (v - s.mean) * (v - s.mean)
	}
	free := len(s.values) - 1
	t := 1.96 + 2.4/float64(free) // right to a hundredth where the table ends
	if free <= len(student95) {
		t = student95[free-1]
	}
	s.half = t * math.Sqrt(squares/(n-1)/n)
}

// pairs applies f repeat by repeat, as far as both go: they met the same jobs,
// so that it is the pairs that count.
func pairs(a, b sample, f func(a, b float64) float64) sample {
	var s sample
	for i := range min(len(a.values), len(b.values)) {
		s.add(f(a.values[i], b.values[i]))
	}
	return s
}

// readings is how often the clock is read to learn what that takes.
const readings = 1001

// clockOverhead returns what a pair of clock readings shows when nothing is done
// between them: the median, as in bench/replay.
func clockOverhead() time.Duration {
	empty := make([]time.Duration, readings)
	for i := range empty {
		started := time.Now()
		empty[i] = time.Since(started)
	}
	slices.Sort(empty)
	return empty[readings/2]
}

// interrupted is by how much a call that the machine broke off for others is
// longer than the median. No structure has calls that differ so much by
// themselves.
const interrupted = 100

// tick is a median that is too short to tell from the clock's own reading.
const tick = 10 * time.Nanosecond

// meanMicros returns the mean of the calls, which it sorts, less the overhead of
// each. One that was interrupted counts as the median.
func meanMicros(took []time.Duration, overhead time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	median := max(0, took[len(took)/2]-overhead)
	sum := time.Duration(0)
	for _, t := range took {
		t = max(0, t-overhead)
		if t > interrupted*max(median, tick) {
			t = median
		}
		sum += t
	}
	return float64(sum.Nanoseconds()) / 1000 / float64(len(took))
}
