package volume

import (
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// program finds the plan with the least cost in few stretches. Some best plan has a form that makes a search possible:
// each stretch begins where a step of the free units begins, and has as many units as are free throughout. For a
// stretch with fewer could have more, and the place between two neighbours can be moved to where the one with more
// units begins to fit, or ceases to:
//
//	free units     4 │         ██████████
//	               2 │█████████████████████████
//	a, b, c          ├─a─────┼─────b────┼──c──      b has 4 units and is as long as can be
//
// So for each bend, the time at which a step begins, and each number of stretches the most that can be done by then is
// known from earlier bends. The first step in which the rest can be done has the best end, as each plan that ends in
// a later step ends later.
type program struct {
	Request
	*effort.Meter
	most  int            // stretches; fewer when a plan is known that more cannot beat
	ends  bookahead.Time // no plan ends earlier
	rows  [][]cell       // for each bend, and 0 to most stretches
	begun []stretch      // from the bends from which enough is free up to now
	best  Plan
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

// ending is the last stretch of a plan, after some other stretches.
type ending struct {
	Stretch
	bend, others int
}

// bend returns the plan with the least cost. filled is the plan with the least end, in any number of stretches.
func bend(free iter.Seq[bookahead.Step], r Request, filled Plan, m *effort.Meter) (Plan, error) {
	filled.Cost = r.cost(filled.Completion(), len(filled.Stretches)-1)
	x := program{Request: r, Meter: m, most: len(filled.Stretches), ends: filled.Completion(), best: Plan{Cost: bookahead.MaxTime}}
	if r.Stretches == 0 || len(filled.Stretches) <= r.Stretches {
		x.best = filled
	} else {
		x.most = r.Stretches
	}
	if len(x.best.Stretches) > 0 && (x.most == 1 || r.Price == 0) {
		x.best.Bound = x.best.Cost
		return x.best, nil
	}
	x.rows = [][]cell{x.row(nil)}
	end := bookahead.Time(-1)
	for step := range free {
		if x.best.Cost <= step.Start { // all that is left ends later
			break
		}
		if !x.step(step, end < step.Start) {

			if len(x.best.Stretches) == 0 {
				return Plan{}, bookahead.ErrStopped
			}
			x.best.Bound = min(x.best.Cost, max(filled.Completion(), step.Start))
			return x.best, nil
		}
		end = step.End
	}

	if len(x.best.Stretches) == 0 {
		return Plan{}, bookahead.ErrUnavailable
	}
	x.best.Bound = x.best.Cost
	return x.best, nil
}

// cost returns the cost of an end with some changes; no more than the end of the axis.
func (r Request) cost(end bookahead.Time, changes int) bookahead.Time {
	price := int64(r.Price)
	if changes > 0 && price > (math.MaxInt64-int64(end))/int64(changes) {
		return bookahead.MaxTime
	}
	return end + bookahead.Time(price*int64(changes))
}

// row returns the cells of a bend to which nothing leads but the cells of the bend before: the work may have paused
// since.
func (x *program) row(before []cell) []cell {
	row := make([]cell, x.most+1)
	for j := range row {
		row[j].done = -1
		if before != nil && x.Least == 0 {
			row[j] = before[j]
		}
	}
	row[0] = cell{}
	return row
}

// step takes a step of the free units into the program; false if the effort is over. gap is set if less than Least
// was free before the step.
func (x *program) step(step bookahead.Step, gap bool) bool {
	here := len(x.rows) - 1
	if gap {
		x.begun = x.begun[:0]
		x.rows[here] = x.row(x.rows[here])
	}
	if !x.Spend(16 * int64(x.most+1)) {
		return false
	}
	x.begun = append(x.begun, stretch{here, step.Start, step.Free})
	next := x.row(x.rows[here])
	for i := range x.begun {
		b := &x.begun[i]
		b.units = min(b.units, step.Free)
		if !x.Spend(int64(x.most)) {
			return false
		}
		for j, c := range x.rows[b.bend][:x.most] {
			if c.done < 0 || j >= x.most {
				continue
			}
			left := x.Volume - c.done
			w := bookahead.Interval{Start: b.start, End: step.End}
			ticks := ticksFor(left, b.units)
			if ticks <= w.Len() {
				x.end(ending{Stretch{bookahead.Interval{Start: b.start, End: b.start + bookahead.Time(ticks)}, 0}, b.bend, j}, left)
				continue
			}
			done := c.done + b.units*int64(w.Len())
			if done > next[j+1].done {
				next[j+1] = cell{done, Stretch{w, b.units}, b.bend}
			}
		}
	}
	x.rows = append(x.rows, next)
	return true
}

// end notes a plan, if it costs less than all before, or as much in fewer stretches. The last stretch has no more units
// than it needs for what is left.
func (x *program) end(e ending, left int64) {
	cost := x.cost(e.End, e.others)
	if cost > x.best.Cost || cost == x.best.Cost && len(x.best.Stretches) > 0 && e.others+1 >= len(x.best.Stretches) {
		return
	}
	ticks := int64(e.Len())
	e.Units = max(x.Least, (left-1)/ticks+1)
	list := make([]Stretch, e.others+1)
	list[e.others] = e.Stretch
	at := e.bend
	for j := e.others; j > 0; j-- {
		c := x.rows[at][j]
		list[j-1], at = c.last, c.bend
	}
	x.best = Plan{Stretches: list, Cost: cost}
	if x.Price > 0 {
		x.most = int(min(int64(x.most), 1+int64(cost-x.ends)/int64(x.Price)))
	}
}
