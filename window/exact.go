package window

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Optimum is what Exact found, and how good it can be at most.
type Optimum struct {
	Window
	// Bound is at least the value of every window. It is the window's own
	// Value if that is proven to be the greatest.
	Bound float64
	// Steps is how many sets of slots were looked at.
	Steps int
}

// Proven reports whether no window is better, but for rounding: by more than
// 1e-12 of the sum of the magnitudes of its values. Where numbers differ by more
// than a factor of 1e12, or cancel out, rounding may hide more: then it is in Bound,
// and nothing is proven.
func (o Optimum) Proven() bool { return o.Bound <= o.Value }

// Exact returns the best of all windows that the general search meets (§3.2), for
// real prices and values: for each length of the tasks and each start of a slot,
// the best n slots within the budget, problem (1). The enumeration takes at most so
// many steps: where it needs more it is thinned out, and once they are used up it
// only bounds. The window is then the best it has, and Bound says what it may miss; 0
// sets no limit, and time that is exponential in m at worst.
// Of several windows that are best it returns one, always the same. The other
// errors are those of FirstFit, and one that wraps bookahead.ErrInvalid if most is
// negative or the criterion is not finite.
//
// The limit bounds only the enumeration: boxes are bounded and split until there
// are none, whatever it is. What is not worth a look is left out by a Lagrangian bound, from
// Criterion.Bound, on ranges of lengths and spans of starts; see the package's
// text. O(m) for such a box with m slots, and O(N) for each of about three prices
// at which the relaxation is tried. A criterion without a bound takes O(s m) for
// each length, and an enumeration at each start.
func Exact(e *Environment, j Job, c Criterion, most int) (Optimum, error) {
	return exactly(e, j, c, most, nil)
}

// exactly is Exact. If breaks is nil, windows start where slots do; otherwise
// also at each tick that it puts for a slot.
func exactly(e *Environment, j Job, c Criterion, most int, breaks breaks) (Optimum, error) {
	if err := c.check(); err != nil {
		return Optimum{}, err
	}
	if most < 0 {
		return Optimum{}, limits.Invalid("most", most, "is negative")
	}
	s, err := newSearch(e, j)
	if err != nil {
		return Optimum{}, err
	}
	x := newExact(s, c, most, breaks)
	x.run()
	w, err := x.best.window(s, c)
	if err != nil {
		return Optimum{}, err
	}
	o := Optimum{Window: w, Bound: max(w.Value, x.bound), Steps: x.inner.core.steps}
	if x.bound <= x.floor {
		o.Bound = w.Value
	}
	return o, nil
}

// exact is a search under way.
type exact struct {
	*search
	c             Criterion
	breaks        breaks
	best          best
	floor         float64 // the value of the best
	scale         float64 // Σ|value| over its slots
	bound         float64 // of the starts where branching was cut short
	ordered, ends []int32 // the items by length, and where each begins
	boxes         []*box  // those still to be looked at: a heap, best bound first
	made          int     // so many boxes
	fresh         []*box  // those just made
	outer         outer
	inner         knapsack
	spare         []int32 // room for the items of boxes to come
	starts        []bookahead.Time
	active        []candidate
	list          []candidate
}

func newExact(s *search, c Criterion, most int, breaks breaks) *exact {
	x := &exact{search: s, c: c, breaks: breaks, floor: math.Inf(-1), bound: math.Inf(-1)}
	x.inner.core.most = most
	x.outer.offer, x.outer.slow = make([]offer, len(s.env.nodes)), -1
	return x
}

// dives is how often the search follows the better child down to a leaf at first,
// so that there is something to beat.
const dives = 6

// run looks at the boxes, the most promising first.
func (x *exact) run() {
	x.begin()
	for _, b := range x.fresh {
		x.push(b)
	}
	for dived := 0; len(x.boxes) > 0 && x.bad == nil; {
		for b := x.pop(); b != nil; {
			if b.bound <= x.need() {
				break // the best is done, or a child overtaken
			}
			if x.leaf(b) {
				x.sweep(b)
				dived++
				break
			}
			b = x.descend(b, dived < dives)
		}
	}
}

// descend splits a box, and puts its parts on the heap; but the best is returned
// if it is to be the next.
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

// need is what a window must be worth to be of interest.
func (x *exact) need() float64 {
	if math.IsInf(x.floor, 0) {
		return x.floor
	}
	return x.floor + slack*x.scale
}

// sweep moves the extended window over the starts of a leaf.
func (x *exact) sweep(b *box) {
	length := x.length(b.long)
	x.inner.lambda = b.lambda
	x.active = x.active[:0]
	i := 0
	for _, t := range x.starts {
		for ; i < len(b.items) && x.items[b.items[i]].start <= t; i++ {
			k, _ := x.items[b.items[i]].candidate(length)
			x.active = append(x.active, k)
		}
		if len(x.active) >= x.job.Nodes && x.slowest(b, t) {
			x.solve(b, t)
		}
	}
}

// slowest reports whether a slot on one of the slowest nodes is there at t.
func (x *exact) slowest(b *box, t bookahead.Time) bool {
	if x.c.Monotone || x.job.Shape == Rough {
		return true
	}
	for _, i := range x.slow(b.long) {
		if it := &x.items[i]; it.start <= t && t <= it.end-bookahead.Time(it.own) {
			return true
		}
	}
	return false
}

// solve finds the best window that starts at t, if it is better than the best.
func (x *exact) solve(b *box, t bookahead.Time) {
	kept := x.active[:0]
	for _, k := range x.active {
		if t <= k.last {
			kept = append(kept, k)
		}
	}
	if x.active = kept; len(kept) < x.job.Nodes {
		return
	}
	k, base := &x.inner, 0.0
	k.reset(x.job.Nodes, x.limit)
	list, forced := x.list[:0], -1
	for i, a := range kept {
		value := x.value(x.c, a, t)
		if a.node == b.slow {
			forced, base = i, value
			k.n, k.budget = k.n-1, k.budget-a.cost
			continue
		}
		k.add(value, a.cost)
		list = append(list, a)
	}
	if x.list = list; b.slow >= 0 && forced < 0 || k.budget < 0 {
		return
	}
	k.scale, k.shift = x.scale, math.Abs(base)
	k.solve(x.floor - base)
	if k.core.cut || k.bound > max(k.value, x.floor-base) {
		x.bound = max(x.bound, k.bound+base)
	}
	if k.found {
		x.floor, x.scale = k.value+base, k.scale
		x.best.found = false
		x.best.offer(t, x.floor, list, k.chosen)
		if forced >= 0 {
			x.best.chosen = append(x.best.chosen, kept[forced])
		}
	}
}
