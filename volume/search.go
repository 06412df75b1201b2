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

// Search returns the plan with the least cost, and books nothing. Of plans that cost the same it may return any.
//
// A step of the Effort is a look at a stretch of free units, or at two of them for one number of stretches; a number that
// is kept for later counts as 16 steps, and takes 40 bytes. If the effort ends, the best plan that is known is returned
// with its Bound, without an error: with Price the one without regard to it, or one of a single stretch, at least, if
// they keep to the request. Changes between two stretches of free units cost nothing, also where a structure goes through
// them. Writers wait meanwhile, if s is behind Locked.
//
// The error is bookahead.ErrUnavailable if there is no plan between now and the deadline or the horizon,
// bookahead.ErrStopped if the effort ends before one is known, and wraps bookahead.ErrInvalid if the request makes no sense
// or s is not a pool that tells its free units. It is a query.
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
	w := frame.Between(r.Ready, r.Deadline)
	if w.Empty() {
		return Plan{}, bookahead.ErrUnavailable
	}
	return plan(rates(s, w, r), r, func() Plan { return once(s, w, r) }, m)
}

// plan returns the plan with the least cost for units that a request may have, between its times. once may know a plan of
// one stretch.
func plan(free iter.Seq[bookahead.Step], r Request, once func() Plan, m *effort.Meter) (Plan, error) {
	p, err := fill(free, r, m)
	if err == nil && (r.Price > 0 || r.Stretches > 0 && len(p.Stretches) > r.Stretches) {
		p, err = bend(free, r, p, once(), m)
	}
	if err == bookahead.ErrUnavailable && m.Stopped() { // among steps that are left out
		err = m.Err()
	}
	p.Spent = m.Steps()
	return p, err
}

// once returns a plan of one stretch, if one is found soon: it tries few rates, each half of the one before.
func once(s pool, w bookahead.Interval, r Request) (best Plan) {
	most := s.Frame().Capacity
	if r.Most > 0 {
		most = min(most, r.Most)
	}
	for units := most; units >= max(1, r.Least); units /= 2 {
		ticks := ticksFor(r.Volume, units)
		if ticks > w.Len() {
			break
		}
		o, err := s.Search(bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: ticks, Units: units})
		if err == nil && (len(best.Stretches) == 0 || o.End < best.Completion()) {
			best.Stretches = []Stretch{r.last(o.Start, ticks, r.Volume)}
		}
	}
	return best
}

// rates yields the units that a plan may have at most, where it may have Least or more.
func rates(s pool, w bookahead.Interval, r Request) iter.Seq[bookahead.Step] {
	most := r.Most
	if most == 0 {
		most = math.MaxInt64
	}
	list, _ := bookahead.Fill(s, w, r.Least, most)
	return list
}
