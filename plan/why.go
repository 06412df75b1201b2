package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
)

// Why says why a job does not start now.
type Why struct {
	Job   ID
	State State
	// After are the jobs that it waits for, and NotBefore is set while that time, or the one of Postpone, has not come.
	After     []ID
	NotBefore bookahead.Time
	// InTheWay are those who hold what it needs now, in the order of On, then by Until. It is nil if it could start now.
	InTheWay []Blocker
	// Behind is the first job in the line, if this one would fit and may not overtake it; "" otherwise.
	Behind ID
	// Start is when it is to start if it is Promised. Otherwise it is the earliest time at which running jobs, promises and firm
	// reservations leave room: jobs before it in the line may take that, and Forecasts has them too. Never if nothing is known.
	Start    bookahead.Time
	Promised bool

	clock bookahead.Clock
}

// Blocker is who is in the way of a job: another job, a firm reservation, or a closure.
type Blocker struct {
	On string
	// Job runs there, or is promised the place; "" for others.
	Job ID
	// Promised is set if Job does not run yet.
	Promised bool
	// Reservation is on the schedule of the caller, and 0 for a promise. Closure is a closure, and 0 for others.
	Reservation bookahead.ID
	Closure     bookahead.ClosureID
	// Until is when it ends.
	Until bookahead.Time
}

// Why finds out why a job does not start now. It is a query. The error wraps bookahead.ErrNotFound if the queue has no such
// job. It takes a copy of the plan, two searches for each shape, and one for those in the way.
func (q *Queue) Why(id ID) (Why, error) {
	j, err := q.find(id)
	if err != nil {
		return Why{}, err
	}
	w := Why{Job: id, State: j.state, NotBefore: Never, Start: j.forecast().Start, Promised: j.state == Promised, clock: q.config.Clock}
	if at := max(j.NotBefore, j.from); at > q.now {
		w.NotBefore = at
	}
	for _, other := range j.After {
		if q.jobs[other] != nil {
			w.After = append(w.After, other)
		}
	}
	if j.state != Waiting && j.state != Promised {
		return w, nil
	}
	plan := q.plan.Clone()
	if j.state == Promised {
		err = plan.release(&j.kind.forms[j.form], j.ids)
	}
	if err != nil {
		return w, err
	}
	form, start, now := q.soonest(plan, j)
	if now {
		if i := slices.IndexFunc(q.waiting, func(x *job) bool { return x.state != Starting }); i >= 0 && q.waiting[i] != j {
			w.Behind = q.waiting[i].ID
		}
	} else {
		f := &j.kind.forms[form]
		for i := range f.Shape {
			w.InTheWay = append(w.InTheWay, q.blockers(&plan[f.on[i]], f.on[i], &f.Shape[i])...)
		}
		slices.SortFunc(w.InTheWay, func(a, b Blocker) int {
			return cmp.Or(cmp.Compare(a.On, b.On), cmp.Compare(a.Until, b.Until), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Reservation, b.Reservation))
		})
		w.InTheWay = slices.Compact(w.InTheWay)
	}
	if w.Start == Never {
		w.Start = start
	}
	return w, nil
}

// soonest returns the shape of a job that would end first in a plan, the first if none has a place, and its start. It also
// reports whether a shape fits now.
func (q *Queue) soonest(plan world, j *job) (form int, start bookahead.Time, now bool) {
	start = Never
	end := bookahead.MaxTime
	for i := range j.kind.forms {
		f := &j.kind.forms[i]
		at, err := plan.at(context.Background(), f, q.now)
		now = now || err == nil
		if err != nil || q.ready(j) > q.now {
			at, err = plan.search(context.Background(), f, q.ready(j), 0)
		}
		if err != nil {
			continue
		}
		w := span(at)
		if start == Never || w.End < end {
			form, start, end = i, w.Start, w.End
		}
	}
	return form, start, now
}

// blockers returns who is in the way of a part that would start now.
func (q *Queue) blockers(m *member, on int, p *Part) (list []Blocker) {
	from := q.now + bookahead.Time(p.Offset)
	var ids []bookahead.ID
	var closed []bookahead.ClosureID
	if m.nodes != nil {
		e, err := m.nodes.Explain(p.tasks(from, 0))
		if err != nil {
			return nil
		}
		for _, s := range e.Short {
			ids, closed = append(ids, s.Reservations...), append(closed, s.Closures...)
		}
	} else {
		e, err := bookahead.Explain(m.pool, p.request(from, 0))
		if err != nil || e.Blocked.Empty() {
			return nil
		}
		for id := range m.reservations(&Place{Interval: e.Blocked, Servers: p.Servers}) {
			ids = append(ids, id)
		}
		for c := range m.closures() {
			if !c.Added && c.Overlaps(e.Blocked) {
				closed = append(closed, c.ID)
			}
		}
	}
	for _, id := range ids {
		list = append(list, q.blocker(m, on, id))
	}
	for c := range m.closures() {
		if slices.Contains(closed, c.ID) {
			list = append(list, Blocker{On: m.name, Closure: c.ID, Until: c.End})
		}
	}
	return list
}

// blocker returns who has a reservation of the plan.
func (q *Queue) blocker(m *member, on int, id bookahead.ID) Blocker {
	b := Blocker{On: m.name, Reservation: id}
	for r, copied := range q.copies {
		if r.on == on && copied == id {
			b.Reservation = r.id // as the caller's schedule has it
		}
	}
	for _, j := range q.jobs {
		for i, x := range j.ids {
			if of, _ := j.kind.forms[j.form].of(i); x != id || of != on {
				continue
			}
			b = Blocker{On: m.name, Job: j.ID, Promised: j.state != Running, Until: j.places[i].End}
			if j.state == Running {
				b.Reservation = j.firm[i]
			}
			return b
		}
	}
	if m.nodes != nil {
		r, err := m.nodes.Reservation(id)
		if err == nil {
			b.Until = r.End
		}
	} else if k, ok := m.pool.(bookahead.Keeper); ok {
		r, err := k.Reservation(id)
		if err == nil {
			b.Until = r.End
		}
	}
	return b
}

// String says it in a sentence, with the times of Config.Clock: "job 7 waits for gpus: job 3 until 18:00; it starts at 20:00". It
// names three in the way at most.
func (w Why) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "job %s ", w.Job)
	switch {
	case w.State == Running:
		return b.String() + "runs since " + w.at(w.Start)
	case w.State == Starting:
		return b.String() + "may start now"
	case len(w.After) > 0:
		fmt.Fprintf(&b, "waits for job %s to end", join(w.After))
	case w.NotBefore != Never:
		fmt.Fprintf(&b, "is not to start before %s", w.at(w.NotBefore))
	case w.Behind != "":
		fmt.Fprintf(&b, "would fit, and waits behind job %s", w.Behind)
	case len(w.InTheWay) == 0:
		b.WriteString("has no room")
	default:
		b.WriteString("waits for ")
		for i, x := range w.InTheWay[:min(3, len(w.InTheWay))] {
			switch {
			case i > 0 && x.On == w.InTheWay[i-1].On:
				b.WriteString(", ")
			case i > 0:
				fmt.Fprintf(&b, "; %s: ", x.On)
			default:
				fmt.Fprintf(&b, "%s: ", x.On)
			}
			fmt.Fprintf(&b, "%s until %s", x.who(), w.at(x.Until))
		}
		if more := len(w.InTheWay) - 3; more > 0 {
			fmt.Fprintf(&b, ", and %d more", more)
		}
	}
	switch {
	case w.Start == Never:
		b.WriteString("; no start is known")
	case w.Promised:
		fmt.Fprintf(&b, "; it is promised to start at %s", w.at(w.Start))
	default:
		fmt.Fprintf(&b, "; it is not expected to start before %s", w.at(w.Start))
	}
	return b.String()
}

func join(ids []ID) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = string(id)
	}
	return strings.Join(list, ", job ")
}

func (x Blocker) who() string {
	switch {
	case x.Job != "" && x.Promised:
		return fmt.Sprintf("what is promised to job %s", x.Job)
	case x.Job != "":
		return fmt.Sprintf("job %s", x.Job)
	case x.Closure != 0:
		return fmt.Sprintf("closure %d", x.Closure)
	}
	return fmt.Sprintf("reservation %d", x.Reservation)
}

// at writes a time by the clock; as a tick if the queue has none.
func (w Why) at(t bookahead.Time) string {
	if t == bookahead.MaxTime {
		return "further notice"
	}
	wall, err := w.clock.Wall(t)
	if w.clock.Epoch.IsZero() || err != nil {
		return fmt.Sprint(t)
	}
	return wall.Format("Mon 2 Jan 15:04")
}
