package window

import (
	"cmp"
	"math"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
)

// exchange improves the last affordable choice of the relaxation. It exchanges one item
// for another until no exchange gains, and keeps the result if that is worth more than floor.
// Where values go by costs, the relaxation is indifferent and leaves budget unused, which
// exchange spends. In the example of relax, def (12 for 6) becomes cef (13 for 8), by the
// exchange of the greatest gain that fits:
//
//	         out   d (5, 3)              e (4, 2)     f (3, 1)
//	in  a (13, 7)  costs 4 more          5 more       6 more       2 are left
//	    b (7, 6)   3 more                4 more       5 more
//	    c (6, 5)   2 more, and gains 1   3 more       4 more
//
// Not every pair is looked at. The items are sorted by cost once, and a sweep goes through
// the items of the choice, the cheapest first. A dearer item leaves more room. So the best
// item for its place is either the best for the place before, or an item that fits only now.
//
//	by cost     f 1   e 2   d 3   c 5   b 6   a 7
//	out f       room for 3: no item beside the choice costs so little
//	out e       room for 4: none
//	out d       room for 5: c
//
// O(m log m) to sort, and O(m) for an exchange. All exchanges take an eighth of the steps that
// are left at most, since an enumeration soon gains more.
func (k *knapsack) exchange(floor float64) {
	if len(k.fair) == 0 || !k.byCost() {
		return
	}
	in := k.core.sides(len(k.z), k.fair)
	p := k.sum(k.fair)
	left := k.meter.Left()
	// The number of exchanges only limits the time. A gain must exceed the rounding of
	// the sum. Otherwise exchanges between equal choices would go on to this number.
	for range k.n {
		if k.meter.Left() < left-left/8 {
			break
		}
		out, by, ok := k.bestExchange(p)
		if !ok {
			break
		}
		in[out], in[by] = false, true
		at := slices.Index(k.fair, out)
		k.fair[at] = by
		q := k.sum(k.fair)
		if q.c > k.budget {
			k.fair[at] = out // room was rounded; the sum made anew decides (B6)
			break
		}
		p = q
	}
	k.keep(p, floor, k.fair)
}

// byCost sorts the items by their costs; of equal costs the first item goes first. It returns
// false if the search must stop.
func (k *knapsack) byCost() bool {
	t := &k.core
	t.order = slices.Grow(t.order[:0], len(k.c))[:len(k.c)]
	for i := range t.order {
		if i%effort.Chunk == 0 && !k.meter.Go(min(effort.Chunk, len(t.order)-i)) {
			return false
		}
		t.order[i] = int32(i)
	}
	slices.SortFunc(t.order, func(a, b int32) int { return cmp.Or(cmp.Compare(k.c[a], k.c[b]), cmp.Compare(a, b)) })
	return true
}

// bestExchange returns the exchange of the greatest gain that fits; false if there is none,
// or the search must stop. p is the choice.
func (k *knapsack) bestExchange(p pair) (out, by int32, ok bool) {
	t := &k.core
	gain := slack * p.scale
	next, best := 0, int32(-1) // best is the item of the greatest value before next, beside the choice
	for at, i := range t.order {
		if at%effort.Chunk == 0 && !k.meter.Go(min(effort.Chunk, len(t.order)-at)) {
			return 0, 0, false
		}
		if !t.in[i] {
			continue
		}
		room := k.budget - p.c + k.c[i]
		for ; next < len(t.order) && k.c[t.order[next]] <= room; next++ {
			if next%effort.Chunk == 0 && !k.meter.Go(min(effort.Chunk, len(t.order)-next)) {
				return 0, 0, false
			}
			j := t.order[next]
			if !t.in[j] && (best < 0 || k.z[j] > k.z[best]) {
				best = j
			}
		}
		if best >= 0 && k.z[best]-k.z[i] > gain {
			out, by, gain, ok = i, best, k.z[best]-k.z[i], true
		}
	}
	return out, by, ok
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
