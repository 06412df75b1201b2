package plan

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Next returns the time of the next Pass that may find something to do if nothing happens before: a job or a firm reservation
// ends, a closure begins or ends, a promise is due, a job is not held any more, or use is halved. Before a part that starts later
// than its job, it is so much earlier. It is bookahead.MaxTime if there is none. It is a query. O(n) for n jobs with a place.
func (q *Queue) Next() bookahead.Time {
	if !q.done {
		return q.now
	}
	at := bookahead.MaxTime
	offsets := q.offsets()
	free := func(t bookahead.Time) { // something may be free from t on, which a part may meet that starts with the job or later
		for _, d := range offsets {
			if t-d > q.now {
				at = min(at, t-d)
			}
		}
	}
	first, runs := q.running.Min()
	if runs {
		free(first.end) // by then it has overrun
	}
	for _, j := range q.placed {
		if j.state == Promised {
			at = min(at, j.start)
		}
		for i := range j.places {
			free(j.places[i].End)
		}
	}
	if !q.counts {
		q.running.Ascend(func(j *job) bool {
			for i := range j.places {
				free(j.places[i].End)
			}
			return true
		})
	}
	for _, j := range q.postponed {
		if q.jobs[j.ID] == j {
			at = min(at, j.from)
		}
	}
	next, ok := q.asleep.Min()
	if ok {
		at = min(at, next.NotBefore)
	}
	for i := range q.plan {
		for _, d := range offsets {
			if q.now <= bookahead.MaxTime-d {
				free(q.plan[i].change(q.now + d))
			}
		}
	}
	for i := range q.firm {
		at = min(at, q.firm[i].overbookedNext(q.now))
	}
	if share := q.config.Order.share; share != nil && share.HalfLife > 0 && len(q.used.owners) > 0 && len(q.waiting) > 0 {
		half := bookahead.Time(share.HalfLife)
		at = min(at, (q.now/half+1)*half)
	}
	return max(at, q.now+1)
}

// offsets returns the distances from the start of a job to the starts of its parts. A part that starts later meets what will be
// free then. Most queues have no such part, so that kinds are not asked.
func (q *Queue) offsets() []bookahead.Time {
	list := []bookahead.Time{0}
	if q.shifted == 0 {
		return list
	}
	for _, k := range q.kinds {
		for i := range k.forms {
			for _, p := range k.forms[i].Shape {
				if p.Offset > 0 && !slices.Contains(list, bookahead.Time(p.Offset)) {
					list = append(list, bookahead.Time(p.Offset))
				}
			}
		}
	}
	return list
}
