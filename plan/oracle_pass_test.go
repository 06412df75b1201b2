package plan_test

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// pass does the steps of the package comment, one after the other.
func (o *oracle) pass(now bookahead.Time) plan.Result {
	if o.quiet && now == o.now {
		return o.result
	}
	o.advance(now)
	o.result = plan.Result{}
	for _, j := range o.line() {
		if j.state == plan.Starting && (j.start < now || len(j.victims) > 0) {
			o.unpropose(j)
		}
	}
	for _, j := range o.jobs {
		if j.state == plan.Held && len(j.waits) == 0 && j.NotBefore <= now {
			o.queueUp(j)
		}
	}
	o.hold()
	o.overrun()
	if o.stale || slices.ContainsFunc(o.jobs, func(j *task) bool { return j.state == plan.Promised && j.start < now }) {
		o.renew()
	}
	o.lose()
	o.fill()
	o.result.Changes = o.changes()
	var starts []*task
	for _, j := range o.jobs {
		if j.state == plan.Starting {
			starts = append(starts, j)
		}
	}
	slices.SortFunc(starts, func(a, b *task) int { return cmp.Compare(a.found, b.found) })
	for _, j := range starts {
		s := plan.Start{Job: j.ID, Shape: j.form, Places: o.places(j.spots)}
		for _, v := range j.victims {
			s.Victims = append(s.Victims, v.ID)
		}
		o.result.Starts = append(o.result.Starts, s)
	}
	for _, j := range o.given {
		if j.state == plan.Promised {
			o.result.Promises = append(o.result.Promises, plan.Promise{Job: j.ID, Start: j.start})
		}
	}
	o.given = nil
	o.quiet = true
	return o.result
}

func (o *oracle) places(list []spot) (p []plan.Place) {
	for _, x := range list {
		p = append(p, x.place(o.cells[x.part.on]))
	}
	return p
}

func (o *oracle) tell(e plan.Event) { o.result.Events = append(o.result.Events, e) }

// unpropose takes a proposal back. A promised job is promised as before.
func (o *oracle) unpropose(j *task) {
	if j.state != plan.Starting {
		return
	}
	o.refund(j, j.start)
	for _, v := range j.victims {
		v.heir = nil
		o.stale = true
	}
	j.victims, j.state = nil, plan.Promised
	if j.promised == plan.Never {
		j.spots, j.state = nil, plan.Waiting
	}
}

// charge and refund keep the use of groups and owners.
func (o *oracle) charge(j *task, d bookahead.Time) {
	o.groups[j.Group] += j.cost * int64(d)
	o.owners[j.Owner] += j.cost * int64(d)
	j.halvings = o.halvings
}

func (o *oracle) refund(j *task, now bookahead.Time) {
	if j.cost > 0 && j.until > now {
		n := j.cost * j.charged(now)
		for i := j.halvings; i < o.halvings; i++ {
			n /= 2
		}
		o.groups[j.Group] = max(0, o.groups[j.Group]-n)
		o.owners[j.Owner] = max(0, o.owners[j.Owner]-n)
	}
	j.cost = 0
}

// begin proposes a job where it lies.
func (o *oracle) begin(j *task) {
	j.state = plan.Starting
	o.found++
	j.found = o.found
	if o.rules.moves {
		o.settleUp(j, j.start)
	}
}

// hold books what running jobs hold without a reservation, as soon as there is room.
func (o *oracle) hold() {
	for _, j := range o.running() {
		held := false
		for i, x := range j.spots {
			if j.firm[i] != nil || x.end <= o.now {
				continue
			}
			x.start = o.now
			if o.caller()[x.part.on].has(x) {
				j.spots, j.firm = slices.Clone(j.spots), slices.Clone(j.firm)
				j.spots[i], j.firm[i] = x, o.reserve(x, j)
				held = true
			}
		}
		if held {
			o.stale = true
			j.overran = o.now
			o.tell(plan.Event{Kind: plan.Overrun, Job: j.ID, From: j.end, To: j.end})
		}
	}
}

// overrun books jobs on that are past their estimates.
func (o *oracle) overrun() {
	for _, j := range o.running() {
		if j.end > o.now {
			continue
		}
		grace := bookahead.Time(o.config.Grace)
		if grace == 0 {
			grace = max(1, length(j.shapes[j.form])/8)
		}
		to := j.end
		for to <= o.now {
			to += grace
		}
		e := plan.Event{Kind: plan.Overrun, Job: j.ID, From: j.end, To: to}
		for i, x := range j.spots {
			if x.end < j.end {
				continue // this part was over before
			}
			x.start, x.end = o.now, to
			j.spots = slices.Clone(j.spots)
			j.spots[i] = x
			if !o.plan()[x.part.on].has(x) {
				o.stale = true // a promise is in the way
			}
			j.firm = slices.Clone(j.firm)
			j.firm[i] = nil
			if o.caller()[x.part.on].has(x) {
				j.firm[i] = o.reserve(x, j)
			} else {
				e.On, e.Reservation = o.cells[x.part.on].name, o.stranger(x, false)
			}
		}
		if j.cost > 0 {
			cost := j.cost
			if j.bends() {
				j.cost = j.spots[len(j.spots)-1].part.units
			}
			o.charge(j, to-j.until)
			j.until, j.cost = to, cost
		}
		j.end, j.overran = to, o.now
		o.tell(e)
	}
}

// stranger returns the last reservation of others at a place, or the last that the plan did not know.
func (o *oracle) stranger(x spot, fresh bool) (last bookahead.ID) {
	for _, b := range o.firm {
		on := b.spot.part.on
		if b.job == nil && on == x.part.on && x.touches(o.cells[on], b.spot) {
			_, old := o.known[known{on: on, booked: b.id}]
			if !fresh || !old {
				last = max(last, b.id)
			}
		}
	}
	return last
}

// renew places all promises anew around what is booked on the caller's schedules.
func (o *oracle) renew() {
	o.stale = false
	world := o.caller()
	var placed, out []*task
	for _, j := range o.line() {
		if j.state != plan.Waiting {
			placed = append(placed, j)
		}
	}
	slices.SortStableFunc(placed, func(a, b *task) int { return cmp.Compare(a.start, b.start) })
	for _, j := range placed {
		late := max(0, o.now-j.start)
		at := slices.Clone(j.spots)
		for i := range at {
			at[i].start += late
			at[i].end += late
		}
		if !world.take(at) {
			out = append(out, j)
			continue
		}
		j.spots, j.start, j.end = at, j.start+late, j.end+late
		if late > 0 {
			o.delay(j, plan.Event{Cause: plan.Late})
		}
	}
	slices.SortFunc(out, o.turn)
	for _, j := range out {
		why := o.blame(j)
		o.unpropose(j)
		if j.promised == plan.Never {
			j.state, j.spots = plan.Waiting, nil
			continue
		}
		form, at := o.best(world, j)
		if at == nil {
			j.state, j.spots, j.start = plan.Waiting, nil, plan.Never
		} else {
			o.lay(world, j, form, at)
		}
		o.delay(j, why)
	}
	o.know()
}

// know notes all closures and reservations.
func (o *oracle) know() {
	o.known = map[known]bookahead.Interval{}
	for i, s := range o.cells {
		for _, c := range s.shut {
			o.known[known{on: i, closure: c.ID}] = c.Interval
		}
	}
	for _, b := range o.firm {
		o.known[known{on: b.spot.part.on, booked: b.id}] = bookahead.Interval{}
	}
}

// delay tells of a promise that is broken, and promises the new start.
func (o *oracle) delay(j *task, e plan.Event) {
	if j.start == plan.Never || j.start > j.promised {
		e.Kind, e.Job, e.From, e.To = plan.Delayed, j.ID, j.promised, j.start
		o.tell(e)
	}
	j.promised = j.start
}

// blame says what is in the place of a promise: for its first part that anything of the kind has met.
func (o *oracle) blame(j *task) plan.Event {
	for _, x := range j.spots {
		on := x.part.on
		s := o.cells[on]
		var by *booking
		for _, b := range o.firm {
			if b.job != nil && b.job.overran == o.now && b.spot.part.on == on && x.touches(s, b.spot) &&
				(by == nil || cmp.Or(cmp.Compare(b.spot.start, by.spot.start), cmp.Compare(b.id, by.id)) < 0) {
				by = b
			}
		}
		if by != nil {
			return plan.Event{Cause: plan.Overran, By: by.job.ID, On: s.name, Reservation: by.id}
		}
		for _, c := range s.shut {
			meets := s.kind == pool || slices.ContainsFunc(x.nodes(), func(k int) bool { return slices.Contains(c.Servers, k) })
			if meets && c.End > o.now && c.Overlaps(bookahead.Interval{Start: x.start, End: x.end}) && o.known[known{on: on, closure: c.ID}] != c.Interval {
				return plan.Event{Cause: plan.Outage, On: s.name}
			}
		}
		if id := o.stranger(x, true); id > 0 {
			return plan.Event{Cause: plan.Firm, On: s.name, Reservation: id}
		}
	}
	return plan.Event{Cause: plan.Late}
}

// lose tells which running jobs hold what is closed now.
func (o *oracle) lose() {
	for i, s := range o.cells {
		lacking := make([]int64, len(s.given))
		for k := range s.given {
			for _, b := range o.firm {
				if b.spot.part.on != i || !(b.spot.start <= o.now && o.now < b.spot.end) {
					continue
				}
				if s.kind == pool {
					lacking[0] += b.spot.part.units
				} else if slices.Contains(b.spot.nodes(), k) && s.empty(o.now).closed[k][o.now] {
					lacking[k]++
				}
			}
		}
		if s.kind == pool {
			lacking[0] -= max(0, s.empty(o.now).free(0, 0, o.now))
		}
		list := o.running()
		slices.SortFunc(list, func(a, b *task) int { return cmp.Or(cmp.Compare(b.began, a.began), cmp.Compare(b.seq, a.seq)) })
		for _, j := range list {
			hit := false
			for part, x := range j.spots {
				if x.part.on != i || !(x.start <= o.now && o.now < x.end) {
					continue
				}
				for _, k := range x.nodes() {
					hit = hit || lacking[k] > 0 || s.kind != pool && j.firm[part] == nil && s.empty(o.now).closed[k][o.now]
				}
				if s.kind == pool {
					lacking[0] -= x.part.units
				}
			}
			if hit && !j.lost {
				j.lost = true
				o.tell(plan.Event{Kind: plan.Lost, Job: j.ID, From: j.end, To: o.now, Cause: plan.Outage, On: s.name})
			}
		}
	}
}
