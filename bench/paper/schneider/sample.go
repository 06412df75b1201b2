package main

import "math"

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
	t := 1.96
	if k := len(s.values) - 2; k < len(student95) {
		t = student95[k]
	}
	s.half = t * math.Sqrt(squares/(n-1)/n)
}

// above reports whether s is larger than o, beyond chance. Both met the same
// jobs, so it is the differences that count, repeat by repeat.
func (s sample) above(o sample) bool {
	var d sample
	for i, v := range s.values {
		d.add(v - o.values[i])
	}
	return d.mean > d.half
}
