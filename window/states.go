package window

import (
	"cmp"
	"math"
	"slices"
)

// core is the enumeration that closes the gap between the relaxation and the
// incumbent (after Pisinger's minimal algorithm for knapsacks, here with two
// multipliers: lambda for the budget, mu for the number of items).
//
// It begins with the n items that the relaxation picks. Every other choice differs
// from these by items that change sides, in or out. A change loses value against
// the relaxation, most changes lose too much, and few items are left to go through.
// The example of relax, at its price lambda = 2, after exchange has found 13:
//
//	           a    b    c    d    e    f
//	z - 2c    -1   -5   -4   -1    0    1    mu = -1, the least of those in
//	side     out  out  out   in   in   in    def: value 12, cost 6
//	loss       0    4    3    0    1    2    mu - (z - 2c) if out, the negative if in
//	                x    x                   16 - loss <= 13: left out (B3)
//
// The items go by rising loss: a, d, e, f. At each item, every state splits in two:
// one keeps the item on its side, one changes it. A state waits in the list of its
// surplus, the number of items that it has above n:
//
//	              list -1   list 0     list +1
//	begin                   def
//	a may enter             (def)      adef 16     nothing can enter later: no pair for def
//	d may leave             (aef)      adef 15     adef must lose e, at least: 16 - 1
//	e may leave             (adf)      adef 14     adef must lose f: 16 - 2
//	f may leave             (ade)      (adef)      nothing can leave later
//
// States in brackets are left out (B3); beside adef is its bound (B2). aef, adf and ade
// cost 10, 11 and 12: too dear. After 4 new states none is left, and 13 is proven.
type core struct {
	quota
	bar
	mu    float64    // the least z - lambda c of the items in
	items []coreItem // those that may change sides, by rising loss
	lists [][]state  // list d has the states with a surplus of d - n, by rising cost
	spare []state    // room for the next list
	trail []change   // how each state came to be
	in    []bool     // the sides at the beginning
}

// quota limits the states. The owner sets most, and counts steps over all problems;
// solve and expand reset the others for each problem.
type quota struct {
	most    int     // 0 for no limit
	steps   int     // states made so far
	until   int     // the steps at which a plain enumeration stops
	stopped bool    // it did stop
	thins   bool    // states are thinned instead
	limited bool    // some state was not followed, because of the limit
	missed  float64 // the greatest bound of those states (B3)
}

// coreItem is an item that may change sides, and the value that this loses.
type coreItem struct {
	z, c float64
	loss float64 // against the relaxation, at least 0
	item int32
	in   bool
}

// state is a set of items: its sums, and its last change; -1 for none.
type state struct {
	z, c  float64
	trail int32
}

// change is the item that changed sides, and the change before it.
type change struct{ item, before int32 }

// expand enumerates all states if half of the steps that are left do for it.
// Otherwise it begins anew and thins them. Without the first try, problems that are
// only a little too long would be thinned and stay unproven.
func (k *knapsack) expand() {
	t := &k.core
	t.thins, t.stopped = false, false
	t.until = math.MaxInt
	if t.most > 0 {
		t.until = t.steps + (t.most-t.steps)/2
	}
	k.enumerate()
	if !t.stopped {
		return
	}
	t.thins, t.stopped = true, false
	t.until = math.MaxInt
	k.enumerate()
}

// enumerate lets each item change sides in turn.
func (k *knapsack) enumerate() {
	t := &k.core
	k.begin()
	first, last := k.n, k.n
	for i := range t.items {
		in, out := k.losses(i + 1)
		first, last = k.advance(i, first, last, in, out)
		if first > last || t.stopped {
			return
		}
		if t.thins {
			// An item makes at most as many states as there are, so each item to
			// come gets an equal part of the steps that are left.
			k.thin(first, last, in, out, (t.most-t.steps)/(len(t.items)-i))
		}
	}
}

// begin makes the first state, the choice of the relaxation, and collects the items
// that may change sides. O(m log m).
func (k *knapsack) begin() {
	t := &k.core
	p := k.choose(k.lambda)
	if p.c <= k.budget && p.z > t.need {
		// At equal z - lambda c another choice may be picked than in relax. The
		// lists only meet new states, so this one is kept here.
		k.keep(p, t.need, k.probe.heap)
		t.raise(p.z, k.scale)
	}
	t.slop = k.rounding(p, k.lambda)
	t.mu = k.probe.least
	t.sides(len(k.z), k.probe.heap)
	if k.n == 0 {
		t.mu = 0
	}
	t.items = t.items[:0]
	for i := range k.z {
		loss := t.mu - (k.z[i] - k.lambda*k.c[i])
		if t.in[i] {
			loss = -loss
		}
		loss = max(loss, 0)
		if k.relaxed-loss > t.need { // B3
			t.items = append(t.items, coreItem{k.z[i], k.c[i], loss, int32(i), t.in[i]})
		}
	}
	slices.SortFunc(t.items, func(a, b coreItem) int {
		return cmp.Or(cmp.Compare(a.loss, b.loss), cmp.Compare(a.item, b.item))
	})
	t.trail = t.trail[:0]
	t.lists = slices.Grow(t.lists[:0], 2*k.n+1)[:2*k.n+1]
	for i := range t.lists {
		t.lists[i] = t.lists[i][:0]
	}
	t.lists[k.n] = append(t.lists[k.n], state{p.z, p.c, -1})
}

// advance lets item i change sides in all states. first and last are the lists that
// are not empty, before and after; first > last if no state is left. in and out are the
// least losses to come.
//
// A list is merged with its neighbour in place, and the neighbour must still be the
// old one. So the lists go down if the item leaves, and up if it enters:
//
//	a item enters:  list 0 -> list +1      +1 first, then 0, from the top
//	an item leaves: list +1 -> list 0      0 first, then +1, from the bottom
func (k *knapsack) advance(i, first, last int, in, out float64) (int, int) {
	t := &k.core
	item := t.items[i]
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
	for first <= last && len(t.lists[first]) == 0 {
		first++
	}
	for first <= last && len(t.lists[last]) == 0 {
		last--
	}
	return first, last
}

// losses returns the least that an item can lose by leaving (in), and by entering
// (out), of the items from i on; +Inf if there is none. Items go by rising loss, so
// the first of either side has it.
func (k *knapsack) losses(i int) (in, out float64) {
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

// outlook returns the part of B2 that all states of a list share. The bound of a
// state of value z and cost c is
//
//	root + z - lambda c - ahead
//
// root prices the budget and the surplus: an item that must still leave takes at
// least mu with it. ahead is the least that the changes to come lose. A state with
// a surplus of 2 needs two items to leave; one with no surplus was looked at when
// it was made, so here it counts only for later pairs, one item out and one in:
//
//	surplus   +2       +1     0          -1      -2
//	ahead     2 in     in     in + out   out     2 out
func (k *knapsack) outlook(d int, in, out float64) (root, ahead float64) {
	surplus := float64(d - k.n)
	switch {
	case surplus > 0:
		ahead = surplus * in
	case surplus < 0:
		ahead = -surplus * out
	default:
		ahead = in + out
	}
	return k.lambda*k.budget - k.core.mu*surplus, ahead
}
