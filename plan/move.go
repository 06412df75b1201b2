package plan

import "github.com/bookahead/bookahead"

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
	can, ok := q.canMove(j, given)
	if !can {
		return ok
	}
	old, form, places := bookahead.Interval{Start: j.start, End: j.end}, j.form, j.places
	q.fail(q.plan.release(&j.kind.forms[form], j.ids))
	to, at, ok := q.earliest(j.kind, old.Start)
	if !ok || at == nil || span(at).End > old.End || span(at) == old {
		q.fail(q.take(j, form, places))
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

// canMove reports whether a promised job could lie earlier, its own place counted as free, now that something was given back
// within an interval. It could not before that.
func (q *Queue) canMove(j *job, given bookahead.Interval) (can, ok bool) {
	k := j.kind
	switch {
	case q.plain:
		return true, true
	case given.Empty():
		return false, true
	case k.like == nil:
		return given.Start < j.end, true
	}
	p := k.forms[0].Shape[0]
	m := &q.plan[k.forms[0].on[0]]
	// A search counts its own place as taken. So an earlier place that reaches into that one is not found: it has the tick
	// before, which is asked first.
	if given.Contains(j.start - 1) {
		if !q.meter.Spend(k.forms[0].steps) {
			return false, false
		}
		p.Duration = 1
		_, err := m.search(&p, j.start-1, j.start)
		if err == nil {
			return true, true
		}
		p.Duration = k.forms[0].length
	}
	from := max(q.now, k.lower())
	if from >= j.start {
		return false, true
	}
	if !q.meter.Spend(k.forms[0].steps) {
		return false, false
	}
	_, err := m.search(&p, from, j.start-1+bookahead.Time(p.Duration))
	if err != nil {
		k.raise(j.start)
	}
	return err == nil, true
}
