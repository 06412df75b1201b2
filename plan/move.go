package plan

import (
	"github.com/bookahead/bookahead"
)

// improve moves a promised job to an earlier place, if it has one with the others where they are. Its own place counts as
// free. A job that moves gives its old place back, so that others may move there. It returns false if the steps do not suffice.
//
//	r was booked until 8, and ends at 3; x needs both lanes, and y waits behind it
//
//	          0   4   8           round 1: y moves     round 2: then x can
//	lane 2    rrrrrrrrxxxx        rrryyyy─xxxx         rrryyyyxxxx
//	lane 1    ccccyyyyxxxx        cccc────xxxx         cccc───xxxx
//	given                         3 to 8               4 to 8, which y has left
func (q *Queue) improve(j *job, given bookahead.Interval) bool {
	if q.knows(j) {
		return true
	}
	can, at, ok := q.canMove(j, given)
	if !can {
		if ok {
			j.tried, j.triedAt = q.age, q.now
		}
		return ok
	}
	old, form, places := bookahead.Interval{Start: j.start, End: j.end}, j.form, j.places
	to := form
	q.fail(q.plan.release(&j.kind.forms[form], j.ids))
	if at == nil {
		to, at, ok = q.earliest(j, old.Start, q.patience(j))
	}
	if !ok || at == nil || span(at).End > old.End || span(at) == old {
		q.fail(q.take(j, form, places))
		if ok {
			j.tried, j.triedAt = q.age, q.now
		}
		return ok
	}
	q.fail(q.take(j, to, at))
	q.gain(&j.kind.forms[form], places)
	j.promised = j.start
	if j.start == q.now {
		q.begin(j)
	}
	return true
}

// patience returns how long a promised job waits for one group if it may move. If it has such a place, that is until its own start: its own place
// counts as free then, so it does not leave the group for several.
func (q *Queue) patience(j *job) bookahead.Duration {
	on, p := j.kind.forms[j.form].of(0)
	if p.patience() == 0 || !q.plan[on].together(&j.places[0], p.Tasks.Together) {
		return 0
	}
	return bookahead.Duration(j.start - q.ready(j))
}

// knows reports whether a job was looked at in vain, and nothing was given back since. So a Pass goes on where the steps of the
// last one did not suffice.
func (q *Queue) knows(j *job) bool { return j.tried == q.age && j.triedAt == q.now && !q.plain }

// canMove reports whether a promised job could lie earlier, its own place counted as free, now that something was given back
// within an interval. It could not before that. It returns the place if it is known.
func (q *Queue) canMove(j *job, given bookahead.Interval) (can bool, to []Place, ok bool) {
	k := j.kind
	switch {
	case q.plain, k.slides, k.bends:
		return true, nil, true
	case given.Empty():
		return false, nil, true
	case k.like == nil || j.from > q.now:
		return given.Start < j.end, nil, true
	}
	p := &k.forms[0].Shape[0]
	m := &q.plan[k.on()]
	// A search counts its own place as taken. So an earlier place that reaches into that one is not found: it has the tick
	// before, which is asked first. On a pool, the job would lie there already if that tick had been free. On nodes, it may have
	// been free on nodes that were taken too soon after, also at ticks of its own place.
	// One that reaches into it shares a tick with the interval, and on nodes a node that was given back.
	if given.Contains(j.start-1) || given.Start < j.end && given.End > j.start-bookahead.Time(p.Duration)+1 && (m.nodes != nil || m.frame().Servers > 0) {
		if !q.meter.Spend(k.forms[0].steps) {
			return false, nil, false
		}
		if m.givenAt(p, j.start-1) && m.roomAt(p, j.start-1) && m.reaches(p, j, q.now) {
			return true, nil, true
		}
	}
	k.bound, k.open.Start = max(k.bound, q.now), max(k.open.Start, q.now)
	if k.shut(j.start) {
		return false, nil, true
	}
	// First where something was given back, then where nobody has looked.
	for _, w := range []bookahead.Interval{
		{Start: k.open.Start, End: min(k.open.End, k.bound)},
		{Start: k.bound, End: j.start},
	} {
		if w.Start >= min(w.End, j.start) {
			continue
		}
		if !q.meter.Spend(k.forms[0].steps) {
			return false, nil, false
		}
		at, err := m.search(p, w.Start, w.End-1+bookahead.Time(p.Duration))
		if err != nil {
			at.Start = w.End
		}
		k.shutBetween(w.Start, at.Start)
		if err == nil && at.Start < j.start {
			return true, []Place{at}, true
		}
	}
	return false, nil, true
}

// reaches reports whether a promised job has an earlier place that overlaps its own, which counts as free. It is asked of
// nodes alone: on other schedules the answer is yes.
func (m *member) reaches(p *Part, j *job, now bookahead.Time) bool {
	if m.nodes == nil {
		return true
	}
	_, err := m.nodes.SearchFor(j.ids[0], p.tasks(max(now, j.start-bookahead.Time(p.Duration)+1), j.end-1))
	return err == nil
}

// givenAt reports whether a node that was given back has room for a task of a part at a tick. It is asked of nodes alone, and of
// requests that every node may serve: otherwise the answer is yes.
func (m *member) givenAt(p *Part, t bookahead.Time) bool {
	if m.nodes == nil || m.anyGiven || p.Tasks.Head != nil || p.Tasks.Nodes != nil {
		return true
	}
	task := *p.Tasks
	task.Nodes, task.Within, task.Together, task.Bundle, task.Bundled = m.given, "", "", 0, ""
	return m.roomAt(&Part{On: p.On, Units: 1, Tasks: &task}, t)
}
