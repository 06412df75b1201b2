package volume

import (
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// program finds the plan with the least cost in few stretches. Some best plan has a form that makes a search possible:
// each stretch begins where a step of the free units begins, and has as many units as are free throughout. A
// stretch with fewer units could have more. One that begins later could begin at the bend before, or where the stretch
// before it ends; and of two neighbours, the one with more units can be as long as its units are free:
//
//	free units     4 │         ██████████
//	               2 │█████████████████████████
//	a, b, c          ├─a─────┼─────b────┼──c──      b has 4 units and is as long as can be
//
// So for each bend, the time at which a step begins, and each number of stretches, the most that can be done by then is
// known from earlier bends. The first step in which the rest can be done has the least end, as each plan that ends in
// a later step ends later.
type program struct {
	Request
	*effort.Meter
	most   int            // stretches; fewer when a plan is known that more cannot beat
	ends   bookahead.Time // no plan ends earlier
	bends  [][]cell       // for each bend, and 0 to most stretches
	begun  []stretch      // from the bends from which enough is free up to now
	best   Plan
	costs  Cost // of best
	exists bool // best is a plan
}

// cell is the most that can be done by a bend in some stretches, and the last of these. done is -1 if there is no such
// plan.
type cell struct {
	done int64
	last Stretch
	bend int // where last begins
}

// stretch is one that may begin at a bend, and the units that have been free since.
type stretch struct {
	bend  int
	start bookahead.Time
	units int64
}

// bend returns the plan with the least cost. filled is the plan with the least end, in any number of stretches, and
// once a plan of one stretch, if one is known.
func bend(free iter.Seq[bookahead.Step], r Request, filled, once Plan, m *effort.Meter) (Plan, error) {
	x := program{Request: r, Meter: m, most: len(filled.Stretches), ends: filled.Completion()}
	x.end(once)
	if r.Stretches == 0 || x.most <= r.Stretches {
		x.end(filled)
	} else {
		x.most = r.Stretches
	}
	first := filled.Completion() // the least time of a cost that is not known yet
	x.bends = [][]cell{{{}}}
	last := bookahead.Time(-1)
	for step := range free {
		first = max(first, step.Start+1)
		if x.exists && x.costs.Compare(x.CostOf(first, 0)) <= 0 { // all that is left ends later
			break
		}
		if !x.step(step, last < step.Start) {
			return x.result(first, m.Err())
		}
		last = step.End
	}
	return x.result(bookahead.MaxTime, bookahead.ErrUnavailable)
}

// result returns the best plan, given that no other costs less than bound; an error if there is none.
func (x *program) result(bound bookahead.Time, err error) (Plan, error) {
	if !x.exists {
		return Plan{}, err
	}
	x.best.Cost = x.costs.Time()
	x.best.Bound = min(x.best.Cost, bound)
	return x.best, nil
}

// after returns the cells of a bend to which nothing leads but the cells of the bend before: the work may pause between.
func (x *program) after(before []cell) []cell {
	row := make([]cell, 1+min(x.most, len(x.bends)))
	for j := range row {
		row[j].done = -1
		if x.Least == 0 && j < len(before) {
			row[j] = before[j]
		}
	}
	row[0] = cell{}
	return row
}

// step takes a step of the free units into the program; false if the effort is over. With gap, less was free before it
// than the work needs.
func (x *program) step(step bookahead.Step, gap bool) bool {
	here := len(x.bends) - 1
	if gap {
		x.begun = x.begun[:0]
		for j := range x.bends[here] {
			if x.Least > 0 && j > 0 {
				x.bends[here][j].done = -1
			}
		}
	}
	x.begun = append(x.begun, stretch{here, step.Start, step.Free})
	next := x.after(x.bends[here])
	if !x.Spend(16 * int64(len(next))) {
		return false
	}
	for i := range x.begun {
		b := &x.begun[i]
		b.units = min(b.units, step.Free)
		if !x.Spend(int64(min(x.most, len(x.bends[b.bend])))) {
			return false
		}
		for j, c := range x.bends[b.bend] {
			if c.done < 0 || j >= x.most {
				continue
			}
			left := x.Volume - c.done
			w := bookahead.Interval{Start: b.start, End: step.End}
			ticks := ticksFor(left, b.units)
			if ticks <= w.Len() {
				last := x.last(b.start, ticks, left)
				if x.better(last.End, j) {
					x.end(Plan{Stretches: append(x.before(b.bend, j), last)})
				}
				continue
			}
			done := c.done + b.units*int64(w.Len())
			if done > next[j+1].done {
				next[j+1] = cell{done, Stretch{w, b.units}, b.bend}
			}
		}
	}
	x.bends = append(x.bends, next)
	return true
}

// before returns the stretches that do the most by a bend.
func (x *program) before(bend, stretches int) []Stretch {
	list := make([]Stretch, stretches)
	for j := stretches; j > 0; j-- {
		c := x.bends[bend][j]
		list[j-1], bend = c.last, c.bend
	}
	return list
}

// better reports whether a plan would cost less than the best, or as much in fewer stretches.
func (x *program) better(end bookahead.Time, changes int) bool {
	if !x.exists {
		return true
	}
	c := x.CostOf(end, changes).Compare(x.costs)
	return c < 0 || c == 0 && changes+1 < len(x.best.Stretches)
}

// end notes a plan if it is better. One with more stretches costs at least its price more than a plan that ends as
// early as any.
func (x *program) end(p Plan) {
	changes := len(p.Stretches) - 1
	if changes < 0 || !x.better(p.Completion(), changes) {
		return
	}
	x.best, x.costs, x.exists = p, x.CostOf(p.Completion(), changes), true
	spare := int64(math.MaxInt64)
	if x.Price > 0 {
		spare = int64(p.Completion()-x.ends) / int64(x.Price)
	}
	if spare < int64(x.most-changes-1) {
		x.most = changes + 1 + int(spare)
	}
}
