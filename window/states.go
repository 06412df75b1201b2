package window

import (
	"cmp"
	"math"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
)

// core is the enumeration that closes the gap between the relaxation and the
// incumbent (after Pisinger's minimal algorithm for knapsacks, here with two
// multipliers: lambda for the budget, mu for the number of items).
//
// The enumeration begins with the n items that the relaxation picks. Every other choice
// differs from these by items that change sides, in or out. A change loses value against
// the relaxation. Most items lose too much, and only few are left to go through.
// The example of relax, at its price lambda = 2, after exchange has found 13:
//
//	           a    b    c    d    e    f
//	z - 2c    -1   -5   -4   -1    0    1    mu = -1, the least of those in
//	side     out  out  out   in   in   in    def: value 12, cost 6
//	loss       0    4    3    0    1    2    mu - (z - 2c) if out, the negative if in
//	                x    x                   16 - loss <= 13: left out (B3)
//
// The items go by rising loss: a, d, e, f. At each item, every state splits in two: the
// item keeps its side in the one, and changes sides in the other. A state waits in the list
// of its surplus, the number of items that it has above n:
//
//	              list -1   list 0     list +1
//	begin                   def
//	a may enter             (def)      adef 16     nothing can enter later: no pair for def
//	d may leave             (aef)      adef 15     adef must lose e, at least: 16 - 1
//	e may leave             (adf)      adef 14     adef must lose f: 16 - 2
//	f may leave             (ade)      (adef)      nothing can leave later
//
// States in brackets are left out (B3), and the number beside adef is its bound (B2). aef, adf
// and ade cost 10, 11 and 12: too dear. After 4 new states none is left, and 13 is proven.
type core struct {
	quota
	bar
	mu    []float64  // of each part: the least z - lambda c of the items in
	items []coreItem // those that may change sides, by rising loss
	lists [][]state  // list d has the states with a surplus of d - n, by rising cost
	spare []state    // room for the next list
	trail []change   // how each state came to be
	in    []bool     // the sides at the beginning
	order []int32    // the items by cost, for exchange
	after []losses   // by item: the least losses behind it
}

// quota limits the work on a problem. steps counts over all problems; solve and expand
// reset the others for each.
type quota struct {
	steps   int     // states made so far
	until   int64   // the steps of the search at which this enumeration stops
	stopped bool    // the enumeration did stop, and the lists do not matter any more
	thins   bool    // states are thinned, so that the enumeration need not stop
	limited bool    // some state was not followed, because of the limit
	missed  float64 // the greatest bound of those states (B3)
}

// losses are the least that an item of the part can lose by leaving (in), and by entering
// (out), and two items of some part by changing places (pair); +Inf if there are none.
type losses struct{ in, out, pair float64 }

// coreItem is an item that may change sides, and the value that this loses.
type coreItem struct {
	z, c float64
	loss float64 // against the relaxation, at least 0
	item int32
	part int32 // 0 unless the problem has parts
	in   bool
}

// state is a set of items: its sums, and its last change; -1 for none.
type state struct {
	z, c  float64
	trail int32
}

// change is the item that changed sides, and the change before it.
type change struct{ item, before int32 }

// expand enumerates all states if there are enough steps. There are two ways, each of which
// proves the choice if it comes to its end: the plain enumeration, and, if costs fall into
// classes, branching by the numbers of the classes (classes.go). Nobody knows beforehand which
// way is shorter. So they take turns, and each turn is four times as long as the turn before, up
// to a quarter of the steps that are left:
//
//	plain 65 536   classes 65 536   plain 65 536   classes 262 144   plain 262 144   ...
//
// If neither way comes to its end, a thinned enumeration takes another quarter: it goes through
// all items, but not all states. The rest is for other problems of the search.
func (k *knapsack) expand() {
	t := &k.core
	quarter, bound := k.meter.Left()/4, k.relaxed
	if k.attempt(min(fewSteps, quarter), false) {
		return
	}
	var classes *branching
	if starts := k.classes(); starts != nil {
		classes = k.branching(starts)
	}
	plain := true // the plain enumeration may come to an end yet
	for turn := min(fewSteps, quarter); ; turn = min(4*turn, quarter) {
		if classes != nil {
			bound = classes.run(turn)
		}
		if bound <= t.need {
			return // -Inf: all branches are done; or the choice has reached the bound
		}
		if classes == nil {
			turn = quarter // there is nothing to take turns with
		}
		if plain && k.attempt(turn, false) {
			return
		}
		plain = plain && k.meter.Steps() >= t.until // a turn that ended early had no memory left
		if turn == quarter || k.meter.Stopped() || !plain && classes == nil {
			break
		}
	}
	classes = nil // frees the memory of the branches for the last enumeration
	if !k.attempt(quarter, true) {
		t.missed = k.relaxed // the search must stop
	}
	t.limited, t.missed = true, min(t.missed, bound)
}

// fewSteps are those of the first turn.
const fewSteps = 1 << 16

// attempt enumerates for so many steps, and reports whether it came to its end.
func (k *knapsack) attempt(steps int64, thins bool) bool {
	t := &k.core
	t.thins, t.stopped, t.until = thins, false, k.meter.Steps()+steps
	k.enumerate()
	return !t.stopped
}

// enumerate lets each item change sides in turn.
func (k *knapsack) enumerate() {
	t := &k.core
	if !k.begin() {
		t.stopped = true
		return
	}
	first, last := k.n, k.n
	for i := range t.items {
		first, last = k.advance(i, first, last)
		if first > last || t.stopped {
			return
		}
		most := k.hold(first, last)
		if t.thins {
			// At each item, a state is looked at four times at most: twice in merge, and
			// twice in thin. So each item to come gets an equal part of the steps that are left.
			share := (t.until - k.meter.Steps()) / int64(4*(len(t.items)-i))
			k.thin(i, first, last, int(min(int64(most), share)))
		} else if t.count(first, last) > most {
			t.stopped = true
		}
		if t.stopped {
			return
		}
	}
}

// count returns how many states there are.
func (t *core) count(first, last int) (total int) {
	for _, list := range t.lists[first : last+1] {
		total += len(list)
	}
	return total
}

// begin makes the first state, the choice of the relaxation, and collects the items
// that may change sides. It returns false if the search must stop. O(m log m).
func (k *knapsack) begin() bool {
	t := &k.core
	p, ok := k.choose(k.lambda)
	if !ok {
		return false
	}
	if p.c <= k.budget && p.z > t.need {
		// At equal z - lambda c another choice may be picked than in relax. merge keeps
		// only choices that a change has made, so the first choice is kept here.
		k.keep(p, t.need, k.probe.heap)
		t.raise(p.z, k.scale)
	}
	t.slop = k.rounding(p, k.lambda)
	t.sides(len(k.z), k.probe.heap)
	t.mu = t.mu[:0]
	if k.parts == nil {
		t.mu = append(t.mu, k.margin(k.n, k.probe.least))
	}
	for i := range k.parts {
		t.mu = append(t.mu, k.margin(k.parts[i].n, k.parts[i].picker.least))
	}
	part := 0
	t.items = t.items[:0]
	for i := range k.z {
		if i%effort.Chunk == 0 && !k.meter.Go(min(effort.Chunk, len(k.z)-i)) {
			return false
		}
		if k.parts != nil && i == k.parts[part].to {
			part++
		}
		loss := t.mu[part] - (k.z[i] - k.lambda*k.c[i])
		if t.in[i] {
			loss = -loss
		}
		loss = max(loss, 0)
		if k.relaxed-loss > t.need { // B3
			t.items = append(t.items, coreItem{k.z[i], k.c[i], loss, int32(i), int32(part), t.in[i]})
		}
	}
	slices.SortFunc(t.items, func(a, b coreItem) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.loss, b.loss), cmp.Compare(a.item, b.item))
	})
	t.lookAhead()
	t.trail = t.trail[:0]
	t.lists = slices.Grow(t.lists[:0], 2*k.n+1)[:2*k.n+1]
	for i := range t.lists {
		t.lists[i] = t.lists[i][:0]
	}
	t.lists[k.n] = append(t.lists[k.n], state{p.z, p.c, -1})
	return true
}

// margin is mu: the least key of n items that were picked; 0 if n is 0, where nothing can leave.
func (k *knapsack) margin(n int, least float64) float64 {
	if n == 0 {
		return 0
	}
	return least
}

// lookAhead writes after, the last item first, since the losses behind an item are those behind
// its successor, and the successor's own. No state with a surplus goes on to the next part. So
// behind the last item of a part no single item helps, and only pairs of later parts count:
//
//	loss      part 0: 1 in   2 out   4 in      part 1: 3 in   5 out
//	after     in           4       4     +Inf          +Inf   +Inf
//	          out          2    +Inf     +Inf             5   +Inf
//	          pair         6       8        8          +Inf   +Inf
func (t *core) lookAhead() {
	t.after = slices.Grow(t.after[:0], len(t.items))[:len(t.items)]
	inf := math.Inf(1)
	least := losses{inf, inf, inf}
	for i := len(t.items) - 1; i >= 0; i-- {
		item := t.items[i]
		if i+1 < len(t.items) && t.items[i+1].part != item.part {
			least.in, least.out = inf, inf
		}
		t.after[i] = least
		if item.in {
			least.in = min(least.in, item.loss)
		} else {
			least.out = min(least.out, item.loss)
		}
		least.pair = min(least.pair, least.in+least.out)
	}
}

// advance lets item i change sides in all states. It takes and returns the first and the
// last list that is not empty; first > last if no state is left.
//
// A list is merged with its neighbour in place, and the neighbour must not have been merged
// yet. So states move up a list if the item enters, beginning at the top, and down a list if it
// leaves, beginning at the bottom:
//
//	a item enters:  list 0 -> list +1      +1 first, then 0, from the top
//	an item leaves: list +1 -> list 0      0 first, then +1, from the bottom
func (k *knapsack) advance(i, first, last int) (int, int) {
	t := &k.core
	item := t.items[i]
	if item.in {
		first = max(first-1, 0)
		for d := first; d <= last; d++ {
			k.merge(d, d+1, item, t.after[i])
		}
	} else {
		last = min(last+1, 2*k.n)
		for d := last; d >= first; d-- {
			k.merge(d, d-1, item, t.after[i])
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

// outlook returns the part of B2 that all states of a list share. The bound of a
// state of value z and cost c is
//
//	root + z - lambda c - ahead
//
// root prices the budget and the surplus: an item that must still leave takes at
// least mu with it. ahead is the least that the changes to come lose. A state with
// a surplus of 2 needs two items to leave. A state with no surplus was looked at as a choice
// when it was made. So its bound is for later pairs only, one item out and one in:
//
//	surplus   +2       +1     0          -1      -2
//	ahead     2 in     in     in + out   out     2 out
//
// In a problem of parts, the surplus is that of the part whose items change sides, and mu is
// that of the part. No state with a surplus goes on to the next part: behind the last item of a
// part after.in and after.out are infinite, and so is ahead.
func (k *knapsack) outlook(d int, part int32, after losses) (root, ahead float64) {
	surplus := float64(d - k.n)
	switch {
	case surplus > 0:
		ahead = surplus * after.in
	case surplus < 0:
		ahead = -surplus * after.out
	default:
		ahead = after.pair
	}
	return k.lambda*k.budget - k.core.mu[part]*surplus, ahead
}
