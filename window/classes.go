package window

import (
	"container/heap"
	"math"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
)

// Where costs fall into classes that lie far apart, as prices of kinds of machines do, the
// Lagrangian bound may be twice the optimum. Choose 2 of 4 within 10 (TestClassesByHand):
//
//	       a   b   c   d
//	z      6   6   1   1        only one of a and b is affordable: ac, 7 for 7
//	cost   6   6   1   1        the bound takes 1.6 of a and b, and 0.4 of c and d: 10
//
// An enumeration does not help, since all its states have this bound of 10. But if the number
// of items from each class is settled, only small differences within the classes are left to
// the bound. So the problem is branched by these numbers, the dearest class first:
//
//	        all choices, bound 10
//	       ╱          │          ╲
//	none of a, b     one        both of a, b
//	bound 2          bound 7    too dear
//
// A branch is a knapsack of parts: a part for each class whose number is settled, and one part
// for all other items. Its bound is B1 with a number for each part. When all numbers are settled,
// an enumeration goes through the parts in turn.
//
// On instances that were made to be hard (Jooken et al., EJOR 301, 2022) branching proves the
// optimum in milliseconds to seconds, where the plain enumeration takes minutes, or gives up.

// part is a range of the items, of which n are chosen.
type part struct {
	from, to, n int
	picker      picker
}

// pickParts picks the items of each part by its own number. The keys are copied, since a picker
// spoils keys.
func (k *knapsack) pickParts() bool {
	k.probe.heap = k.probe.heap[:0]
	for i := range k.parts {
		p := &k.parts[i]
		copy(p.picker.room(p.to-p.from), k.probe.keys[p.from:p.to])
		if !p.picker.pick(p.n) {
			return false
		}
		for _, at := range p.picker.heap {
			k.probe.heap = append(k.probe.heap, int32(p.from)+at)
		}
	}
	return true
}

// gaps is how many gaps fit into the budget: costs that differ by less are of one class.
const gaps = 64

// classes returns where the classes begin, in the items by falling cost; nil if there is only
// one class. Any choice costs at least as much as the n cheapest items. Only the rest of the budget is
// free to be spent, and a gap is measured by it:
//
//	budget 10, n = 2, costs 6 6 1 1     the cheapest cost 2, and 8 are free
//	6 - 1 = 5 > 8/64                    a gap: the classes begin at 0 and 2
//
// O(m log m).
func (k *knapsack) classes() []int {
	if !k.byCost() {
		return nil
	}
	order := k.core.order
	slices.Reverse(order)
	free := k.budget
	for _, i := range order[len(order)-k.n:] {
		free -= k.c[i]
	}
	if !(free > 0) {
		return nil
	}
	starts := []int{0}
	for at := 1; at < len(order); at++ {
		if k.c[order[at-1]]-k.c[order[at]] > free/gaps {
			starts = append(starts, at)
		}
	}
	if len(starts) == 1 {
		return nil
	}
	return starts
}

// branching is a problem whose numbers of classes are being settled. It takes turns with the
// plain enumeration (expand), and so it may stop and go on later.
type branching struct {
	owner  *knapsack
	sub    *knapsack // the problem of a branch
	starts []int     // where the classes begin in sub
	perm   []int32   // by item of sub: which one of the owner it is
	open   branches
	most   int     // how many branches may wait
	until  int64   // the steps of the search at which it stops
	missed float64 // the greatest bound of the branches that are given up (B3)
}

// branch is a set of choices: the numbers of the first classes are settled.
type branch struct {
	numbers []int
	left    int     // how many items the other classes have together
	bound   float64 // of all its choices (B1)
	lambda  float64 // the price that this bound has
}

// branches are a heap, the greatest bound first. Of equal bounds the branch with more numbers
// goes first, since it is nearer to a choice.
type branches []branch

func (b branches) Len() int { return len(b) }
func (b branches) Less(i, j int) bool {
	return b[i].bound > b[j].bound || b[i].bound == b[j].bound && len(b[i].numbers) > len(b[j].numbers)
}
func (b branches) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b *branches) Push(x any)   { *b = append(*b, x.(branch)) }
func (b *branches) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}

// mostBranchBytes is how much memory the branches that wait may take: 64 MiB. A branch takes 64
// bytes, and 8 for each class.
const mostBranchBytes = 1 << 26

// branching begins the branches of a problem: one branch with all choices. sub has the items by
// falling cost, so that each class is a range of them, and knows its items by perm.
func (k *knapsack) branching(starts []int) *branching {
	sub := newKnapsack(k.meter)
	sub.reset(k.n, k.budget)
	sub.shift, sub.core.whole = k.shift, k.core.whole
	perm := k.core.order
	for _, i := range perm {
		sub.add(k.z[i], k.c[i])
	}
	sub.parts = make([]part, len(starts))
	for i := range sub.parts {
		sub.parts[i].picker.meter = k.meter
	}
	b := &branching{owner: k, sub: &sub, starts: starts, perm: perm, missed: math.Inf(-1)}
	b.most = mostBranchBytes / (64 + 8*len(starts))
	heap.Push(&b.open, branch{nil, k.n, k.relaxed, k.lambda})
	return b
}

// run goes through the branches, the most promising first, for so many steps. It returns the
// greatest bound of the branches that are left: -Inf if there are none, and the choice is proven.
func (b *branching) run(steps int64) float64 {
	m := b.owner.meter
	b.until = m.Steps() + steps
	for len(b.open) > 0 {
		top := b.open[0]
		if top.bound <= b.owner.core.need {
			b.open = nil // B3: no other branch has a greater bound
			break
		}
		if m.Steps() >= b.until || m.Stopped() {
			return max(b.missed, top.bound)
		}
		heap.Pop(&b.open)
		done := false
		if len(top.numbers) == len(b.starts)-1 {
			done = b.leaf(top)
		} else {
			done = b.settle(top)
		}
		if !done {
			heap.Push(&b.open, top)
		}
	}
	return b.missed
}

// settle tries all numbers of the next class, which are those that leave enough items to the
// other classes. If the search must stop, it returns false, and the whole branch stays open beside
// some of its parts: a choice may be looked at twice, but none is lost (B5).
//
//	left 3; the class has 4 items, the others 2      it has 1, 2 or 3
func (b *branching) settle(of branch) bool {
	class := len(of.numbers)
	size := b.starts[class+1] - b.starts[class]
	rest := len(b.perm) - b.starts[class+1]
	for n := max(0, of.left-rest); n <= min(size, of.left); n++ {
		numbers := append(make([]int, 0, class+1), of.numbers...)
		next := branch{append(numbers, n), of.left - n, of.bound, of.lambda}
		b.take(next)
		if !b.relax() {
			return false
		}
		if math.IsInf(b.sub.relaxed, -1) {
			// Too dear. A greater number of this class takes dear items for cheaper ones of
			// the other classes, so it is dearer still.
			break
		}
		next.bound, next.lambda = min(of.bound, b.sub.relaxed), b.sub.lambda
		switch {
		case next.bound <= b.owner.core.need: // B3
		case len(b.open) >= b.most:
			b.missed = max(b.missed, next.bound)
		default:
			heap.Push(&b.open, next)
		}
	}
	return true
}

// leaf solves a branch in which all numbers are settled. It returns false if the turn is over
// before the enumeration is.
func (b *branching) leaf(of branch) bool {
	b.take(of)
	if !b.relax() {
		return false
	}
	s, t := b.sub, &b.owner.core
	if s.relaxed <= t.need {
		return true // B3
	}
	// The enumeration of the branch goes by the owner's need, and counts as the owner's.
	s.core.bar = t.bar
	s.core.limited, s.core.missed = false, math.Inf(-1)
	s.core.thins, s.core.stopped = false, false
	s.core.until = b.until
	before := s.core.steps
	s.enumerate()
	t.steps += s.core.steps - before
	t.slop = max(t.slop, s.core.slop)
	b.keep()
	if !s.core.stopped {
		return true
	}
	if b.owner.meter.Steps() < b.until {
		b.missed = max(b.missed, of.bound) // it stopped early: there is no memory for its states
		return true
	}
	return false
}

// take makes a branch the problem of sub: a part for each class that is settled, and one part for
// the rest.
func (b *branching) take(of branch) {
	b.sub.parts = b.sub.parts[:len(of.numbers)+1]
	for i := range b.sub.parts {
		p := &b.sub.parts[i]
		p.from, p.to, p.n = b.starts[i], len(b.perm), of.left
		if i < len(of.numbers) {
			p.to, p.n = b.starts[i+1], of.numbers[i]
		}
	}
	b.sub.lambda = of.lambda
}

// relax bounds the branch (B1), and keeps the choice that it comes upon. It returns false if the
// search must stop.
func (b *branching) relax() bool {
	b.sub.found, b.sub.value = false, math.Inf(-1)
	b.sub.relax(b.owner.core.need, 0)
	b.keep()
	return !b.owner.meter.Stopped()
}

// keep gives the best choice of the branch to the owner. The sums are made anew, in the order
// of the owner's items, where rounding may make the choice too dear. Then only its value counts, as
// a bound of a branch that was given up.
func (b *branching) keep() {
	s, k := b.sub, b.owner
	if !s.found || !(s.value > k.core.need) {
		return
	}
	choice := make([]int32, 0, len(s.chosen))
	for i, at := range s.chosen {
		if i%effort.Chunk == 0 && !k.meter.Go(min(effort.Chunk, len(s.chosen)-i)) {
			return
		}
		choice = append(choice, b.perm[at])
	}
	slices.Sort(choice)
	p := k.sum(choice)
	if p.c > k.budget {
		b.missed = max(b.missed, s.value)
		return
	}
	k.keep(p, k.core.need, choice)
	if k.found {
		k.core.raise(k.value, k.scale)
	}
}
