package plan

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Search returns the earliest place for a firm reservation that goes around all promises. It is a query. The part's Offset is
// 0. The error is bookahead.ErrUnavailable if there is no place from ready to the deadline, which is 0 for none, or wraps
// bookahead.ErrInvalid.
func (q *Queue) Search(p Part, ready, deadline bookahead.Time) (Place, error) {
	on, err := q.part(&p)
	if err != nil {
		return Place{}, err
	}
	return q.plan[on].search(&p, max(ready, q.now), deadline)
}

// Reserve books the place that Search finds on the caller's schedule, where it is a reservation like any other. No promise is
// delayed, and there is no need to call Changed. Errors are those of Search. The error also wraps bookahead.ErrUnavailable if
// the schedule has changed, or if the place is that of a job which gives way to a proposal and runs yet.
func (q *Queue) Reserve(p Part, ready, deadline bookahead.Time) (bookahead.ID, Place, error) {
	on, err := q.part(&p)
	if err != nil {
		return 0, Place{}, err
	}
	at, err := q.plan[on].search(&p, max(ready, q.now), deadline)
	if err != nil {
		return 0, Place{}, err
	}
	id, err := q.firm[on].reserve(&at, &p)
	if err != nil {
		return 0, Place{}, fmt.Errorf("plan: %s has changed, or a job there has not given way yet: %w", q.firm[on].name, err)
	}
	q.around = append(q.around, bookedOn{on, id})
	m := &q.plan[on]
	_, err = m.reserve(&at, &p)
	if err != nil {
		q.stale = true
	}
	i, _ := slices.BinarySearch(m.ends, at.End)
	m.ends = slices.Insert(m.ends, i, at.End)
	q.done = false
	return id, at, nil
}

// part checks a part, and returns its schedule.
func (q *Queue) part(p *Part) (int, error) {
	j := Job{ID: "firm", Shapes: []Shape{{*p}}}
	err := q.check(&j)
	if err == nil && p.Offset != 0 {
		err = limits.Invalid("Part.Offset", p.Offset, "is not 0")
	}
	return q.names[p.On], err
}
