package window

import (
	"cmp"
	"math"
	"slices"
)

// core is the enumeration that closes the gap between the relaxation and the
// best. It begins with the n items that the relaxation chooses, and goes through
// all items, those first whose exchange costs the least: each may change sides, in
// or out. A state is what some changes lead to. It is dropped if another with as
// many items has as much value for as little cost, or if what the changes have
// lost already, and those to come must lose at least, is too much (as in
// Pisinger's minimal algorithm for knapsacks, with two multipliers: lambda for
// the budget, and mu for the number of items). If there may be no more than some
// states, they are thinned out.
type core struct {
	items []coreItem
	lists [][]state // by how many items there are too many, from -n on
	spare []state
	trail []step  // how each state came to be
	in    []bool  // the items of the relaxation
	mu    float64 // the least reduced value of an item in it
	need  float64 // only what is worth more is of interest
	whole bool    // all values are whole numbers
	slop  float64 // by how much the bound of a state may be wrong
	steps int     // states made so far
	most  int     // 0 for no limit
	thins bool    // the limit is kept by thinning out
	until int     // and if not, the steps at which the enumeration stops
	cut   bool    // because of the limit, something was not looked at
	// missed is at least what any of that is worth.
	missed float64
}

// coreItem is an item and what it loses to change its side.
type coreItem struct {
	z, c float64
	loss float64
	item int32
	in   bool
}

// state is a set of items.
type state struct {
	z, c  float64
	trail int32
}

// step is the last change of a state, and the step before it.
type step struct{ item, before int32 }

// solve finds the best n items, if they are worth more than floor, and leaves
// them in k.chosen. If the limit of steps came in the way, k.core.cut is set, and
// k.bound says how much there may be; otherwise it is the value, or floor; and more
// than that if the numbers differ so much that rounding may hide something better.
func (k *knapsack) solve(floor float64) {
	t := &k.core
	t.whole, t.cut, t.slop, t.missed = whole(k.z), false, 0, math.Inf(-1)
	t.want(floor, k.scale)
	k.relax(t.need, 0)
	if k.found {
		t.want(k.value, k.scale)
	}
	if k.bound > t.need {
		if k.exchange(t.need); k.found {
			t.want(k.value, k.scale)
		}
	}
	relaxed := k.bound
	switch {
	case relaxed <= t.need:
	case t.most > 0 && t.steps >= t.most:
		t.cut, t.missed = true, relaxed
	default:
		k.expand()
	}
	if k.bound = floor; k.found {
		k.bound = k.value
	}
	if t.slop > t.need-k.bound {
		k.bound += t.slop
	}
	if !t.cut {
		return
	}
	missed := min(relaxed, t.missed+t.slop)
	if t.whole {
		missed = math.Floor(missed)
	}
	k.bound = max(k.bound, missed)
}

// want sets what a state must be worth to be of interest, given the best so far,
// and Σ|z| of it. Whole values leave nothing between two of them.
func (t *core) want(value, scale float64) {
	t.need = value
	if math.IsInf(value, 0) {
		return
	}
	t.need += slack * scale
	if t.whole {
		t.need = max(t.need, math.Floor(value)+1-1e-6)
	}
}

// whole reports whether all are whole, and so are their sums.
func whole(z []float64) bool {
	for _, x := range z {
		if x != math.Trunc(x) || math.Abs(x) > 1<<40 {
			return false
		}
	}
	return true
}

// base sorts the items by what it loses to exchange them, and returns the state
// of the relaxation. An item is left out if its loss alone is too much. O(m log m).
func (k *knapsack) base() state {
	t := &k.core
	p := k.at(k.lambda)
	if p.c <= k.budget && p.z > t.need { // of several choices at this price, another
		k.keep(p, t.need)
		t.want(p.z, k.scale)
	}
	t.slop = k.rounding(p, k.lambda)
	t.mu = k.picker.least
	t.sides(len(k.z), k.picker.heap)
	if k.n == 0 {
		t.mu = 0
	}
	t.items = t.items[:0]
	for i := range k.z {
		loss := t.mu - (k.z[i] - k.lambda*k.c[i])
		if t.in[i] {
			loss = -loss
		}
		if loss = max(loss, 0); k.bound-loss > t.need {
			t.items = append(t.items, coreItem{k.z[i], k.c[i], loss, int32(i), t.in[i]})
		}
	}
	slices.SortFunc(t.items, func(a, b coreItem) int {
		return cmp.Or(cmp.Compare(a.loss, b.loss), cmp.Compare(a.item, b.item))
	})
	return state{p.z, p.c, -1}
}

// expand goes through all states if there are few enough: if half of the steps that
// are left do for it. Otherwise it begins anew, and thins them out.
func (k *knapsack) expand() {
	t := &k.core
	t.thins, t.until = false, t.steps+(t.most-t.steps)/2
	if k.enumerate(); t.cut {
		t.cut, t.thins = false, true
		k.enumerate()
	}
}

// enumerate goes through the items, up to until, or thinning out.
func (k *knapsack) enumerate() {
	t := &k.core
	s := k.base()
	t.trail = t.trail[:0]
	t.lists = slices.Grow(t.lists[:0], 2*k.n+1)[:2*k.n+1]
	for i := range t.lists {
		t.lists[i] = t.lists[i][:0]
	}
	t.lists[k.n] = append(t.lists[k.n], s)
	first, last := k.n, k.n // the lists that are not empty
	for i, item := range t.items {
		in, out := k.next(i + 1)
		if item.in {
			first = max(first-1, 0)
			for d := first; d <= last; d++ {
				k.merge(d, d+1, item, in, out)
			}
		} else {
			last = min(last+1, 2*k.n)
			for d := last; d >= first; d-- {
				k.merge(d, d-1, item, in, out)
			}
		}
		for first < last && len(t.lists[first]) == 0 {
			first++
		}
		for first < last && len(t.lists[last]) == 0 {
			last--
		}
		if first == last && len(t.lists[first]) == 0 || t.cut && !t.thins {
			break
		}
		if t.thins {
			k.thin(first, last, in, out, (t.most-t.steps)/(len(t.items)-i))
		}
	}
}

// next returns what the next item in and the next item out lose, from i on.
func (k *knapsack) next(i int) (in, out float64) {
	in, out = math.Inf(1), math.Inf(1)
	for _, item := range k.core.items[i:] {
		if item.in {
			in = min(in, item.loss)
		} else {
			out = min(out, item.loss)
		}
		if !math.IsInf(in, 1) && !math.IsInf(out, 1) {
			break
		}
	}
	return in, out
}

// ahead returns how many items the states of list d have too many, and what they
// must still lose at least.
func (k *knapsack) ahead(d int, in, out float64) (extra, ahead float64) {
	switch extra = float64(d - k.n); {
	case extra > 0:
		return extra, extra * in
	case extra < 0:
		return extra, -extra * out
	}
	return 0, in + out
}

// merge puts the states of list d, and those of list from with the item changed,
// into list d: by rising cost, and so by rising value.
func (k *knapsack) merge(d, from int, item coreItem, in, out float64) {
	t := &k.core
	extra, ahead := k.ahead(d, in, out)
	least := t.need + ahead - t.slop // of the bound of a state
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
	root := k.lambda*k.budget - t.mu*extra
	for i, j := 0, 0; i < len(old) || j < len(other); {
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
			if t.most > 0 && !t.thins && t.steps >= t.until {
				t.cut = true
				continue
			}
			t.steps++
			if extra == 0 && s.c <= k.budget && s.z > t.need && k.take(s, item.item) {
				t.want(k.value, k.scale)
				least = t.need + ahead - t.slop
			}
		}
		if !(root+s.z-k.lambda*s.c > least) {
			continue
		}
		top = s.z
		if fresh {
			t.trail = append(t.trail, step{item.item, s.trail})
			s.trail = int32(len(t.trail) - 1)
		}
		merged = append(merged, s)
	}
	t.lists[d], t.spare = merged, old
}

// take keeps the items of a state, if their sums, made anew without what has come
// and gone, are still affordable and of interest.
func (k *knapsack) take(s state, last int32) bool {
	t := &k.core
	t.flip(s, last)
	defer t.flip(s, last)
	var p pair
	for i, in := range t.in {
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

// flip makes all changes of a state, or takes them back.
func (t *core) flip(s state, last int32) {
	t.in[last] = !t.in[last]
	for at := s.trail; at >= 0; at = t.trail[at].before {
		i := t.trail[at].item
		t.in[i] = !t.in[i]
	}
}
