package window

import "math"

// exchange makes the last affordable choice of the relaxation better, one item for
// another, until no exchange is a gain, and keeps what comes of it if that is worth
// more than floor. Where values go by costs, it is this that fills the budget: the
// relaxation is indifferent then. O(n m) for each of n exchanges at most.
func (k *knapsack) exchange(floor float64) {
	if len(k.fair) < k.n || k.n == 0 {
		return
	}
	in := k.core.sides(len(k.z), k.fair)
	p := k.sum(k.fair)
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
		if q.c > k.budget { // by rounding
			k.fair[at] = before
			break
		}
		p = q
	}
	if p.z > floor && (!k.found || p.z > k.value) {
		k.found, k.value, k.scale = true, p.z, k.shift+p.scale
		k.chosen = append(k.chosen[:0], k.fair...)
	}
}

// sides returns for each of m items whether it is in a choice.
func (t *core) sides(m int, choice []int32) []bool {
	t.in = append(t.in[:0], make([]bool, m)...)
	for _, i := range choice {
		t.in[i] = true
	}
	return t.in
}

// sum returns what a choice comes to.
func (k *knapsack) sum(choice []int32) (p pair) {
	for _, i := range choice {
		p.z += k.z[i]
		p.c += k.c[i]
		p.scale += math.Abs(k.z[i])
	}
	return p
}
