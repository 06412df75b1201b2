package plan

import "github.com/bookahead/bookahead"

// found is what a search for a job of a family has found out: nobody who asks for as much starts before start in what was
// given back.
type found struct {
	ask
	start bookahead.Time
}

// maxFound bounds how many searches a family remembers.
const maxFound = 64

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
	q.gain(old)
	j.promised = j.start
	if j.start == q.now {
		q.begin(j)
	}
	return true
}

// canMove reports whether a promised job could lie earlier, its own place counted as free, now that something was given back
// within an interval. It could not before that, so each earlier place shares a tick with the interval.
//
//	given          ░░░░░░
//	its place                ▒▒▒▒▒▒▒▒
//	earliest  ▒▒▒▒▒▒▒▒                   its last tick is the first given
//	latest              ▒▒▒▒▒▒▒▒         its first tick is the last given
func (q *Queue) canMove(j *job, given bookahead.Interval) (can, ok bool) {
	k := j.kind
	f := &k.forms[j.form]
	from := max(q.now, given.Start-bookahead.Time(f.length)+1)
	if given.Empty() || k.like != nil && from >= j.start {
		return false, true
	}
	if k.like == nil {
		return given.Start < j.end, true
	}
	ask := k.ask()
	// A search counts its own place as taken. So an earlier place that reaches into that one is not found: it has the tick
	// before, which is asked first.
	p := f.Shape[0]
	m := &q.plan[f.on[0]]
	if given.Contains(j.start - 1) {
		if !q.meter.Spend(f.steps) {
			return false, false
		}
		p.Duration = 1
		_, err := m.search(&p, j.start-1, j.start)
		if err == nil {
			return true, true
		}
		p.Duration = ask.duration
	}
	for i := range k.like.moves {
		x := &k.like.moves[i]
		if x.start >= j.start && x.within(ask) {
			return false, true
		}
	}
	if !q.meter.Spend(f.steps) {
		return false, false
	}
	deadline := bookahead.Time(0)
	if given.End <= bookahead.MaxTime-bookahead.Time(ask.duration) {
		deadline = given.End - 1 + bookahead.Time(ask.duration)
	}
	start := bookahead.MaxTime
	x, err := m.search(&p, from, deadline)
	if err == nil {
		start = x.Start
	}
	if start < j.start {
		return true, true
	}
	if len(k.like.moves) < maxFound {
		k.like.moves = append(k.like.moves, found{ask, start})
	}
	return false, true
}
