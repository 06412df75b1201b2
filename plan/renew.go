package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/nodes"
)

// hold books what running jobs hold without a reservation, because others had booked it when they overran, as soon as there
// is room.
func (q *Queue) hold() {
	if !q.squeezed {
		return
	}
	q.squeezed = false
	q.running.Ascend(func(j *job) bool {
		f, held := &j.kind.forms[j.form], false
		for i, p := range j.places {
			if j.firm[i] != 0 || p.End <= q.now {
				continue
			}
			p.Start = q.now
			on, part := f.of(i)
			id, err := q.firm[on].reserve(&p, part)
			if err == nil {
				j.places = slices.Clone(j.places) // the caller has the old ones
				j.places[i], j.firm[i], held = p, id, true
			} else {
				q.squeezed = true
			}
		}
		if held {
			q.stale = true
			j.overran = q.now // so it is the cause if a promise was in its place
			q.events = append(q.events, Event{Kind: Overrun, Job: j.ID, From: j.end, To: j.end})
		}
		return true
	})
}

// overrun books jobs on that are past their estimates: they hold what they hold, for another grace. The plan is made anew if a
// promise is in the way.
func (q *Queue) overrun() {
	for {
		j, ok := q.running.Min()
		if !ok || j.end > q.now {
			return
		}
		q.running.DeleteMin()
		e := Event{Kind: Overrun, Job: j.ID, From: j.end, To: q.grown(j)}
		f := &j.kind.forms[j.form]
		j.places = slices.Clone(j.places) // the caller has the old ones
		out := -1                         // a part that has no room
		for i := range j.places {
			p := &j.places[i]
			if p.End < j.end {
				continue // this part was over before
			}
			p.Start, p.End = q.now, e.To
			on, part := f.of(i)
			m := &q.firm[on]
			id, err := m.reserve(p, part)
			if err != nil {
				id, out, q.squeezed = 0, i, true
			}
			j.firm[i] = id
			if j.ids == nil {
				continue // it was to give way, and the plan is made anew
			}
			m = &q.plan[on]
			j.ids[i], err = m.reserve(p, part)
			q.stale = q.stale || err != nil
		}
		if j.cost > 0 {
			cost := j.cost
			if f.bends() {
				cost = j.places[len(j.places)-1].Units
			}
			q.used.charge(&j.Job, cost, bookahead.Duration(e.To-j.until))
			j.until, j.halved = e.To, q.used.halved
		}
		j.end = e.To
		j.overran = q.now
		q.running.ReplaceOrInsert(j)
		if out >= 0 {
			on, _ := f.of(out)
			m := &q.firm[on]
			e.On, e.Reservation = m.name, q.stranger(m, on, &j.places[out], false)
		}
		q.events = append(q.events, e)
	}
}

// grown returns the next end that a job is expected to have.
func (q *Queue) grown(j *job) bookahead.Time {
	grace := bookahead.Time(q.config.Grace)
	if grace == 0 {
		grace = max(1, bookahead.Time(j.kind.forms[j.form].length)/8)
	}
	times := (q.now-j.end)/grace + 1
	if times > (bookahead.MaxTime-j.end)/grace {
		return bookahead.MaxTime
	}
	return j.end + times*grace
}

// renew makes the plan anew from the caller's schedules, with each promise in its place. Promises that have no room there any
// more are given anew, in turn.
func (q *Queue) renew() {
	q.plan = q.firm.Clone()
	q.stale, q.looked = false, -1
	for on := range q.plan {
		q.gainOn(on, bookahead.Interval{Start: q.now, End: bookahead.MaxTime}, nil)
	}
	q.running.Ascend(func(j *job) bool {
		j.ids = slices.Clone(j.firm)
		return true
	})
	var out []*job
	placed := slices.Clone(q.placed)
	for _, j := range placed {
		j.ids = nil
	}
	slices.SortFunc(placed, func(a, b *job) int { return cmp.Or(cmp.Compare(a.start, b.start), q.turn(a, b)) })
	for _, j := range placed {
		at := slices.Clone(j.places)
		late := max(0, q.now-j.start)
		for i := range at {
			at[i].Start, at[i].End = at[i].Start+late, at[i].End+late
		}
		err := q.take(j, j.form, at)
		if err != nil {
			out = append(out, j)
			continue
		}
		if late > 0 {
			q.delay(j, Event{Cause: Late})
		}
	}
	slices.SortFunc(out, q.turn)
	// The steps of a Pass do not bound these searches: a promise that is not placed now would be lost.
	meter := q.meter
	q.meter, _ = effort.New(bookahead.Effort{Steps: math.MaxInt64})
	for _, j := range out {
		why := q.blame(j)
		if j.state == Starting {
			q.unpropose(j)
		}
		q.set(j, Waiting)
		if j.promised == Never {
			continue // a proposal is no promise
		}
		form, at, ok := q.earliest(j, q.window(), 0)
		if ok && at != nil {
			q.fail(q.take(j, form, at))
			q.set(j, Promised)
		} else {
			j.start = Never
		}
		q.delay(j, why)
	}
	meter.Add(&q.meter)
	q.meter = meter
	q.know()
}

// delay tells that a job has another start than was promised.
func (q *Queue) delay(j *job, e Event) {
	if j.promised != Never && (j.start == Never || j.start > j.promised) {
		e.Kind, e.Job, e.From, e.To = Delayed, j.ID, j.promised, j.start
		q.events = append(q.events, e)
	}
	if j.promised != Never || j.start == Never || j.state == Promised {
		j.promised = j.start
	}
}

// blame says what is in the place of a promise.
func (q *Queue) blame(j *job) Event {
	f := &j.kind.forms[j.form]
	for i := range j.places {
		on, _ := f.of(i)
		p, m := &j.places[i], &q.firm[on]
		for id := range m.reservations(p) {
			x := q.holder(on, id)
			switch {
			case x == nil:
			case x.overran == q.now && x.end > p.Start:
				return Event{Cause: Overran, By: x.ID, On: m.name, Reservation: id}
			case slices.ContainsFunc(q.swapped, func(c Change) bool { return c.Job == x.ID }):
				return Event{Cause: Outage, On: m.name}
			}
		}
		for c := range m.closures() {
			if !c.Added && c.Overlaps(p.Interval) && p.meets(c.Servers) && q.known[closureOf{on, c.ID}] != c.Interval {
				return Event{Cause: Outage, On: m.name}
			}
		}
		if id := q.stranger(m, on, p, true); id > 0 {
			return Event{Cause: Firm, On: m.name, Reservation: id}
		}
	}
	return Event{Cause: Late}
}

// meets reports whether a place has one of some servers or nodes; a place on a pool has.
func (p *Place) meets(servers []int) bool {
	return p.Servers == nil && p.Nodes == nil || slices.ContainsFunc(servers, func(k int) bool {
		return slices.Contains(p.Servers, k) || p.Head == k || slices.ContainsFunc(p.Nodes, func(s nodes.Share) bool { return s.Node == k })
	})
}

// stranger returns the last reservation of others that overlaps a place; 0 if there is none. With fresh, it is one that the
// plan was not made with, and that does not go around promises.
func (q *Queue) stranger(m *member, on int, p *Place, fresh bool) (last bookahead.ID) {
	for id := range m.reservations(p) {
		_, around := q.copies[reservationOf{on, id}]
		old := around || id <= q.seen[on]
		if !(fresh && old) && q.holder(on, id) == nil {
			last = max(last, id)
		}
	}
	return last
}

// holder returns the running job that has a reservation of a schedule of the caller; nil if it is of others.
func (q *Queue) holder(on int, id bookahead.ID) (of *job) {
	q.running.Ascend(func(j *job) bool {
		for i, x := range j.firm {
			if x != id {
				continue
			}
			if k, _ := j.kind.forms[j.form].of(i); k == on {
				of = j
			}
		}
		return of == nil
	})
	return of
}

// know notes the closures and reservations that the plan is made with: they delay nobody from now on.
func (q *Queue) know() {
	own := map[reservationOf]bool{}
	q.running.Ascend(func(j *job) bool {
		for i, id := range j.firm {
			on, _ := j.kind.forms[j.form].of(i)
			own[reservationOf{on, id}] = true
		}
		return true
	})
	clear(q.copies)
	q.known = map[closureOf]bookahead.Interval{}
	q.seen = make([]bookahead.ID, len(q.firm))
	q.edges = nil
	for i := range q.firm {
		m := &q.firm[i]
		for c := range m.closures() {
			q.known[closureOf{i, c.ID}] = c.Interval
			q.edges = append(q.edges, c.Start, c.End)
		}
		for r := range m.all() {
			q.seen[i] = max(q.seen[i], r.ID)
			if !own[reservationOf{i, r.ID}] {
				q.edges = append(q.edges, r.End)
			}
		}
	}
	slices.Sort(q.edges)
}

// lose tells which running jobs hold closed units, servers or nodes, also without a reservation. On a pool, all units are alike,
// and it names the jobs that began last.
func (q *Queue) lose() {
	for i := range q.firm {
		if q.firm[i].nodes != nil && q.shifted == 0 && q.bent == 0 && !q.firm[i].closesIn(q.looked, q.now) {
			continue // whoever holds a closed node has been told
		}
		if len(q.known) == 0 {
			continue // nothing is overbooked without a closure
		}
		lacking := q.firm[i].lacking(q.now)
		if lacking == nil && !q.squeezed {
			continue
		}
		var jobs []*job
		q.running.Ascend(func(j *job) bool {
			jobs = append(jobs, j)
			return true
		})
		slices.SortFunc(jobs, func(a, b *job) int { return cmp.Or(cmp.Compare(b.began, a.began), cmp.Compare(b.seq, a.seq)) })
		for _, j := range jobs {
			hit := false
			for k := range j.places {
				on, _ := j.kind.forms[j.form].of(k)
				p := &j.places[k]
				if on == i && p.Contains(q.now) && (lacking.hits(p) || j.firm[k] == 0 && q.firm[i].shut(p, q.now)) {
					hit = true
				}
			}
			if hit && !j.lost {
				j.lost = true
				q.events = append(q.events, Event{Kind: Lost, Job: j.ID, From: j.end, To: q.now, Cause: Outage, On: q.firm[i].name})
			}
		}
	}
	q.looked = q.now
}

// shut reports whether one of the servers or nodes of a place is closed at a tick.
func (m *member) shut(p *Place, t bookahead.Time) bool {
	for c := range m.closures() {
		if !c.Added && c.Contains(t) && p.meets(c.Servers) {
			return p.Servers != nil || p.Nodes != nil
		}
	}
	return false
}

// closesIn reports whether a closure begins after one time, by another.
func (m *member) closesIn(after, by bookahead.Time) bool {
	for c := range m.closures() {
		if !c.Added && after < c.Start && c.Start <= by {
			return true
		}
	}
	return false
}

// lack is what is booked on a schedule, and closed.
type lack struct {
	units int64
	named map[int]bool
}

// lacking returns what is overbooked at a tick; nil if nothing is.
func (m *member) lacking(now bookahead.Time) (l *lack) {
	for o := range m.overbooked(bookahead.Interval{Start: now, End: now + 1}) {
		if l == nil {
			l = &lack{named: map[int]bool{}}
		}
		l.units += o.Units
		for _, k := range o.Servers {
			l.named[k] = true
		}
	}
	return l
}

// hits reports whether a place has some of what is lacking, and takes its units off.
func (l *lack) hits(p *Place) bool {
	if l == nil {
		return false
	}
	if p.Servers == nil && p.Nodes == nil {
		hit := l.units > 0
		l.units -= p.Units
		return hit
	}
	on := func(s nodes.Share) bool { return l.named[s.Node] }
	return slices.ContainsFunc(p.Servers, func(k int) bool { return l.named[k] }) ||
		slices.ContainsFunc(p.Nodes, on) || p.Head >= 0 && l.named[p.Head]
}
