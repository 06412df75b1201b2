package window

import "math"

// knapsack is problem (1) of §3.3: out of its items, n with the greatest value
// whose costs are within the budget. All numbers are real.
type knapsack struct {
	n      int
	budget float64
	z, c   []float64 // of each item: value and cost

	// lambda is the price of a unit of budget at which the relaxation is least.
	// It is where the next relaxation begins.
	lambda float64
	bound  float64 // at least the optimum; -Inf if no n items are affordable

	found  bool // something affordable, of more value than floor
	value  float64
	shift  float64 // |z| of what is added to the value elsewhere
	scale  float64 // shift + Σ|z| of what is found, and before that of what it must beat
	chosen []int32

	fair   []int32 // the last affordable choice of the relaxation
	picker picker
	picked float64 // the price for which it was the last to pick
	last   float64 // the bound at that price
	core   core
}

// reset empties the knapsack.
func (k *knapsack) reset(n int, budget float64) {
	k.n, k.budget, k.scale, k.shift = n, budget, 0, 0
	k.found, k.value = false, math.Inf(-1)
	k.z, k.c, k.fair = k.z[:0], k.c[:0], k.fair[:0]
}

// add puts an item up for choice.
func (k *knapsack) add(value, cost float64) {
	k.z, k.c = append(k.z, value), append(k.c, cost)
}

// pair is the value and the cost of n items, and Σ|z|.
type pair struct{ z, c, scale float64 }

// ulp is the rounding of a sum, relative to the sum of the magnitudes and for each
// number in it.
const ulp = 1.0 / (1 << 52)

// rounding is at most by how much a bound at that price is wrong, because sums of
// n numbers are rounded.
func (k *knapsack) rounding(p pair, lambda float64) float64 {
	return ulp * float64(k.n+2) * (k.shift + p.scale + lambda*(k.budget+p.c))
}

// at returns the n items with the greatest z - lambda c: those that the
// relaxation L(lambda) = lambda budget + max Σ(z - lambda c) chooses.
func (k *knapsack) at(lambda float64) (p pair) {
	keys, c := k.picker.room(len(k.z)), k.c[:len(k.z)]
	for i, z := range k.z {
		keys[i] = z - lambda*c[i]
	}
	k.picker.pick(k.n)
	k.picked = lambda
	return k.sum(k.picker.heap)
}

// least returns the n cheapest items: those that L chooses for ever higher
// prices.
func (k *knapsack) least() (p pair) {
	keys := k.picker.room(len(k.c))
	for i, c := range k.c {
		keys[i] = -c
	}
	k.picker.pick(k.n)
	k.picked = math.Inf(1)
	return k.sum(k.picker.heap)
}

// relax finds the least Lagrangian bound, or the first that is at most floor. L
// is convex and piecewise linear, and each choice of n items is a line of it.
// Where the lines of one choice that is too dear and of one that is affordable
// meet is the next price to try, and L is nowhere less than there. If it is sure
// that the bound stays above floor, it may be too high by the part rough of what
// it is above. What is affordable on the way is kept, if it is worth more than
// floor. O(m) for each price tried, a few.
func (k *knapsack) relax(floor, rough float64) {
	const (
		most     = 64    // prices, if rounding should keep the lines from meeting
		steepest = 1e300 // the greatest that a budget may be worth, so that nothing overflows
	)
	k.bound = math.Inf(1)
	if len(k.z) < k.n {
		k.bound = math.Inf(-1)
		return
	}
	var dear, fair pair
	var haveDear, haveFair bool
	factor := 1.125 // by which a price is raised or lowered until both are known
	for try, lambda := 0, k.lambda; try < most; try++ {
		p, before := k.at(lambda), k.bound
		k.last = p.z + lambda*(k.budget-p.c)
		k.last += k.rounding(p, lambda)
		if k.last < k.bound {
			k.bound, k.lambda = k.last, lambda
		}
		if p.c <= k.budget {
			k.keep(p, floor)
			fair, haveFair = p, true
		} else {
			dear, haveDear = p, true
		}
		if k.bound <= floor || p.c <= k.budget && lambda == 0 {
			return
		}
		if !haveFair || !haveDear {
			factor *= factor
			switch {
			case haveDear && (try == 2 || lambda == 0):
				if fair, haveFair = k.least(), true; fair.c > k.budget {
					k.bound = math.Inf(-1)
					return
				}
				k.keep(fair, floor)
			case haveDear:
				lambda *= factor
				continue
			case try == 2:
				lambda = 0
				continue
			default:
				lambda /= factor
				continue
			}
		}
		lambda = (dear.z - fair.z) / (dear.c - fair.c)
		if !(lambda >= 0 && lambda*k.budget <= steepest) {
			return
		}
		meet := fair.z + lambda*(k.budget-fair.c)
		if k.bound-meet <= max(slack*math.Abs(k.bound), rough*(meet-floor)) || try > 4 && k.bound == before {
			return
		}
	}
}

// keep keeps the items picked if they are the best.
func (k *knapsack) keep(p pair, floor float64) {
	k.fair = append(k.fair[:0], k.picker.heap...)
	if p.z > floor && (!k.found || p.z > k.value) {
		k.found, k.value, k.scale = true, p.z, k.shift+p.scale
		k.chosen = append(k.chosen[:0], k.picker.heap...)
	}
}
