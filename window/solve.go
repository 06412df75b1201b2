package window

import "math"

// solve finds the best n items, if they are worth more than floor, and makes them
// the incumbent. scale is the magnitude of the values of which floor is the sum: a
// gain below slack × scale is rounding. The bound follows B7.
func (k *knapsack) solve(floor, scale float64) {
	t := &k.core
	t.whole = whole(k.z)
	t.limited, t.missed = false, math.Inf(-1)
	t.slop = 0
	t.raise(floor, scale)
	k.relax(t.need, 0)
	if k.found {
		t.raise(k.value, k.scale)
	}
	if k.relaxed > t.need {
		k.exchange(t.need)
		if k.found {
			t.raise(k.value, k.scale)
		}
	}
	switch {
	case k.relaxed <= t.need:
		// B3: no choice is of interest.
	case k.meter.Stopped():
		t.limited, t.missed = true, k.relaxed
	default:
		k.expand()
	}
	k.conclude(floor)
}

// conclude writes the bound (B7). There are two reasons for it to exceed the incumbent:
//
//	nothing        bound = value (or floor)                 all else is at most need (B3)
//	rounding       bound = value + slop                     slop exceeds the margin need - value
//	the limit      bound = the least of relaxed and missed  thinned states may hide the best
//
// The example of relax makes 4 states. With enough steps for them, the first row holds: value
// and bound are 13. Otherwise the last row holds, with a bound of 16 (TestBoundByHand).
func (k *knapsack) conclude(floor float64) {
	t := &k.core
	k.bound = floor
	if k.found {
		k.bound = k.value
	}
	if t.slop > t.need-k.bound {
		k.bound += t.slop
	}
	if !t.limited {
		return
	}
	missed := min(k.relaxed, t.missed+t.slop)
	if t.whole {
		missed = math.Floor(missed)
	}
	k.bound = max(k.bound, missed)
}

// bar is the test of B3. solve sets it; begin sets slop to the rounding at its
// price.
type bar struct {
	need  float64 // only a greater value is of interest
	whole bool    // all values are whole numbers, and so are their sums
	slop  float64 // the rounding in the bound of a state
}

// raise sets need for a choice of some value and magnitude. A gain below
// slack × scale could be rounding. If all values are whole, no sum lies between 13 and 14:
// after 13 only 14 is of interest, and a bound of 13.9 is left out.
func (b *bar) raise(value, scale float64) {
	b.need = value
	if math.IsInf(value, 0) {
		return
	}
	b.need += slack * scale
	if b.whole {
		b.need = max(b.need, math.Floor(value)+1-1e-6)
	}
}

// whole reports whether all values are whole, and small enough for exact sums.
func whole(z []float64) bool {
	for _, x := range z {
		if x != math.Trunc(x) || math.Abs(x) > 1<<40 {
			return false
		}
	}
	return true
}
