package plan

import (
	"fmt"
	"maps"
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
	return q.around(on, &p, ready, deadline)
}

// Reserve books the place that Search finds on the caller's schedule, where it is a reservation like any other. No promise is
// delayed, and there is no need to call Changed. Errors are those of Search. The error also wraps bookahead.ErrUnavailable if
// the schedule has changed, or if the place is that of a job which gives way to a proposal and runs yet.
func (q *Queue) Reserve(p Part, ready, deadline bookahead.Time) (bookahead.ID, Place, error) {
	on, err := q.part(&p)
	if err != nil {
		return 0, Place{}, err
	}
	at, err := q.around(on, &p, ready, deadline)
	if err != nil {
		return 0, Place{}, err
	}
	id, err := q.firm[on].reserve(&at, &p)
	if err != nil {
		return 0, Place{}, fmt.Errorf("plan: %s has changed, or a job there has not given way yet: %w", q.firm[on].name, err)
	}
	m := &q.plan[on]
	copied, err := m.reserve(&at, &p)
	if err != nil {
		q.stale = true
	}
	q.forgetCopies()
	q.copies[reservationOf{on, id}] = copied
	past, _ := slices.BinarySearch(q.edges, q.now)
	q.edges = slices.Delete(q.edges, 0, past)
	i, _ := slices.BinarySearch(q.edges, at.End)
	q.edges = slices.Insert(q.edges, i, at.End)
	q.done = false
	return id, at, nil
}

// around returns the earliest place of a part in the plan. A request is not invalid because its ready time has passed: it has no room.
func (q *Queue) around(on int, p *Part, ready, deadline bookahead.Time) (Place, error) {
	length := bookahead.Time(p.Duration)
	if deadline != 0 && ready <= deadline-length && q.now > deadline-length {
		return Place{}, bookahead.ErrUnavailable
	}
	return q.plan[on].search(p, max(ready, q.now), deadline)
}

// forgetCopies forgets copies of reservations that are over, when there are twice as many as it kept last.
func (q *Queue) forgetCopies() {
	if len(q.copies) < q.enough {
		return
	}
	maps.DeleteFunc(q.copies, func(r reservationOf, copied bookahead.ID) bool {
		_, booked := q.plan[r.on].span(copied)
		_, lists := q.plan[r.on].pool.(bookahead.Keeper)
		return !booked && (lists || q.plan[r.on].nodes != nil)
	})
	q.enough = 2*len(q.copies) + 64
}

// part checks a part, and returns its schedule.
func (q *Queue) part(p *Part) (int, error) {
	j := Job{ID: "firm", Shapes: []Shape{{*p}}}
	err := q.check(&j)
	if err == nil && p.Offset != 0 {
		err = limits.Invalid("Part.Offset", p.Offset, "is not 0")
	}
	if err == nil && p.bends() {
		err = limits.Invalid("Part", p.On, "bends, and a firm reservation does not")
	}
	return q.names[p.On], err
}

// Release gives back a firm reservation of a schedule of the caller, which others may have booked, and lets the queue have its
// place, with no need to call Changed. The error is bookahead.ErrNotFound if it is not booked or has ended, and wraps
// bookahead.ErrInvalid if the queue has no such schedule, or a job has the reservation.
func (q *Queue) Release(on string, id bookahead.ID) error {
	i, ok := q.names[on]
	if !ok {
		return limits.Invalid("on", on, "is no schedule of the queue")
	}
	if j := q.holder(i, id); j != nil {
		return limits.Invalid("reservation", id, fmt.Sprintf("is of job %q", j.ID))
	}
	if q.stale {
		return q.firm[i].release(id)
	}
	copied := id
	if other, ok := q.copies[reservationOf{i, id}]; ok {
		copied = other
	}
	m := &q.plan[i]
	at, known := m.span(copied)
	err := q.firm[i].release(id)
	if err != nil {
		return err
	}
	delete(q.copies, reservationOf{i, id})
	q.fail(m.release(copied))
	if !known {
		q.Changed()
	} else {
		q.gainOn(i, at, nil)
	}
	return q.took()
}

// Promise gives a waiting job a place that it was promised before, by a queue that is gone: a caller that keeps its records
// elsewhere makes a new queue, submits its jobs, and then gives each promise again. The place has an entry for each part of the
// shape, in order. It must be free beside what is booked and promised, and the next Pass may move the job to an earlier place.
//
// The error wraps bookahead.ErrUnavailable if the place is not free any more: Search finds another. It wraps bookahead.ErrNotFound
// if the queue has no such job, and bookahead.ErrInvalid if the job is not waiting, or the place is not one of the shape, or breaks
// its terms, such as Tasks.Nodes, PerNode and Within, or begins before the job may start. An error promises nothing.
func (q *Queue) Promise(id ID, shape int, at []Place) error {
	j, err := q.find(id)
	if err != nil {
		return err
	}
	name := "job " + string(id)
	switch {
	case j.state != Waiting:
		return limits.Invalid(name, j.state.String(), "is not waiting")
	case shape < 0 || shape >= len(j.kind.forms):
		return limits.Invalid("shape", shape, fmt.Sprintf("is not below the %d of the job", len(j.kind.forms)))
	}
	f := &j.kind.forms[shape]
	if len(at) == 0 || !f.bends() && len(at) != len(f.Shape) {
		return limits.Invalid("place", len(at), fmt.Sprintf("parts are not the %d of the shape", len(f.Shape)))
	}
	start := at[0].Start - bookahead.Time(f.Shape[0].Offset)
	if f.bends() {
		err = f.Shape[0].obeys(at)
		if err != nil {
			return err
		}
	}
	for i := range at {
		on, part := f.of(i)
		p := *part
		begins := start + bookahead.Time(p.Offset)
		when := bookahead.Interval{Start: begins, End: begins + bookahead.Time(p.Duration)}
		if f.bends() {
			p.Units, when = at[i].Units, at[i].Interval
		}
		if at[i].On != p.On || at[i].Units != p.Units || at[i].Interval != when {
			return limits.Invalid(fmt.Sprintf("place[%d]", i), at[i], fmt.Sprintf("is not %d units of %s at %v", p.Units, p.On, when))
		}
		err = q.firm[on].keeps(&at[i], &p, fmt.Sprintf("place[%d]", i))
		if err != nil {
			return err
		}
	}
	if start < q.ready(j) {
		return limits.Invalid("place", start, fmt.Sprintf("begins before %d", q.ready(j)))
	}
	err = q.take(j, shape, slices.Clone(at))
	if err != nil {
		return fmt.Errorf("plan: %s: %w", name, err)
	}
	q.set(j, Promised)
	j.promised = start
	q.Changed()
	return nil
}

// Holder returns the running job that has a reservation of a schedule of the caller, and false if the reservation is of others. O(n)
// for n jobs that run.
func (q *Queue) Holder(on string, id bookahead.ID) (ID, bool) {
	i, ok := q.names[on]
	if !ok || id == 0 {
		return "", false
	}
	j := q.holder(i, id)
	if j == nil {
		return "", false
	}
	return j.ID, true
}

// Charge adds units times ticks to what an owner and a group have used, for FairShare: for firm reservations, or from before
// the queue was made. A negative number of ticks takes them off again. The error wraps bookahead.ErrInvalid if units are negative.
func (q *Queue) Charge(owner, group string, units int64, ticks bookahead.Duration) error {
	if units < 0 {
		return limits.Invalid("units", units, "is negative")
	}
	j := &Job{Owner: owner, Group: group}
	if ticks < 0 {
		q.used.refund(j, units, -max(ticks, -bookahead.Duration(bookahead.MaxTime)), 0)
	} else {
		q.used.charge(j, units, ticks)
	}
	q.done = false
	return nil
}

// span returns the time of a reservation, if the schedule lists its reservations.
func (m *member) span(id bookahead.ID) (w bookahead.Interval, ok bool) {
	if m.nodes != nil {
		r, err := m.nodes.Reservation(id)
		return r.Interval, err == nil
	}
	k, ok := m.pool.(bookahead.Keeper)
	if !ok {
		return w, false
	}
	r, err := k.Reservation(id)
	return r.Interval, err == nil
}
