package plan

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Next returns the time of the next Pass that may find something to do if nothing happens before: a job or a firm reservation
// ends, a closure begins or ends, a promise is due, a job is not held any more, use is halved, or a volume has run for a tick, so that
// it may yield. Before a part that starts later than its job, it is so much earlier. It is bookahead.MaxTime if there is none. It is a
// query. O(n) for n jobs with a place.
func (q *Queue) Next() bookahead.Time {
	if !q.done {
		return q.now
	}
	at := q.frees()
	if q.begins() {
		at = q.now + 1
	}
	for _, j := range q.placed {
		if j.state == Promised {
			at = min(at, j.start)
		}
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
	if len(q.known) > 0 && q.shifted > 0 || q.bent > 0 { // a part that begins later may meet a closure then, and a piece begins
		q.running.Ascend(func(j *job) bool {
			for i := range j.places {
				if j.places[i].Start > q.now {
					at = min(at, j.places[i].Start)
				}
			}
			return true
		})
	}
	for i := range q.firm {
		if len(q.known) > 0 { // nothing is overbooked without a closure
			at = min(at, q.firm[i].overbookedNext(q.now))
		}
	}
	if share := q.config.Order.share; share != nil && share.HalfLife > 0 && len(q.used.owners)+len(q.used.groups) > 0 && len(q.waiting) > 0 {
		half := bookahead.Time(share.HalfLife)
		at = min(at, (q.now/half+1)*half)
	}
	return max(at, q.now+1)
}

// frees returns the next time at which something may become free in the plan, or a closure begins; bookahead.MaxTime if there is
// none. Before a part that starts later than its job, it is so much earlier.
func (q *Queue) frees() bookahead.Time {
	at := bookahead.MaxTime
	first, runs := q.running.Min()
	for _, d := range q.offsets() {
		after := q.now + min(d, bookahead.MaxTime-q.now)
		free := func(t bookahead.Time) {
			if t > after {
				at = min(at, t-d)
			}
		}
		i, _ := slices.BinarySearch(q.edges, after+1)
		if i < len(q.edges) {
			free(q.edges[i])
		}
		if runs {
			free(first.end) // by then it has overrun
		}
		for _, j := range q.placed {
			for i := range j.places {
				free(j.places[i].End)
			}
		}
		if q.parted > 0 { // a part, or a piece, may end before its job
			q.running.Ascend(func(j *job) bool {
				for i := range j.places {
					free(j.places[i].End)
				}
				return true
			})
		}
		for i := range q.plan {
			if q.inexact && !q.plan[i].exact() {
				next, ok := bookahead.NextChange(q.plan[i].pool, after)
				if ok {
					free(next)
				}
			}
		}
	}
	return at
}

// atOnce are the offsets of kinds whose parts all start with the job.
var atOnce = []bookahead.Time{0}

// offsets returns the distances from the start of a job to the starts of its parts. A part that starts later meets what will be
// free then. Most queues have no such part, so that kinds are not asked.
func (q *Queue) offsets() []bookahead.Time {
	list := atOnce
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
