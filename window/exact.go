package window

import (
	"errors"
	"math"

	"github.com/bookahead/bookahead"
)

// How Exact works. Read the files in this order:
//
//	scan.go      a job in an environment: items and candidates
//	relax.go     one start: a price for the budget bounds the best n slots
//	exchange.go  ... and its affordable choice is improved
//	solve.go     ... the best n slots, and when they are proven
//	states.go    ... by enumeration, with merge.go; thin.go and memory.go keep it within limits
//	classes.go   ... or by the numbers of classes, if costs fall into such
//	box.go       many starts and lengths: boxes, and how they are split
//	outer.go     ... the bound of a box, and the items it keeps
//	leaf.go      ... a box so small that its starts are solved one by one
//	heap.go      ... the boxes by promise
//	exact.go     the search: the most promising box first
//
// Throughout, need is the value that a window must exceed to be of interest: the value
// of the best window so far, and 1e-12 of its magnitude besides, because a smaller gain is
// rounding. The bounds have these parts:
//
//	lambda, L, rough, floor    relax.go     a price for the budget; the bound by a price; how loose a
//	                                        bound may be; the value below which it does not matter
//	z, c                       states.go    the value and the cost of a state
//	root, ahead                states.go    outlook: the budget's worth, and the losses still to come
//	need, slop                 solve.go     bar: the value to exceed, and the rounding in a bound
//
// Seven invariants carry the proof. Tests name them when they fail.
//
//	B1 price   A knapsack's relaxed is at least the value of every n items within the
//	           budget. relax writes it: L(lambda) + rounding for some lambda >= 0. It
//	           exceeds the optimum by the gap of the relaxation, however large, and
//	           the least L by rough × (least L - floor), unless relax gives up.
//	B2 state   root + z - lambda c - ahead + slop is at least the value of every
//	           choice that a state's later changes lead to. The bound exceeds the best
//	           of them by the budget left, at price lambda, and by further losses.
//	B3 need    A state, item, start or box is left out only if its bound is at most
//	           need, or counts in missed. need is never below the value of the best
//	           so far, and only grows.
//	B4 box     A box's bound is at least the value of every window in the box. Its
//	           items include all slots of each of these windows worth more than need.
//	           outer.go writes both, once, before the box is on the heap.
//	B5 cover   A window worth more than need is in a box on the heap, or its start
//	           was limited, and exact.bound is at least its value.
//	B6 found   The incumbent is real: n different items within the budget, and its
//	           value is their sum, made anew. Only keep and keepState write it.
//	B7 proven  A knapsack's bound is at least its optimum and floor. The bound is the
//	           value, or floor, unless the limit left states out or slop exceeds the
//	           margin need - value. A window is proven if no such bound, at any start,
//	           is above its value.
//
// B1 to B3, B6 and B7 are about one start (solve); B4 and B5 lift them to all.

// Optimum is the window that Exact found, and a bound on how good one can be.
type Optimum struct {
	Window
	// Bound is at least the value of every window. If the window is proven to be
	// the best, Bound is its own Value.
	Bound float64

	steps int64 // of the search
}

// Proven reports whether no window is better, of all windows that the search may return: those of
// Exact start where slots do, and with tariffs also at the ticks that the package's text lists; those
// of ExactPlacement at any tick. A gain of rounding does not count: up to 1e-12 of the sum of the
// magnitudes of the window's values. Where numbers differ by more than a factor of 1e12, or cancel
// out, rounding may hide more. Then Bound includes the rounding, and nothing is proven.
func (o Optimum) Proven() bool { return o.Bound <= o.Value }

// Exact returns the best of all windows that the general search meets (§3.2), for
// real prices and values: for each length of the tasks and each start of a slot,
// the best n slots within the budget, problem (1). Of several best windows it returns
// one, always the same.
//
// The number of steps is exponential in m at worst, and Job.Effort limits it. An enumeration
// for one start that has not ended after a few quarters of the steps that are left gives up
// most sets of slots, and looks at a part of them. When the search must stop, it returns the
// best window so far, and no window is worth more than Bound. If there is no window yet, the error
// wraps bookahead.ErrStopped. The other errors are those of FirstFit, and one that wraps
// bookahead.ErrInvalid if the criterion is not finite.
//
// A step is a look at a slot in a box or at a price, or at a set of slots in an enumeration.
// The search stops within 1 024 steps of the end of Effort.Context; only the sorting of a list
// of slots is not broken off. A step in a box takes 4 bytes at most. Boxes take 256 MiB at most:
// when these are used up, the boxes that are left out count in Bound. A step in an enumeration
// takes 32 bytes. An enumeration takes 340 MiB at most, and there may be two of them: beyond that
// it leaves out sets as if it had too few steps. Branches (classes.go) take about 64 MiB at most: those
// beyond that count in Bound. With tariffs Exact first lists the starts that it
// may try: a step for each, of 24 bytes at most.
//
// A Lagrangian bound, from Criterion.Bound, on ranges of lengths and spans of starts leaves
// out most boxes, as the package's text explains. O(m) for such a box with m slots, and O(N)
// for each of about three prices at which the relaxation is tried. A criterion without a bound
// takes O(s m) for each length, and an enumeration at each start.
func Exact(e *Environment, j Job, c Criterion) (Optimum, error) {
	return exactly(e, j, c, nil)
}

// exactly is Exact. Windows start where slots do, and at each tick that breaks puts for a
// slot, if breaks is not nil.
func exactly(e *Environment, j Job, c Criterion, breaks breaks) (Optimum, error) {
	if err := c.check(); err != nil {
		return Optimum{}, err
	}
	s, err := newSearch(e, j)
	if err != nil {
		return Optimum{}, err
	}
	x := newExact(s, c, breaks)
	x.run()
	w, err := x.best.window(s, c)
	if err != nil && !(x.best.found && errors.Is(err, bookahead.ErrStopped)) {
		return Optimum{}, err
	}
	o := Optimum{Window: w, Bound: max(w.Value, x.bound), steps: s.meter.Steps()}
	if x.bound <= x.floor {
		// w.Value sums the tasks in another order than floor did, and may be less
		// by rounding: that must not unprove the window (B7).
		o.Bound = w.Value
	}
	return o, nil
}

// exact is a search under way. newExact sets the first three fields, and they stay.
type exact struct {
	*search
	c      Criterion
	breaks breaks
	progress
	groups  groups           // the items by the length that their nodes need
	queue                    // the boxes still to be looked at
	outer   outer            // the relaxation of a box
	inner   knapsack         // the problem of a start
	stops   []bookahead.Time // the starts that are tried, if there are tariffs and no breaks
	divided int              // boxes that were divided, one part for each possible slow node (box.go)
	seen    []int            // by node: the number of the last divided box with a part for it
	room    room             // of a leaf
}

// progress is the best window so far, and the proof. Only solve (leaf.go) writes it.
type progress struct {
	best  best
	floor float64 // the value of the best; -Inf if there is none
	scale float64 // Σ|value| over its slots
	bound float64 // the greatest bound of the starts that are not proven (B5)
}

func newExact(s *search, c Criterion, breaks breaks) *exact {
	x := &exact{search: s, c: c, breaks: breaks}
	x.floor, x.bound = math.Inf(-1), math.Inf(-1)
	x.inner, x.outer.knapsack = newKnapsack(&s.meter), newKnapsack(&s.meter)
	x.seen = make([]int, len(s.env.nodes))
	x.outer.offer, x.outer.slow = make([]offer, len(s.env.nodes)), -1
	return x
}

// dives is how often the search follows the better child down to a leaf at first.
// B3 leaves nothing out while no window is known, so an early good window saves boxes:
// with 0, 1 and 6 dives the searches of TestExactLooksAtFewBoxes make 13 858, 11 873
// and 10 629 boxes.
const dives = 6

// run looks at the boxes, the most promising first, until none is left (B5), or until the
// search must stop. Then the boxes on the heap count in bound.
func (x *exact) run() {
	x.seed()
	x.begin()
	for dived := 0; len(x.boxes) > 0 && x.bad == nil && !x.meter.Stopped(); {
		if x.follow(x.pop(), dived < dives) {
			dived++
		}
	}
	for _, b := range x.boxes {
		x.leave(b)
	}
}

// seed takes the first window of the general search: the n cheapest slots at the first start
// at which they are affordable, with the shortest length that has such a start. This window is
// seldom good, but the search has it to return, however early it must stop. seed takes a quarter
// of the steps at most.
func (x *exact) seed() {
	w := &extended{until: x.meter.Steps() + x.meter.Left()/4}
	p := picker{meter: &x.meter}
	take := func(w *extended) bool {
		cost, ok := x.cheapest(&p, w.list)
		if !ok || cost > x.limit {
			return ok
		}
		x.floor, x.scale = 0, 0
		for _, i := range p.heap {
			value := x.value(x.c, w.list[i], w.start)
			x.floor += value
			x.scale += math.Abs(value)
		}
		x.best.offer(w.start, x.floor, w.list, p.heap)
		return false
	}
	lengths := x.lengths
	if x.job.Shape == Rough {
		lengths = []bookahead.Duration{0}
	}
	for _, w.length = range lengths {
		x.round(w, take)
		if x.best.found || x.meter.Steps() > w.until {
			return
		}
	}
}

// leave counts a box in bound that nobody will look at any more (B5). A box that B3 leaves
// out does not count.
func (x *exact) leave(b *box) {
	if b.bound > x.need() {
		x.bound = max(x.bound, b.bound)
	}
}

// follow solves a box that is a leaf, and splits any other. If the search dives, it goes on
// with the better part, down to a leaf; all other parts go on the heap. It reports whether it came
// to a leaf. If the search must stop on the way, the box under way is left as a whole, since its
// parts may not all have been made.
func (x *exact) follow(b *box, dive bool) bool {
	for b != nil {
		if b.bound <= x.need() {
			return false // B3: the best window has overtaken this box
		}
		leaf, whole := x.leaf(b), b
		if leaf {
			x.sweep(b)
		} else {
			b = x.descend(b, dive)
		}
		if x.meter.Stopped() {
			x.leave(whole)
			return false
		}
		if leaf {
			return true
		}
	}
	return false
}

// descend splits a box, and puts its parts on the heap. If the search dives, it returns the
// better part instead.
func (x *exact) descend(b *box, dive bool) *box {
	x.fresh = x.fresh[:0]
	x.split(b)
	var best *box
	for _, f := range x.fresh {
		switch {
		case !dive:
			x.push(f)
		case best == nil || f.before(best):
			if best != nil {
				x.push(best)
			}
			best = f
		default:
			x.push(f)
		}
	}
	return best
}

// need is the value that a window must exceed to be of interest (B3).
func (x *exact) need() float64 {
	if math.IsInf(x.floor, 0) {
		return x.floor
	}
	return x.floor + slack*x.scale
}
