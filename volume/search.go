package volume

import (
	"fmt"
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// pool is a schedule that counts units, and tells how many are free.
type pool interface {
	bookahead.Keeper
	bookahead.Profiler
}

// Search returns the plan with the least cost, and books nothing. A step of Effort is a look at a stretch of free
// units, or at a pair of them; it takes up to 400 MB.
//
// The error is bookahead.ErrUnavailable if there is no plan between now and the horizon, bookahead.ErrStopped if the
// effort ends before one is known, and wraps bookahead.ErrInvalid if the request makes no sense or s is not a pool that
// tells its free units. It is a query.
func Search(s bookahead.Schedule, r Request, e bookahead.Effort) (p Plan, err error) {
	err = r.Validate()
	if err != nil {
		return p, err
	}
	m, err := effort.New(e)
	if err != nil {
		return p, err
	}
	ok := bookahead.View(s, func(x pool) { p, err = search(x, r, &m) })
	if !ok {
		return p, limits.Invalid("schedule", fmt.Sprintf("%T", s), "is no Keeper that tells its free units")
	}
	return p, err
}

func search(s pool, r Request, m *effort.Meter) (Plan, error) {
	frame := s.Frame()
	if frame.Servers > 0 {
		return Plan{}, limits.Invalid("schedule", fmt.Sprintf("%T", s), "knows its servers, and is no pool")
	}
	w := frame.Window()
	w.Start = max(w.Start, r.Ready)
	if r.Deadline != 0 {
		w.End = min(w.End, r.Deadline)
	}
	if w.Empty() {
		return Plan{}, bookahead.ErrUnavailable
	}
	free := rates(s, w, r)
	p, err := fill(free, r, m)
	if err != nil || r.Stretches == 0 && r.Price == 0 {
		return p, err
	}
	return bend(free, r, p, m)
}

// rates yields the units that a plan may have at most, where it may have any: min(free, Most), where Least or more are
// free. Neighbours have different units. Each step is looked for when it is asked for: the next place where Least is
// free, and in it the next where Most is, may lie many changes ahead.
//
//	Most 4     free     6 5 4 7 3 2 0 1 0 3 5 4
//	           yields   4───────3 2   1   3 4───
func rates(s pool, w bookahead.Interval, r Request) iter.Seq[bookahead.Step] {
	runs := func(w bookahead.Interval, units int64) iter.Seq[bookahead.Interval] {
		return bookahead.Openings(s, bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: 1, Units: units})
	}
	most := r.Most
	if most == 0 {
		most = math.MaxInt64
	}
	return func(yield func(bookahead.Step) bool) {
		low := func(from, to bookahead.Time) bool { // less than most is free in between
			if from == to {
				return true
			}
			steps, _ := bookahead.Steps(s, bookahead.Interval{Start: from, End: to})
			for step := range steps {
				if !yield(step) {
					return false
				}
			}
			return true
		}
		for run := range runs(w, max(1, r.Least)) {
			at := run.Start
			for level := range runs(run, most) {
				if !low(at, level.Start) || !yield(bookahead.Step{Interval: level, Free: most}) {
					return
				}
				at = level.End
			}
			if !low(at, run.End) {
				return
			}
		}
	}
}
