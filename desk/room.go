package desk

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/volume"
)

// Room returns the units of a pool that a request may have over time, by its owner and its labels: the steps of w, from now to
// the horizon, in which it may have any. The units are free, w is within the opening hours (Terms.Open) and behind the Notice,
// and no quota of Units leaves less. The shapes, the times and the priority of the request are not read. It is a query.
//
//	free          4 4 4 1 1 4 4 4
//	open            ├─────────┤
//	quota of 3    1 1 1 1 1 . . .     has been used already
//	room          . 2 2 1 1 3 . .
//
// A Book may have so many units at such a time, unless a quota of Ticks is against it, or the rest of the Terms: Ahead, Longest,
// and the Owners and Labels. Parts may lie one after the other; side by side they share the room. The buffers that a part
// would have are not in the steps, so a schedule with buffers is refused.
//
// The error wraps bookahead.ErrInvalid if there is no such pool, or it has buffers. O(k + o + p) for k steps of free units in w,
// o opening hours, and p pieces of use until the end of w on the accounts of all quotas that count the request.
func (d *Desk) Room(r Request, on string, w bookahead.Interval) ([]bookahead.Step, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.b.room(&r, on, w)
}

func (b *books) room(r *Request, on string, w bookahead.Interval) ([]bookahead.Step, error) {
	at, err := b.counted(on)
	if err != nil {
		return nil, err
	}
	_, pool := at.kind.(Pool)
	if !pool {
		return nil, limits.Invalid("on", on, fmt.Sprintf("is of kind %s, and no pool", at.kind.kind()))
	}
	if t := at.terms; t != nil && (t.Before > 0 || t.After > 0) {
		return nil, limits.Invalid("on", on, fmt.Sprintf("has buffers of %d and %d ticks", t.Before, t.After))
	}
	steps, _ := bookahead.Steps(at.Keeper(), w) // a pool tells them
	list := slices.Collect(steps)
	list = slices.DeleteFunc(list, func(s bookahead.Step) bool { return s.Free <= 0 })
	if at.terms != nil {
		list = volume.Meet(list, without(w, at.terms.closed(w, b.now)))
	}
	k := b.names[on]
	for _, q := range b.rules {
		if q.Resource == "" && q.Covers(k) && q.Counts(r.Owner, r.Labels) && (q.Bounds.Units > 0 || q.Bounds.None) {
			list = volume.Meet(list, b.left(q, r.Owner, w))
		}
	}
	return list, nil
}

// left returns the units that a quota leaves an owner in w.
func (b *books) left(q *quotaRule, owner string, w bookahead.Interval) (list []bookahead.Step) {
	add := func(start, end bookahead.Time, used int64) {
		s := bookahead.Step{Interval: bookahead.Interval{Start: start, End: end}.Intersect(w), Free: q.Bounds.Units - used}
		if !s.Empty() && s.Free > 0 {
			list = append(list, s)
		}
	}
	used := b.accounts.Used(&q.Rule, owner, b.now)
	at := max(w.Start, b.now)
	for _, p := range used.Pieces(at) {
		if p.Start >= w.End {
			break
		}
		add(at, p.Start, 0)
		if p.More <= 1 { // more is beyond every bound
			add(p.Start, p.End, int64(p.More)<<62+p.Units)
		}
		at = p.End
	}
	add(at, w.End, 0)
	return list
}

// without returns the rest of w, with any number of units, given stretches that are in order.
func without(w bookahead.Interval, gaps []bookahead.Interval) (list []bookahead.Step) {
	for _, gap := range append(gaps, bookahead.Interval{Start: w.End, End: w.End}) {
		s := bookahead.Step{Interval: bookahead.Interval{Start: w.Start, End: gap.Start}, Free: math.MaxInt64}
		if !s.Empty() {
			list = append(list, s)
		}
		w.Start = gap.End
	}
	return list
}

// VolumeRequest returns the request that books a volume on a pool, and the plan. The plan is the best in the Room of the request,
// between the times of the volume. The request has one shape, with a part for each stretch of the plan at its time, so a Book
// of it books the plan to the letter, as one booking; it is refused with bookahead.ErrUnavailable if somebody else has booked in
// between, or by a rule that Room does not know. (Longest refuses each stretch that is longer, and no plan avoids such stretches.)
// Owner, labels and the rest are those of the request that is given; its shapes and times are not read. It is a query.
//
// A volume without Stretches may have MaxParts of them. For alternatives, such as more units at once and an earlier
// deadline, ask for the plan of each. A booking that has to give way moves as it is, at the same distances. A caller who would
// rather have the rest planned anew ends it, and asks for a plan of the rest.
//
// Errors are those of Room and of volume.SearchSteps; more Stretches than MaxParts are invalid. With no number of steps the
// search may take as many as a Book (Config.Effort). Commands wait meanwhile.
func (d *Desk) VolumeRequest(r Request, on string, v volume.Request, e bookahead.Effort) (Request, volume.Plan, error) {
	if v.Stretches == 0 {
		v.Stretches = MaxParts
	}
	if v.Stretches > MaxParts {
		return Request{}, volume.Plan{}, limits.Invalid("Request.Stretches", v.Stretches, fmt.Sprintf("are more than the %d parts of a request", MaxParts))
	}
	err := v.Validate()
	if err != nil {
		return Request{}, volume.Plan{}, err
	}
	plan, err := d.planVolume(&r, on, v, e)
	if err != nil {
		return Request{}, volume.Plan{}, err
	}
	parts := make([]Part, len(plan.Stretches))
	times := make([]bookahead.Interval, len(plan.Stretches))
	for i, s := range plan.Stretches {
		parts[i], times[i] = Part{On: on, Units: s.Units}, s.Interval
	}
	return r.fixed(parts, times), plan, nil
}

// InPieces returns the request for a part that is done in pieces, each at its time: those of package pieces, planned on a copy
// (Schedule, Machine). The times are in order. The request has one shape, with a copy of the part for each piece, so a Book of it books all
// pieces as one booking, or none. Its Ready, its Deadline and its shapes are not read, nor are the times of the part.
func (r Request) InPieces(p Part, times []bookahead.Interval) Request {
	return r.fixed(slices.Repeat([]Part{p}, len(times)), times)
}

// fixed returns the request for parts at fixed times.
func (r Request) fixed(parts []Part, times []bookahead.Interval) Request {
	r.Shapes = nil
	r = r.Clone()
	r.Shapes = []Shape{make(Shape, len(parts))}
	for i, w := range times {
		if i == 0 {
			r.Ready = w.Start
		}
		p := parts[i].clone()
		p.Duration, p.Offset, p.After = w.Len(), bookahead.Duration(w.Start-r.Ready), nil
		if p.Tasks != nil && i > 0 { // a step has one part for each machine
			gap := bookahead.Duration(w.Start - r.Deadline)
			p.Offset, p.After = 0, &Gap{gap, gap}
		}
		r.Shapes[0][i], r.Deadline = p, w.End
	}
	return r
}

// planVolume looks at a time that is twice as long again and again, as most volumes are done long before the horizon. A plan
// is the best of all once no plan that ends behind the time can cost less.
func (d *Desk) planVolume(r *Request, on string, v volume.Request, e bookahead.Effort) (best volume.Plan, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	m, err := d.b.meter(e)
	if err != nil {
		return volume.Plan{}, err
	}
	all := bookahead.Interval{Start: max(v.Ready, d.b.now), End: bookahead.MaxTime}
	if v.Deadline != 0 {
		all.End = v.Deadline
	}
	found, cut := false, false
	for length := bookahead.Duration(1 << 10); ; length *= 2 {
		w, whole := all, length >= all.Len()/2
		if !whole {
			w.End = w.Start + bookahead.Time(length)
		}
		room, err := d.b.room(r, on, w)
		if err != nil {
			return volume.Plan{}, err
		}
		cut = !m.Spend(1+int64(len(room))) || m.Left() == 0
		if !cut {
			var plan volume.Plan
			plan, err = volume.SearchSteps(slices.Values(room), v, m.Rest(1))
			cut = !m.Spend(plan.Spent) || errors.Is(err, bookahead.ErrStopped)
			if err == nil {
				cut = cut || plan.Bound < plan.Cost
				if !whole {
					plan.Bound = min(plan.Bound, w.End) // a plan that ends later costs more
				}
				best, found = better(v, best, found, plan), true
			}
		}
		best.Spent = m.Steps()
		switch {
		case cut && !found:
			return best, m.Err()
		case cut || found && (whole || best.Cost <= w.End):
			return best, nil
		case whole:
			return best, err
		}
	}
}

// better returns the better one of two plans, with the bound of the second, which knows more.
func better(v volume.Request, a volume.Plan, known bool, b volume.Plan) volume.Plan {
	costs := func(p *volume.Plan) volume.Cost { return v.CostOf(p.Completion(), len(p.Stretches)-1) }
	if known && costs(&a).Compare(costs(&b)) <= 0 {
		a.Bound = min(a.Cost, b.Bound)
		return a
	}
	return b
}
