package window

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// knapsack is problem (1) of §3.3: choose n items with the greatest total value
// whose costs are within the budget. Prices and values are real numbers, so no
// table can solve the problem. Instead an upper bound and a choice approach each other:
//
//	relax.go     a price for the budget gives an upper bound in O(m)
//	exchange.go  single exchanges improve the best affordable choice
//	solve.go     says when the two have met, and how far apart they can still be
//	states.go    enumeration closes the rest of the gap
//
// The letters B1 to B7 refer to the invariants at the top of exact.go.
type knapsack struct {
	input
	relaxation
	incumbent
	bound float64 // B7: no choice is worth more; only solve writes it
	core  core
	parts []part        // of a branch (classes.go): each has a number of its own; nil otherwise
	meter *effort.Meter // of the search; newKnapsack sets it, here and in the probe
}

func newKnapsack(m *effort.Meter) knapsack {
	k := knapsack{meter: m}
	k.probe.meter = m
	return k
}

// input is one problem. reset and add write it; the owner sets shift after reset.
type input struct {
	n      int
	budget float64
	z, c   []float64 // value and cost of each item
	shift  float64   // the magnitude of a value that the owner adds to every choice
}

// relaxation is the state of B1. relax writes all of it for each problem. It begins at
// the lambda of the problem before, since prices of neighbouring starts and boxes are alike.
type relaxation struct {
	lambda  float64 // the price of a unit of budget with the least bound so far
	relaxed float64 // that bound; -Inf if no n items are affordable
	fair    []int32 // the last affordable choice, for exchange to improve
	probe   probe
}

// probe is the last price tried, with the n items picked at it.
type probe struct {
	picker
	price float64 // +Inf after cheapest
	bound float64 // L(price) and its rounding, by relax; stale if price is +Inf
}

// incumbent is the best choice so far (B6). Only keep and keepState (merge.go) write it;
// reset clears it.
type incumbent struct {
	found  bool
	value  float64 // -Inf if there is none
	scale  float64 // shift + Σ|z| of the choice, the measure of its rounding
	chosen []int32
}

// reset empties the knapsack. lambda stays, for relax to begin there, and so does
// core.steps, which counts over all problems of a search.
func (k *knapsack) reset(n int, budget float64) {
	k.n, k.budget, k.shift = n, budget, 0
	k.z, k.c, k.fair = k.z[:0], k.c[:0], k.fair[:0]
	k.found, k.value, k.scale = false, math.Inf(-1), 0
}

// add puts an item up for choice.
func (k *knapsack) add(value, cost float64) {
	k.z, k.c = append(k.z, value), append(k.c, cost)
}

// pair is the value and the cost of n items, and Σ|z|.
type pair struct{ z, c, scale float64 }

// ulp is the rounding for each number in a sum, relative to the sum of the magnitudes.
const ulp = 1.0 / (1 << 52)

// rounding bounds the error of L at that price. B1 must hold for the numbers that
// the machine computes, and each of the n+2 additions may lose half an ulp.
func (k *knapsack) rounding(p pair, lambda float64) float64 {
	return ulp * float64(k.n+2) * (k.shift + p.scale + lambda*(k.budget+p.c))
}

// choose picks the n items with the greatest z - lambda c. It returns false if the
// search must stop, and leaves the probe incomplete.
func (k *knapsack) choose(lambda float64) (p pair, ok bool) {
	keys, c := k.probe.room(len(k.z)), k.c[:len(k.z)]
	for from := 0; from < len(keys); from += effort.Chunk {
		to := min(from+effort.Chunk, len(keys))
		if !k.probe.meter.Go(to - from) {
			return pair{}, false
		}
		for i := from; i < to; i++ {
			keys[i] = k.z[i] - lambda*c[i]
		}
	}
	return k.picked(lambda)
}

// picked picks by the keys of the probe. Each part of a branch has a number of its own, so its
// items are picked apart from the others.
func (k *knapsack) picked(price float64) (p pair, ok bool) {
	k.probe.price = price
	if k.parts == nil {
		ok = k.probe.pick(k.n)
	} else {
		ok = k.pickParts()
	}
	if !ok {
		return pair{}, false
	}
	return k.sum(k.probe.heap), true
}

// cheapest picks the n cheapest items: the choice at an infinite price. If even these
// are too dear, no choice is affordable.
func (k *knapsack) cheapest() (p pair, ok bool) {
	keys := k.probe.room(len(k.c))
	for i, c := range k.c {
		keys[i] = -c
	}
	return k.picked(math.Inf(1))
}

// relax makes B1 for one problem. For a price lambda >= 0 let
//
//	L(lambda) = lambda budget + the greatest Σ(z - lambda c) of n items.
//
// An affordable choice has lambda (budget - Σc) >= 0, so L(lambda) is at least its
// Σz. Every L is a bound, and relax looks for the least of them.
//
// Each choice is a line Σz + lambda (budget - Σc), and L is the upper edge of all
// these lines: convex, falling where the choice is too dear (its cost exceeds the
// budget), rising where it is fair (affordable). Choose 3 of these 6 within 8:
//
//	       a   b   c   d   e   f
//	z     13   7   6   5   4   3
//	cost   7   6   5   3   2   1
//
//	   L
//	26 ┤●              price 0: abc, 26 - 10 lambda, too dear
//	   │ ╲             and def, the cheapest, 12 + 2 lambda
//	   │  ╲
//	18 ┤   ╲ ●         price 7/6, where abc meets def: aef, 20 - 2 lambda, too dear
//	16 ┤        ●      price 2, where aef meets def: the least L is 16
//	   │     def
//	12 ┤ def           no line of def lies above L
//	   └┬────┬──┬── lambda
//	    0   7/6 2
//
// The next price is where the line of the last dear choice meets the line of the last
// fair choice. L is nowhere less than the meeting point, because L lies above both lines.
// So relaxed is the least L once L and the meeting point agree. The optimum here is 13
// (cef). No Lagrangian bound is less than 16; states.go closes this gap of 3.
//
// relax stops before that in four cases, and relaxed is still a bound:
//
//   - relaxed is at most floor: the owner has no use for the problem (B3).
//   - rough is above 0, and relaxed exceeds the least L by at most
//     rough × (least L - floor): enough to rank a box (outer.go).
//   - A sixth price, or a later one, did not lower relaxed. In one random problem of
//     ninety (TestPriceInvariant) the least L is lower then, by 1.2 % at most.
//   - The search must stop. relaxed is +Inf if it has no price yet.
//
// Affordable choices on the way are kept, if they are worth more than floor.
// O(m) for each of a few prices.
func (k *knapsack) relax(floor, rough float64) {
	const (
		most     = 64    // prices, if rounding keeps the lines from meeting
		steepest = 1e300 // the most that the budget may be worth, so that nothing overflows
	)
	k.relaxed = math.Inf(1)
	if len(k.z) < k.n {
		k.relaxed = math.Inf(-1)
		return
	}
	var dear, fair pair
	var haveDear, haveFair bool
	// Until both lines are known, a price is raised or lowered by factor, which is squared
	// each time: neighbouring problems need small steps, and a far price is reached all the same.
	factor := 1.125
	lambda := k.lambda
	for try := range most {
		before := k.relaxed
		p, ok := k.choose(lambda)
		if !ok {
			return
		}
		k.probe.bound = p.z + lambda*(k.budget-p.c)
		k.probe.bound += k.rounding(p, lambda)
		if k.probe.bound < k.relaxed {
			k.relaxed, k.lambda = k.probe.bound, lambda
		}
		if p.c <= k.budget {
			k.keepPicked(p, floor)
			fair, haveFair = p, true
		} else {
			dear, haveDear = p, true
		}
		if k.relaxed <= floor {
			return
		}
		if p.c <= k.budget && lambda == 0 {
			return // the n items of the greatest value are affordable: no choice is better
		}
		if !haveFair && (try == 2 || lambda == 0) {
			// Raising the price has not helped twice, or cannot: 0 stays 0.
			fair, haveFair = k.cheapest()
			if !haveFair {
				return
			}
			if fair.c > k.budget {
				k.relaxed = math.Inf(-1)
				return
			}
			k.keepPicked(fair, floor)
		}
		if !haveFair {
			factor *= factor
			lambda *= factor
			continue
		}
		if !haveDear {
			factor *= factor
			lambda /= factor
			if try == 2 {
				lambda = 0 // the lowest price there is
			}
			continue
		}
		lambda = (dear.z - fair.z) / (dear.c - fair.c)
		if !(lambda >= 0 && lambda*k.budget <= steepest) {
			return
		}
		meet := fair.z + lambda*(k.budget-fair.c)
		if k.relaxed-meet <= max(slack*math.Abs(k.relaxed), rough*(meet-floor)) {
			return
		}
		if try > 4 && k.relaxed == before {
			return // further prices cost more than the lower bound would save
		}
	}
}

// keepPicked keeps the items picked, which are affordable: for exchange to improve, and as
// the incumbent if they are the best.
func (k *knapsack) keepPicked(p pair, floor float64) {
	k.fair = append(k.fair[:0], k.probe.heap...)
	k.keep(p, floor, k.fair)
}

// keep makes an affordable choice the incumbent if it is worth more than floor and
// than the incumbent (B6). p is summed anew over the items, never carried along,
// so that the value is that of the choice.
func (k *knapsack) keep(p pair, floor float64, items []int32) {
	if !(p.z > floor) || k.found && !(p.z > k.value) {
		return
	}
	k.found, k.value, k.scale = true, p.z, k.shift+p.scale
	k.chosen = append(k.chosen[:0], items...)
}
