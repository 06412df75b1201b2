package desk

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/quota"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// bend returns the place of work that bends: the plan that costs least, or ends first. The plan knows the units that are free, the
// opening hours, Longest and the quotas. Then the search for parts at fixed times chooses servers and nodes, and asks all other
// rules. So a rule that the plan does not know may refuse it, although another plan would do.
func (s *trial) bend(r *Request) (spot, error) {
	if r.Volume != nil {
		x, _, err := s.bendVolume(r)
		return x, err
	}
	var times []bookahead.Interval
	err := s.halfway(func(half *trial) (err error) {
		times, err = half.planPieces(r)
		return err
	})
	if err != nil {
		return spot{}, err
	}
	return s.lay(r, slices.Repeat([]Part{r.Shapes[0][0]}, len(times)), times)
}

// bendVolume returns the plan of a volume, and its place. Under quotas of Ticks, a volume that may pause takes all that is left of
// each quota as early as it can: no other plan ends earlier. Any other volume has a plan first that does not know these quotas: if
// they allow it, it is the best.
func (s *trial) bendVolume(r *Request) (x spot, plan volume.Plan, err error) {
	v, err := s.volumeOf(r)
	if err != nil {
		return spot{}, plan, err
	}
	known := s.allowances(r)
	tries := [][]quota.Allowance{nil, known}
	switch {
	case len(known) == 0:
		tries = tries[:1]
	case v.Least == 0 && v.Stretches == 0 && v.Price == 0:
		tries = tries[1:]
	}
	for i, ticks := range tries {
		bound := plan.Bound
		err = s.halfway(func(half *trial) (err error) {
			plan, err = half.planVolume(r, v, ticks)
			return err
		})
		if i > 0 { // the plan before knew no quota of Ticks
			plan.Bound = min(plan.Bound, bound)
		}
		if err == nil {
			x, err = s.layPlan(r, plan)
		}
		if err != bookahead.ErrUnavailable {
			break
		}
	}
	return x, plan, err
}

// halfway plans with half of the steps that are left. If they end first, the best plan that is known is booked with the others.
func (s *trial) halfway(plan func(half *trial) error) error {
	part := s.meter.Part(s.meter.Left() / 2)
	half := *s
	half.meter = &part
	err := plan(&half)
	s.meter.Add(&part)
	return err
}

// volumeOf returns the volume of a request, as the terms of its pool let it bend. Where parts have buffers, it has one stretch, since
// the buffers of two would be in each other's way.
func (s *trial) volumeOf(r *Request) (volume.Request, error) {
	v, t := *r.Volume, s.terms(s.at(s.names[r.Shapes[0][0].On]))
	if t == nil || t.Before == 0 && t.After == 0 {
		return v, nil
	}
	v.Stretches = 1
	if t.Longest > 0 {
		v.Least = max(v.Least, (v.Volume-1)/int64(t.Longest)+1)
	}
	if v.Most > 0 && v.Least > v.Most {
		return v, bookahead.ErrUnavailable
	}
	return v, nil
}

// layPlan returns the place of a plan for a volume. A stretch that is longer than a part may be (Terms.Longest) has several parts.
func (s *trial) layPlan(r *Request, plan volume.Plan) (spot, error) {
	on := r.Shapes[0][0]
	longest := bookahead.Duration(bookahead.MaxTime)
	t := s.terms(s.at(s.names[on.On]))
	if t != nil && t.Longest > 0 {
		longest = t.Longest
	}
	var parts []Part
	var times []bookahead.Interval
	for _, x := range plan.Stretches {
		on.Units = x.Units
		for w := x.Interval; !w.Empty() && len(parts) <= MaxParts; w.Start = times[len(times)-1].End {
			cut := w
			cut.End = w.Start + bookahead.Time(min(w.Len(), longest))
			parts, times = append(parts, on), append(times, cut)
		}
	}
	return s.lay(r, parts, times)
}

// lay returns the place of work that bends, given the times of its parts.
func (s *trial) lay(r *Request, parts []Part, times []bookahead.Interval) (spot, error) {
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
		begun = &pieces.Rest{Stopped: r.Pieces.Stopped, GoesOn: pool && r.Pieces.Stopped >= w.Start}
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
func (s *trial) planVolume(r *Request, v volume.Request, ticks []quota.Allowance) (best volume.Plan, err error) {
	m, before := s.meter, s.meter.Steps()
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
		if len(ticks) > 0 {
			room = quota.Ration(room, max(1, v.Least), cmp.Or(v.Most, math.MaxInt64), ticks, 2*MaxParts, m)
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

// room returns the units of a pool that a request may have over time, as far as Desk.Room says.
func (s *trial) room(r *Request, p *Part, w bookahead.Interval) []bookahead.Step {
	k := s.names[p.On]
	at, t := s.at(k), s.terms(s.at(k))
	var list []bookahead.Step
	switch {
	case s.isRelaxed(p):
		list = without(bookahead.Interval{Start: max(w.Start, s.now), End: w.End}, nil)
	case t == nil:
		list = at.steps(w)
	default:
		start := max(0, max(w.Start, s.now)-bookahead.Time(t.Before))
		list = inside(at.steps(bookahead.Interval{Start: start, End: addTicks(max(0, w.End), t.After)}), t.Before, t.After)
	}
	if t != nil {
		list = volume.Meet(list, without(w, t.closed(w, s.now)))
	}
	for _, q := range s.bounding(r, k) {
		if q.Bounds.Units > 0 || q.Bounds.None {
			list = volume.Meet(list, s.left(q, r.Owner, w))
		}
	}
	return list
}

// steps returns the steps of w in which units of a pool are free.
func (s *schedule) steps(w bookahead.Interval) []bookahead.Step {
	steps, _ := bookahead.Steps(s.Keeper(), w) // a pool tells them
	return slices.DeleteFunc(slices.Collect(steps), func(x bookahead.Step) bool { return x.Free <= 0 })
}

// inside returns, for each tick, how many units are free from so many ticks before it until so many behind it:
//
//	free                    3 3 3 3 1 1 3 3 3 3
//	1 before and 1 behind   . 3 3 1 1 1 1 3 3 .
func inside(list []bookahead.Step, before, behind bookahead.Duration) []bookahead.Step {
	// After each turn the list has the units that have been free for the ticks that are done, too.
	for all, done := addUp(before, behind), bookahead.Duration(0); done < all; {
		by := min(all-done, done+1)
		moved := slices.Clone(list)
		for i := range moved {
			moved[i].Start, moved[i].End = addTicks(moved[i].Start, by), addTicks(moved[i].End, by)
		}
		list, done = volume.Meet(list, moved), done+by
	}
	for i := range list {
		list[i].Start, list[i].End = list[i].Start-bookahead.Time(behind), list[i].End-bookahead.Time(behind)
	}
	return list
}

// bounding returns the quotas that count units of a request on a schedule.
func (s *trial) bounding(r *Request, on int32) (list []*quotaRule) {
	for _, q := range s.rules {
		if q.Resource == "" && q.Covers(on) && q.Counts(r.Owner, r.Labels) && s.asks(q.Name) {
			list = append(list, q)
		}
	}
	return list
}

// allowances returns the bounds on the unit-ticks of a request for a volume, with their use.
func (s *trial) allowances(r *Request) (list []quota.Allowance) {
	for _, q := range s.bounding(r, s.names[r.Shapes[0][0].On]) {
		if q.Bounds.Ticks > 0 {
			list = append(list, quota.Allowance{Bounds: &q.Bounds, Has: s.use.Used(&s.accounts, &q.Rule, r.Owner, s.now)})
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
	for _, p := range used.Within(bookahead.Interval{Start: at, End: w.End}) {
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
