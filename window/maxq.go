package window

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead/internal/limits"
)

// Program is the dynamic program of §3.3 and how it is run.
type Program struct {
	// Steps is C, into how many whole numbers the budget is divided; at least
	// 1. The table has (n+1)(C+1) numbers, at most 2^26, and as many bits for each
	// node with a slot that will do, at most 2^33: a search that would need more
	// is invalid. A cost is rounded up to a step: the choice is affordable, and
	// the best if all costs are whole steps.
	Steps int
	// Skip leaves out the starts at which a Lagrangian bound shows that nothing
	// better can be had. The value is the same, in less time. As published, no
	// start is left out.
	Skip bool
}

// mostCells is how many numbers the table may have, and mostBits how many bits all
// slots may have: half a GiB, and one.
const (
	mostCells = 1 << 26
	mostBits  = 1 << 33
)

// MaxQ returns the best window by that criterion, as the dynamic program finds
// it, recurrence (2), at each start. O(m n C) time and bits for each performance
// and start. The errors are those of FirstFit; a budget without limit is invalid.
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
	var k knapsack
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
		d.reset()
		for _, k := range w.list {
			d.add(s.value(c, k, w.start), k.cost)
		}
		value := d.value()
		if !math.IsInf(value, -1) && (!b.found || value > b.value) {
			b.offer(w.start, value, w.list, d.chosen())
		}
		return true
	})
	return b.window(s, c)
}

// DEP is MaxQ by Near: it maximises the distance to the nearer neighbour (§3.4).
func DEP(e *Environment, j Job, p Program) (Window, error) { return MaxQ(e, j, Near, p) }

// COORD is MaxQ by Far: it minimises the distance to the farther neighbour
// (§3.4).
func COORD(e *Environment, j Job, p Program) (Window, error) { return MaxQ(e, j, Far, p) }

// table is f of recurrence (2): f_i(C, n), the greatest value of n out of the
// first i slots for a budget of C.
type table struct {
	nodes, steps int
	budget       float64   // of all steps
	f            []float64 // f[n*(steps+1)+C], for the i so far
	cost         []int     // of each slot, in steps; more than steps if too dear
	taken        []uint64  // a bit for each slot, n and C: the slot is in
}

func newTable(nodes, steps int, budget float64) *table {
	return &table{nodes: nodes, steps: steps, budget: budget, f: make([]float64, (nodes+1)*(steps+1))}
}

// reset goes back to no slots.
func (d *table) reset() {
	for i := range d.f {
		d.f[i] = math.Inf(-1)
	}
	for c := range d.steps + 1 {
		d.f[c] = 0
	}
	d.cost, d.taken = d.cost[:0], d.taken[:0]
}

// words is how many words the bits of a slot take.
func (d *table) words() int { return (len(d.f) + 63) / 64 }

// add goes from i-1 slots to i.
func (d *table) add(value, cost float64) {
	c := d.steps + 1
	steps := math.Ceil(cost / d.budget * float64(d.steps) * (1 - slack))
	if steps <= float64(d.steps) {
		c = int(steps)
	}
	i := len(d.cost)
	d.cost = append(d.cost, c)
	for range d.words() {
		d.taken = append(d.taken, 0)
	}
	bits := d.taken[i*d.words():]
	row := d.steps + 1
	for n := min(d.nodes, i+1); n >= 1; n-- {
		to, from := d.f[n*row:(n+1)*row], d.f[(n-1)*row:n*row]
		for k := c; k < row; k++ {
			v := from[k-c] + value
			if v > to[k] {
				to[k] = v
				at := n*row + k
				bits[at/64] |= 1 << (at % 64)
			}
		}
	}
}

// value is f(S, n): -Inf if there is no window.
func (d *table) value() float64 { return d.f[len(d.f)-1] }

// chosen goes back from f(S, n), and returns which slots are in.
func (d *table) chosen() []int32 {
	var list []int32
	n, c := d.nodes, d.steps
	for i := len(d.cost) - 1; n > 0; i-- {
		at := n*(d.steps+1) + c
		if d.taken[i*d.words()+at/64]>>(at%64)&1 == 1 {
			list = append(list, int32(i))
			n, c = n-1, c-d.cost[i]
		}
	}
	return list
}
