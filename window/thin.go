package window

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// thin leaves about most states, if there are more, so that the limit of steps
// lasts to the end of the items. Each list is divided by cost into equal parts, and
// of each part the state with the greatest bound (B2) stays. The states with the greatest
// bounds of the whole list would not do: they are alike, and of nearly one cost, while both dear
// and cheap states are needed to fill the budget.
//
//	bound │   •     ○
//	      │ ○   ○     •  ○    •
//	      │   ○    •            ○
//	      └──────┴──────┴──────┴── cost
//	        ● stays in its part
//
// The bounds of the thinned states (○) go into missed, so B3 still holds. i is the item that
// has changed sides.
func (k *knapsack) thin(i, first, last, most int) {
	t := &k.core
	total := t.count(first, last)
	if total <= most {
		return
	}
	t.limited = true
	share := float64(max(most, 0)) / float64(total)
	for d := first; d <= last; d++ {
		list := t.lists[d]
		root, ahead := k.outlook(d, t.items[i].part, t.after[i])
		root -= ahead
		parts := int(share * float64(len(list)))
		kept, part, best := list[:0], -1, math.Inf(-1)
		for n, s := range list {
			if n%effort.Chunk == 0 && !k.more(min(effort.Chunk, len(list)-n)) {
				return
			}
			bound := root + s.z - k.lambda*s.c
			at := 0
			// kept overwrites list: list[0] is the state kept of the first part by now. The
			// other parts are equal, from the cost of that state on.
			wide := list[len(list)-1].c - list[0].c
			if wide > 0 {
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
