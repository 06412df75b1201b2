package window

import "math"

// exchange improves the last affordable choice of the relaxation, one item for
// another, until no exchange is a gain, and keeps the result if it is worth more
// than floor. Where values go by costs, the relaxation is indifferent and leaves
// budget unused; exchange fills it. In the example of relax, def (12 for 6) becomes
// cef (13 for 8), by the exchange of the greatest gain that fits:
//
//	         out   d (5, 3)              e (4, 2)     f (3, 1)
//	in  a (13, 7)  costs 4 more          5 more       6 more       2 are left
//	    b (7, 6)   3 more                4 more       5 more
//	    c (6, 5)   2 more, and gains 1   3 more       4 more
//
// O(n m) for each of at most n exchanges.
func (k *knapsack) exchange(floor float64) {
	if len(k.fair) < k.n || k.n == 0 {
		return
	}
	in := k.core.sides(len(k.z), k.fair)
	p := k.sum(k.fair)
	// The number of exchanges only limits the time. A gain must exceed the rounding of
	// the sum, or exchanges between equal choices would use them up.
	for range k.n {
		at, by, gain := -1, -1, slack*p.scale
		for a, i := range k.fair {
			room, z := k.budget-p.c+k.c[i], k.z[i]
			for j, c := range k.c {
				if c <= room && k.z[j]-z > gain && !in[j] {
					at, by, gain = a, j, k.z[j]-z
				}
			}
		}
		if at < 0 {
			break
		}
		before := k.fair[at]
		in[before], in[by], k.fair[at] = false, true, int32(by)
		q := k.sum(k.fair)
		if q.c > k.budget {
			k.fair[at] = before // room was rounded; the sum made anew decides (B6)
			break
		}
		p = q
	}
	k.keep(p, floor, k.fair)
}

// sides returns for each of m items whether it is in a choice.
func (t *core) sides(m int, choice []int32) []bool {
	t.in = append(t.in[:0], make([]bool, m)...)
	for _, i := range choice {
		t.in[i] = true
	}
	return t.in
}

// sum returns the value, the cost and the magnitude of a choice.
func (k *knapsack) sum(choice []int32) (p pair) {
	for _, i := range choice {
		p.z += k.z[i]
		p.c += k.c[i]
		p.scale += math.Abs(k.z[i])
	}
	return p
}
