package workload

import (
	"math"
	"math/rand/v2"
)

// gamma draws from the gamma distribution of shape a >= 1 and scale b
// (Marsaglia and Tsang, "A simple method for generating gamma variables", 2000).
func gamma(rng *rand.Rand, a, b float64) float64 {
	d := a - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return b * d * v
		}
	}
}

// gammaMass returns the mass of the gamma distribution of shape a and scale b
// between x and y, without the factor 1/(Γ(a) b^a), by Simpson's
// rule. The rule is exact enough where the density is smooth: 0 < x < y,
// and y-x is small beside b.
func gammaMass(a, b, x, y float64) float64 {
	const steps = 16
	h := (y - x) / steps
	sum := 0.0
	for i := 0; i <= steps; i++ {
		t := x + float64(i)*h
		weight := 2 + 2*float64(i%2)
		if i == 0 || i == steps {
			weight = 1
		}
		sum += weight * math.Exp((a-1)*math.Log(t)-t/b)
	}
	return sum * h / 3
}
