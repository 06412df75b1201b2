package window

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// These tests check the invariants B1 to B7 (exact.go) while the search runs, against
// all choices and all windows. A failure names the invariant.

// tiny is the rounding that the checks allow.
const tiny = 1e-6

// choices are the value and the cost of all sets of n items.
func (k *knapsack) choices() (all []pair) {
	for set := range 1 << len(k.z) {
		var choice []int32
		for i := range k.z {
			if set>>i&1 == 1 {
				choice = append(choice, int32(i))
			}
		}
		if len(choice) == k.n {
			all = append(all, k.sum(choice))
		}
	}
	return all
}

// optimum is the value of the best choice within the budget; -Inf if there is none.
func (k *knapsack) optimum() float64 {
	best := math.Inf(-1)
	for _, p := range k.choices() {
		if p.c <= k.budget*(1-tiny) || p.c == 0 { // no choice that only rounding makes affordable
			best = max(best, p.z)
		}
	}
	return best
}

// leastL is the least Lagrangian bound, by trisection.
func (k *knapsack) leastL() float64 {
	all := k.choices()
	bound := func(lambda float64) float64 {
		most := math.Inf(-1)
		for _, p := range all {
			most = max(most, p.z+lambda*(k.budget-p.c))
		}
		return most
	}
	low, high := 0.0, 1000.0
	for range 200 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if bound(a) <= bound(b) {
			high = b
		} else {
			low = a
		}
	}
	return min(bound(0), bound(low), bound(high))
}

// drawKnapsack draws a knapsack of at most 9 items; most have values near their costs.
func drawKnapsack(rng *rand.Rand) *knapsack {
	f := free()
	k := &f
	m := 2 + rng.IntN(8)
	n := 1 + rng.IntN(m-1)
	k.reset(n, float64(n)*15*rng.Float64())
	k.lambda = pickOne(rng, 0, 0.1, 1, 5)
	spread, kind := pickOne(rng, 1, 5, 20), rng.IntN(4)
	if kind == 1 {
		k.budget = math.Round(k.budget) / 10
	}
	for range m {
		c := 20 * rng.Float64()
		z := c + spread*(rng.Float64()-0.5)
		switch kind {
		case 0:
			z, c = math.Round(z), math.Round(c)
		case 1: // sums of tenths are rounded, so equal ones may differ
			z, c = math.Round(z)/10, math.Round(c)/10
		}
		k.add(z, c)
	}
	return k
}

// TestPriceInvariant checks B1, and how far relaxed exceeds the least L.
func TestPriceInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	tried, above := 0, 0
	for i := range depth.Cases(2000) {
		k := drawKnapsack(rng)
		floor, rough := pickOne(rng, -1000, 10, 40), pickOne(rng, 0, 0.1)
		k.relax(floor, rough)
		require.GreaterOrEqual(t, k.relaxed, k.optimum()-tiny, "B1: knapsack %d", i)
		if math.IsInf(k.relaxed, -1) || k.relaxed <= floor {
			continue
		}
		tried++
		least := k.leastL()
		if k.relaxed > least+rough*(least-floor)+tiny {
			above++
			require.LessOrEqual(t, k.relaxed, least*1.02, "B1: knapsack %d", i)
		}
	}
	require.Greater(t, tried, depth.Cases(500))
	require.LessOrEqual(t, above, tried/50, "B1: relax gave up above the least L")
}

// TestStateInvariant checks B2 and B3 after each item of an enumeration: all choices that
// follow from a state are within its bound, and each choice of interest follows from some state.
func TestStateInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	states := 0
	for i := range depth.Cases(3000) {
		k := drawKnapsack(rng)
		k.relax(math.Inf(-1), 0)
		if math.IsInf(k.relaxed, -1) {
			continue
		}
		c := &k.core
		c.until = math.MaxInt64
		c.raise(math.Inf(-1), 0)
		if k.found {
			c.raise(k.value, k.scale)
		}
		best := k.optimum()
		k.begin()
		first, last := k.n, k.n
		for at := range c.items {
			before := c.need
			first, last = k.advance(at, first, last)
			require.GreaterOrEqual(t, c.need, before, "B3: need fell, knapsack %d", i)
			reached := k.value
			for d, list := range c.lists {
				root, ahead := k.outlook(d, 0, c.after[at])
				for _, s := range list {
					states++
					most := k.follow(s, d-k.n, at+1)
					reached = max(reached, most)
					require.GreaterOrEqual(t, root+s.z-k.lambda*s.c-ahead+c.slop, most-tiny, "B2: knapsack %d", i)
				}
			}
			require.GreaterOrEqual(t, max(reached, c.need), best-tiny, "B3: a choice of interest was left out, knapsack %d", i)
			if first > last {
				break
			}
		}
	}
	require.Greater(t, states, depth.Cases(1000))
}

// follow returns the value of the best affordable choice that a state leads to by
// further changes, of the items from i on.
func (k *knapsack) follow(s state, surplus, i int) float64 {
	best := math.Inf(-1)
	items := k.core.items[i:]
	for set := 1; set < 1<<len(items); set++ {
		z, c, d := s.z, s.c, surplus
		for j, item := range items {
			switch {
			case set>>j&1 == 0:
			case item.in:
				z, c, d = z-item.z, c-item.c, d-1
			default:
				z, c, d = z+item.z, c+item.c, d+1
			}
		}
		if d == 0 && c <= k.budget {
			best = max(best, z)
		}
	}
	return best
}

// TestSolveInvariant checks B6 and B7, with and without a limit of steps.
func TestSolveInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 3))
	limited := 0
	for i := range depth.Cases(8000) {
		k := drawKnapsack(rng)
		k.limit(int64(pickOne(rng, 0, 0, 20, 100, 200)))
		floor := pickOne(rng, math.Inf(-1), 10, 40)
		best := k.optimum()
		k.solve(floor, 0)
		require.GreaterOrEqual(t, k.bound, max(best, floor)-tiny, "B7: knapsack %d", i)
		if k.found {
			p := k.sum(k.chosen)
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(k.chosen))), k.n, "B6")
			require.Equal(t, p.z, k.value, "B6")
			require.LessOrEqual(t, p.c, k.budget, "B6: knapsack %d is over the budget", i)
			require.Greater(t, k.value, floor, "B6")
		}
		if k.core.limited {
			limited++
			continue
		}
		require.LessOrEqual(t, k.bound, max(k.value, floor)+tiny, "B7: not limited, and not proven, knapsack %d", i)
	}
	require.Greater(t, limited, depth.Cases(100))
}

// spot is a window of the general search: its length, its start and its slots.
type spot struct {
	length bookahead.Duration
	start  bookahead.Time
	slots  []candidate
	value  float64
}

// spots lists all windows that the search may return, at the stops of the oracle. Of a
// criterion that is monotone, those with a slowest node, at the start of a slot.
func spots(e *Environment, j Job, c Criterion, ticks bool) (all []spot) {
	stops(e, j, ticks, func(length bookahead.Duration, start bookahead.Time, list []candidate) {
		all = append(all, sets(e, j, c, spot{length: length, start: start}, list)...)
	})
	return all
}

// sets lists the affordable windows at a start.
func sets(e *Environment, j Job, c Criterion, at spot, list []candidate) (all []spot) {
	for set := range 1 << len(list) {
		w, cost := at, 0.0
		slow, begins := at.length == 0, tariffed(e, j)
		for i, k := range list {
			if set>>i&1 == 1 {
				w.slots = append(w.slots, k)
				cost += costOf(e, k, at.start)
				w.value += c.Value(e.nodes[k.node], e.slots[k.slot], at.start, k.length)
				first, _ := bounds(e, j, k)
				begins = begins || first == at.start
				slow = slow || ownLength(e, j, k.node) == at.length
			}
		}
		if len(w.slots) == j.Nodes && cost <= j.Budget && (!c.Monotone || slow && begins) && (j.Shape != Tight || slow) {
			all = append(all, w)
		}
	}
	return all
}

// has reports whether a window is in a box.
func (x *exact) has(b *box, w spot) bool {
	if w.start < b.from || w.start > b.to {
		return false
	}
	if w.length != 0 && (w.length < x.lengths[b.short] || w.length > x.lengths[b.long]) {
		return false
	}
	return b.slow < 0 || slices.ContainsFunc(w.slots, func(k candidate) bool { return k.node == b.slow })
}

// TestBoxInvariants checks B3 to B5 and B7 for each box on the heap, after each box
// that the search looks at.
func TestBoxInvariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 4))
	boxes, limited := 0, 0
	for range 300 {
		e, j := tiedEnvironment(t, rng)
		for i := range e.nodes {
			e.nodes[i].Performance = pickOne(rng, 0.7, 1, 1.5, 2, 3) // more lengths than ties need
		}
		for _, c := range criteria {
			j.Effort.Steps = int64(pickOne(rng, 0, 0, 200, 1000))
			s, err := newSearch(e, j)
			require.NoError(t, err)
			x := newExact(s, c, nil)
			if c.Bound != nil && rng.IntN(2) == 0 {
				x.breaks = halves // as ExactPlacement does
			}
			all := spots(e, j, c, x.breaks != nil)
			x.begin()
			for need := x.need(); ; {
				boxes += len(x.boxes)
				x.requireBoxes(t, all)
				require.GreaterOrEqual(t, x.need(), need-tiny, "B3: need fell")
				need = x.need()
				if len(x.boxes) == 0 {
					break
				}
				x.follow(x.pop(), false)
			}
			if x.bound > x.floor {
				limited++
			}
		}
	}
	require.Greater(t, boxes, depth.Cases(2000))
	require.Greater(t, limited, 3)
}

// requireBoxes checks all windows against all boxes.
func (x *exact) requireBoxes(t *testing.T, all []spot) {
	for _, w := range all {
		better := w.value > x.need()+tiny
		covered := false
		for _, b := range x.boxes {
			if !x.has(b, w) {
				continue
			}
			covered = true
			if !better {
				continue
			}
			require.GreaterOrEqual(t, b.bound, w.value-tiny, "B4: the bound of box %d is too low", b.made)
			for _, k := range w.slots {
				in := slices.ContainsFunc(b.items, func(i int32) bool { return x.items[i].slot == k.slot })
				require.True(t, in, "B4: slot %d is missing in box %d", k.slot, b.made)
			}
		}
		if better && !covered {
			require.GreaterOrEqual(t, x.bound, w.value-tiny, "B5: no box has a better window (B7: and it is not in the bound)")
		}
	}
}
