package trial

import "math"

// Sample is a mean with the half width of its 95 % confidence interval. The zero
// value is empty.
type Sample struct {
	Values     []float64 // one for each repeat
	Mean, Half float64
}

// student95 are the quantiles of Student's distribution for 1, 2, ... degrees of
// freedom.
var student95 = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086}

// Add enters the number of one repeat. Half is infinite until there are two.
func (s *Sample) Add(x float64) {
	s.Values = append(s.Values, x)
	n := float64(len(s.Values))
	s.Mean += (x - s.Mean) / n
	if n < 2 {
		s.Half = math.Inf(1)
		return
	}
	squares := 0.0
	for _, v := range s.Values {
		squares += (v - s.Mean) * (v - s.Mean)
	}
	free := len(s.Values) - 1
	t := 1.96 + 2.4/float64(free) // right to a hundredth where the table ends
	if free <= len(student95) {
		t = student95[free-1]
	}
	s.Half = t * math.Sqrt(squares/(n-1)/n)
	if s.Half < rounding*math.Abs(s.Mean) {
		s.Half = 0
	}
}

// rounding is the part by which equal numbers may differ, as they were added up in
// another order.
const rounding = 1e-12

// Exact is a sample of a number that does not depend on chance: its interval has no
// width.
func Exact(x float64) Sample { return Sample{Values: []float64{x}, Mean: x} }

// Each has a number of each world: of one repeat, or whatever else a sample is of. If of
// is nil, all are 0.
func Each[W any](worlds []W, of func(w W) float64) Sample {
	var s Sample
	for _, w := range worlds {
		x := 0.0
		if of != nil {
			x = of(w)
		}
		s.Add(x)
	}
	return s
}

// Pairs applies f repeat by repeat, as far as both go: they met the same work, so
// that it is the pairs that count. Of numbers that do not depend on chance, the pairs
// do not either.
func Pairs(a, b Sample, f func(a, b float64) float64) Sample {
	var s Sample
	for i := range min(len(a.Values), len(b.Values)) {
		s.Add(f(a.Values[i], b.Values[i]))
	}
	if len(s.Values) == 1 && a.Half == 0 && b.Half == 0 {
		s.Half = 0
	}
	return s
}
