package window

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// Program is the dynamic program of §3.3 and how it is run.
type Program struct {
	// Steps is C, the number of steps into which the budget is divided; at least
	// 1. The table has (n+1)(C+1) numbers, at most 2^26, and as many bits for each
	// node with a slot that will do, at most 2^33 in all: a search that would need more
	// is invalid. A cost is rounded up to a step. So the choice is affordable, and
	// it is the best if all costs are whole steps.
	Steps int
	// Skip leaves out the starts at which a Lagrangian bound shows that no window is
	// better than the best so far. The value is the same, in less time. The published
	// program leaves out no start.
	Skip bool
}

// mostCells is how many numbers the table may have: half a GiB. mostBits is how many bits
// all slots may have: a GiB.
const (
	mostCells = 1 << 26
	mostBits  = 1 << 33
)

// MaxQ returns the best window by a criterion, as the dynamic program of recurrence (2)
// finds it at each start. O(m n C) time and bits for each performance and start; 64 numbers
// of the table are a step, and so are 64 words of its bits. A Tight window may take this time again for each of the slowest
// nodes. The errors are those of FirstFit, and a budget without limit is invalid.
func MaxQ(e *Environment, j Job, c Criterion, p Program) (Window, error) {
	if err := c.check(); err != nil {
		return Window{}, err
	}
	s, err := newSearch(e, j)
	if err != nil {
		return Window{}, err
	}
	cells := min(mostCells, mostBits/int64(max(s.nodes, 1)))
	most := cells/int64(j.Nodes+1) - 1
	switch {
	case p.Steps < 1 || int64(p.Steps) > most:
		return Window{}, limits.Invalid("Program.Steps", p.Steps, fmt.Sprintf("is not from 1 to %d", most))
	case math.IsInf(j.Budget, 1):
		return Window{}, limits.Invalid("Job.Budget", j.Budget, "is no number of steps")
	}
	d := newTable(j.Nodes, p.Steps, j.Budget)
	var b best
	k := newKnapsack(&s.meter)
	s.scan(func(w *extended) bool {
		if p.Skip && b.found {
			k.reset(j.Nodes, s.limit)
			for _, i := range w.list {
				if i.cost <= s.limit {
					k.add(s.value(c, i, w.start), i.cost)
				}
			}
			k.relax(b.value, 0)
			if k.relaxed <= b.value {
				return true // B1: no choice at this start is better
			}
		}
		value, chosen, ok := d.best(s, c, w)
		if ok && !math.IsInf(value, -1) && (!b.found || value > b.value) {
			b.offer(w.start, value, w.list, chosen)
		}
		return ok
	})
	return b.window(s, c)
}

// table is f of recurrence (2): f_i(C, n), the greatest value of n out of the
// first i slots for a budget of C.
type table struct {
	nodes, steps int
	budget       float64   // of all steps
	f            []float64 // f[n*(steps+1)+C], for the slots so far
	slot         []int32   // which slot of the extended window it is; none is too dear
	cost         []int     // of each slot, in steps
	taken        []uint64  // a bit for each slot, n and C: the slot is in
}

func newTable(nodes, steps int, budget float64) *table {
	return &table{nodes: nodes, steps: steps, budget: budget, f: make([]float64, (nodes+1)*(steps+1))}
}

// reset goes back to no slots. It returns false if the search must stop.
func (d *table) reset(m *effort.Meter) bool {
	for i := range d.f {
		if !mayWrite(i, len(d.f), m) {
			return false
		}
		d.f[i] = math.Inf(-1)
	}
	for c := range d.steps + 1 {
		d.f[c] = 0
	}
	d.slot, d.cost, d.taken = d.slot[:0], d.cost[:0], d.taken[:0]
	return true
}

// words is how many words the bits of a slot take.
func (d *table) words() int { return (len(d.f) + 63) / 64 }

// inSteps rounds a cost up to a step. A cost above the budget has a step more than there are.
func (d *table) inSteps(cost float64) int {
	steps := math.Ceil(cost / d.budget * float64(d.steps) * (1 - slack))
	if steps <= float64(d.steps) {
		return int(steps)
	}
	return d.steps + 1
}

// perStep is how many numbers of the table, or words of its bits, are a step. They take about as
// long as a look at a slot, which is found in the cache less often.
const perStep = 64

// mayWrite asks for the steps of a pass over n numbers or words of the table, chunk by chunk, and
// reports whether the pass may write the next one.
func mayWrite(at, n int, m *effort.Meter) bool {
	return at%(perStep*effort.Chunk) != 0 || m.Go(min(effort.Chunk, (n-at)/perStep+1))
}

// add goes from i-1 slots to i, by a cost in steps. Greater n go first, so that f of n-1 is still
// without the slot. It returns false if the search must stop.
func (d *table) add(slot int, value float64, c int, m *effort.Meter) bool {
	i := len(d.cost)
	d.slot, d.cost = append(d.slot, int32(slot)), append(d.cost, c)
	for w := range d.words() {
		if !mayWrite(w, d.words(), m) {
			return false
		}
		d.taken = append(d.taken, 0)
	}
	bits := d.taken[i*d.words():]
	row := d.steps + 1
	for n := min(d.nodes, i+1); n >= 1; n-- {
		to, from := d.f[n*row:(n+1)*row], d.f[(n-1)*row:n*row]
		for k := c; k < row; k++ {
			if !mayWrite(k-c, row-c, m) {
				return false
			}
			v := from[k-c] + value
			if v > to[k] {
				to[k] = v
				at := n*row + k
				bits[at/64] |= 1 << (at % 64)
			}
		}
	}
	return true
}

// best returns the best choice in an extended window, of value -Inf if there is none. The choice
// of a Tight window has a slow slot. If the best of all choices has none, each slow slot is forced
// in once: it is paid first, and the others are chosen without it. Slow slots that were forced
// before are left out, since their choices are known. It returns false if the search must stop.
func (d *table) best(s *search, c Criterion, w *extended) (value float64, chosen []int32, ok bool) {
	if !d.fill(s, c, w, -1) {
		return 0, nil, false
	}
	value = d.value(d.nodes, d.steps)
	if math.IsInf(value, -1) {
		return value, nil, true
	}
	chosen = d.chosen(d.nodes, d.steps)
	isSlow := func(i int32) bool { return w.list[i].slow }
	if s.job.Shape != Tight || slices.ContainsFunc(chosen, isSlow) {
		return value, chosen, true
	}
	value, chosen = math.Inf(-1), nil
	for i, k := range w.list {
		if !k.slow {
			continue
		}
		left := d.steps - d.inSteps(k.cost)
		if left < 0 {
			continue
		}
		if !d.fill(s, c, w, i) {
			return 0, nil, false
		}
		v := d.value(d.nodes-1, left) + s.value(c, k, w.start)
		if v > value {
			value, chosen = v, append(d.chosen(d.nodes-1, left), int32(i))
		}
	}
	return value, chosen, true
}

// fill goes through all slots. It leaves out those that are too dear, the slot that is forced, and
// all slow slots before it. It returns false if the search must stop.
func (d *table) fill(s *search, c Criterion, w *extended, forced int) bool {
	if !d.reset(&s.meter) {
		return false
	}
	for i, k := range w.list {
		if !s.meter.Go(1) {
			return false
		}
		if i == forced || i < forced && k.slow {
			continue
		}
		cost := d.inSteps(k.cost)
		if cost > d.steps {
			continue // its bits would all be 0
		}
		if !d.add(i, s.value(c, k, w.start), cost, &s.meter) {
			return false
		}
	}
	return true
}

// value returns f(c, n): -Inf if there is no choice.
func (d *table) value(n, c int) float64 { return d.f[n*(d.steps+1)+c] }

// chosen goes back from f(c, n), and returns which slots are in.
func (d *table) chosen(n, c int) []int32 {
	var list []int32
	for i := len(d.cost) - 1; n > 0; i-- {
		at := n*(d.steps+1) + c
		if d.taken[i*d.words()+at/64]>>(at%64)&1 == 1 {
			list = append(list, d.slot[i])
			n, c = n-1, c-d.cost[i]
		}
	}
	return list
}
