package window

import "math"

// thin leaves about as many states as there may be, if there are more. A list is
// divided by cost into equal parts, and of each the state with the greatest bound
// stays: what costs the most and what costs little are both needed to fill the
// budget, and the best bounds alone are all alike.
//
//	bound │   •     ○
//	      │ ○   ○     •  ○    •
//	      │   ○    •            ○
//	      └──────┴──────┴──────┴── cost
//
// What goes counts as missed. in and out are what the next items lose.
func (k *knapsack) thin(first, last int, in, out float64, most int) {
	t := &k.core
	total := 0
	for _, list := range t.lists[first : last+1] {
		total += len(list)
	}
	if total <= most {
		return
	}
	t.cut = true
	share := float64(max(most, 0)) / float64(total)
	for d := first; d <= last; d++ {
		list := t.lists[d]
		extra, ahead := k.ahead(d, in, out)
		root := k.lambda*k.budget - t.mu*extra - ahead
		parts := int(share * float64(len(list)))
		kept, part, best := list[:0], -1, math.Inf(-1)
		for _, s := range list {
			bound := root + s.z - k.lambda*s.c
			at := 0
			if wide := list[len(list)-1].c - list[0].c; wide > 0 {
				at = min(parts-1, int((s.c-list[0].c)/wide*float64(parts)))
			}
			switch {
			case parts == 0:
				t.missed = max(t.missed, bound)
			case at != part:
				kept, part, best = append(kept, s), at, bound
			case bound > best:
				t.missed = max(t.missed, best)
				kept[len(kept)-1], best = s, bound
			default:
				t.missed = max(t.missed, bound)
			}
		}
		t.lists[d] = kept
	}
}
