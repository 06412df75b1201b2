package window

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// merge puts into list d its own states and those of list from, in which the item
// changes sides. Both lists go by rising cost, and so does the result. A state is
// dominated, and left out, if a state before it is worth as much: any later change helps the
// cheaper state as well. So values rise along a list, too.
//
//	list 0           (12, 6) def   (20, 10) aef
//	list -1 and b    (15, 9)  bf   (19, 12)  ...
//	merged           (12, 6)       (15, 9)    (20, 10)   and not (19, 12): dearer than
//	                                                     aef, and worth less
//
// A new state with no surplus is a choice. If the choice is affordable and of interest, it
// is kept. A state that B2 bounds by at most need is left out (B3). Dominance is tested first,
// since a dominated state costs no step. The choice is looked at before B3, since a state may be a
// choice even if nothing can follow from it, such as aef in the example of core.
//
// The part of the bound that all states of a list share is moved to the threshold, because
// most of an enumeration's time goes into this loop:
//
//	root + z - lambda c - ahead + slop > need       B3 for the bound of B2
//	root + z - lambda c > need + ahead - slop       as it is tested
func (k *knapsack) merge(d, from int, item coreItem, after losses) {
	t := &k.core
	root, ahead := k.outlook(d, item.part, after)
	least := t.need + ahead - t.slop
	old := t.lists[d]
	var other []state
	if from >= 0 && from < len(t.lists) {
		other = t.lists[from]
	}
	dz, dc := item.z, item.c
	if item.in {
		dz, dc = -dz, -dc
	}
	merged := t.spare[:0]
	top := math.Inf(-1)
	total := len(old) + len(other)
	for i, j := 0, 0; i+j < total; {
		if (i+j)%effort.Chunk == 0 && !k.more(min(effort.Chunk, total-i-j)) {
			break
		}
		// At equal cost the old state goes first, and dominates a new state that is no
		// better.
		var s state
		fresh := i == len(old) || j < len(other) && other[j].c+dc < old[i].c
		if fresh {
			s = state{other[j].z + dz, other[j].c + dc, other[j].trail}
			j++
		} else {
			s = old[i]
			i++
		}
		if s.z <= top {
			continue
		}
		if fresh {
			t.steps++
			if d == k.n && s.c <= k.budget && s.z > t.need && k.keepState(s, item.item) {
				t.raise(k.value, k.scale)
				least = t.need + ahead - t.slop
			}
		}
		if !(root+s.z-k.lambda*s.c > least) {
			continue
		}
		top = s.z
		if fresh {
			t.trail = append(t.trail, change{item.item, s.trail})
			s.trail = int32(len(t.trail) - 1)
		}
		merged = append(merged, s)
	}
	t.lists[d], t.spare = merged, old
}

// more asks for steps of the enumeration. If there are none left, the enumeration has stopped:
// expand begins anew, or gives up.
func (k *knapsack) more(n int) bool {
	t := &k.core
	if !t.thins && k.meter.Steps() >= t.until || !k.meter.Go(n) {
		t.stopped = true
	}
	return !t.stopped
}

// keepState keeps the items of a state as the incumbent. Many additions and subtractions have
// made the sums of a state, with rounding each time, so the sums are made anew (B6). It returns
// false if the choice is too dear then, or of no interest.
func (k *knapsack) keepState(s state, last int32) bool {
	t := &k.core
	t.flip(s, last)
	defer t.flip(s, last)
	var p pair
	for i, in := range t.in {
		if i%effort.Chunk == 0 && !k.more(min(effort.Chunk, len(t.in)-i)) {
			return false
		}
		if in {
			p.z += k.z[i]
			p.c += k.c[i]
			p.scale += math.Abs(k.z[i])
		}
	}
	if !(p.c <= k.budget && p.z > t.need) {
		return false
	}
	k.found, k.value, k.scale, k.chosen = true, p.z, k.shift+p.scale, k.chosen[:0]
	for i, in := range t.in {
		if in {
			k.chosen = append(k.chosen, int32(i))
		}
	}
	return true
}

// flip makes all changes of a state. A second flip takes them back, since each item changes
// sides at most once.
func (t *core) flip(s state, last int32) {
	t.in[last] = !t.in[last]
	for at := s.trail; at >= 0; at = t.trail[at].before {
		i := t.trail[at].item
		t.in[i] = !t.in[i]
	}
}
