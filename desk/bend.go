package desk

import (
	"errors"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// bend returns the place of work that bends: the plan that costs least, or ends first. The plan knows the free units, the opening
// hours and the quotas of Units. Then the search for parts at fixed times chooses servers and nodes, and asks all other rules. So
// a rule that the plan does not know may refuse it, although another plan would do.
//
// A plan takes half of the steps that are left at most. If they end first, the best plan that is known is booked.
func (s *trial) bend(r *Request) (spot, error) {
	on := r.Shapes[0][0]
	part := s.meter.Part(s.meter.Left() / 2)
	planner := *s
	planner.meter = &part
	var parts []Part
	var times []bookahead.Interval
	var err error
	if r.Volume != nil {
		var plan volume.Plan
		plan, err = planner.planVolume(r)
		for _, x := range plan.Stretches {
			on.Units = x.Units
			parts, times = append(parts, on), append(times, x.Interval)
		}
	} else {
		times, err = planner.planPieces(r)
		parts = slices.Repeat([]Part{on}, len(times))
	}
	s.meter.Add(&part)
	if err != nil {
		return spot{}, err
	}
	if len(parts) > MaxParts {
		return spot{}, bookahead.ErrUnavailable
	}
	wish := *r
	wish.Volume, wish.Pieces = nil, nil
	wish = wish.fixed(parts, times)
	at := *s
	if s.isRelaxed(&r.Shapes[0][0]) {
		at.relaxed = addresses(wish.Shapes[0])
	}
	return at.findShape(&wish, wish.Shapes[0])
}

// addresses returns the addresses of the parts of a shape.
func addresses(shape Shape) (list []*Part) {
	for i := range shape {
		list = append(list, &shape[i])
	}
	return list
}

// planPieces asks the search for one part where a piece fits.
func (s *trial) planPieces(r *Request) ([]bookahead.Interval, error) {
	shape := Shape{r.Shapes[0][0]}
	one := *r
	one.Volume, one.Pieces, one.Shapes = nil, nil, []Shape{shape}
	at := *s
	if s.isRelaxed(&r.Shapes[0][0]) {
		at.relaxed = addresses(shape)
	}
	first := func(w bookahead.Interval, d bookahead.Duration) (bookahead.Time, error) {
		one.Ready, one.Deadline, shape[0].Duration = w.Start, w.End, d
		x, err := at.findShape(&one, shape)
		if err != nil {
			return 0, err
		}
		return x.places[0].Start, nil
	}
	w := s.lieBetween(r)
	var begun *pieces.Rest
	if r.Pieces.Stopped != 0 {
		pool := s.schedules[s.names[shape[0].On]].pool()
		begun = &pieces.Rest{Stopped: r.Pieces.Stopped, GoesOn: pool && r.Pieces.Stopped == w.Start}
	}
	if s.meter.Left() == 0 {
		return nil, s.meter.Err()
	}
	list, spent, err := pieces.SearchBy(first, w, r.Pieces.Ticks, r.Pieces.Rule, begun, s.meter.Rest(1))
	if !s.meter.Spend(spent) {
		return nil, s.meter.Err()
	}
	if errors.Is(err, bookahead.ErrUnavailable) {
		err = bookahead.ErrUnavailable
	}
	return list, err
}

// lieBetween returns the time in which the parts of a request may lie, as far as the request says.
func (s *trial) lieBetween(r *Request) bookahead.Interval {
	w := bookahead.Interval{Start: max(r.Ready, s.now), End: bookahead.MaxTime}
	if r.Deadline != 0 {
		w.End = r.Deadline
	}
	return w
}

// planVolume looks at a time that is twice as long again and again, as most volumes are done long before the horizon. A plan
// is the best of all once no plan that ends behind the time can cost less.
func (s *trial) planVolume(r *Request) (best volume.Plan, err error) {
	v, m, before := *r.Volume, s.meter, s.meter.Steps()
	all := s.lieBetween(r)
	if all.Empty() {
		return volume.Plan{}, bookahead.ErrUnavailable
	}
	v.Ready, v.Deadline = all.Start, r.Deadline
	if v.Stretches == 0 {
		v.Stretches = MaxParts
	}
	found, cut := false, false
	for length := bookahead.Duration(1 << 10); ; length *= 2 {
		w, whole := all, length >= all.Len()/2
		if !whole {
			w.End = w.Start + bookahead.Time(length)
		}
		room := s.room(r, &r.Shapes[0][0], w)
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
		best.Spent = m.Steps() - before
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

// room returns the units of a pool that a request may have over time, as far as Desk.Room says. There are none where parts have
// buffers.
func (s *trial) room(r *Request, p *Part, w bookahead.Interval) []bookahead.Step {
	k := s.names[p.On]
	at, t := s.at(k), s.terms(s.at(k))
	var list []bookahead.Step
	switch {
	case t != nil && t.Before+t.After > 0:
		return nil
	case s.isRelaxed(p):
		list = without(bookahead.Interval{Start: max(w.Start, s.now), End: w.End}, nil)
	default:
		steps, _ := bookahead.Steps(at.Keeper(), w) // a pool tells them
		list = slices.Collect(steps)
		list = slices.DeleteFunc(list, func(x bookahead.Step) bool { return x.Free <= 0 })
	}
	if t != nil {
		list = volume.Meet(list, without(w, t.closed(w, s.now)))
	}
	for _, q := range s.rules {
		counts := q.Resource == "" && q.Covers(k) && q.Counts(r.Owner, r.Labels) && s.asks(q.Name)
		if counts && (q.Bounds.Units > 0 || q.Bounds.None) {
			list = volume.Meet(list, s.left(q, r.Owner, w))
		}
	}
	return list
}

// left returns the units that a quota leaves an owner in w.
func (s *trial) left(q *quotaRule, owner string, w bookahead.Interval) (list []bookahead.Step) {
	add := func(start, end bookahead.Time, used int64) {
		x := bookahead.Step{Interval: bookahead.Interval{Start: start, End: end}.Intersect(w), Free: q.Bounds.Units - used}
		if !x.Empty() && x.Free > 0 {
			list = append(list, x)
		}
	}
	used := s.use.Used(&s.accounts, &q.Rule, owner, s.now)
	at := max(w.Start, s.now)
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
