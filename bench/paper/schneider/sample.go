package main

import "math"

// sample is a mean with the half width of its 95 % confidence interval.
type sample struct {
	n          int
	sum, sumSq float64
	mean, half float64
}

// student95 are the quantiles of Student's distribution for 1, 2, ... degrees of
// freedom.
var student95 = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086}

func (s *sample) add(x float64) {
	s.n++
	s.sum += x
	s.sumSq += x * x
	s.mean = s.sum / float64(s.n)
	if s.n < 2 {
		s.half = math.Inf(1)
		return
	}
	t := 1.96
	if s.n-2 < len(student95) {
		t = student95[s.n-2]
	}
	variance := max(0, (s.sumSq-s.sum*s.mean)/float64(s.n-1))
	s.half = t * math.Sqrt(variance/float64(s.n))
}

// apart reports whether s is larger than o beyond what their intervals allow.
func (s sample) apart(o sample) bool { return s.mean-s.half > o.mean+o.half }
