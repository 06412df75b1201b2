package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// Pass moves the clocks of the schedules to now, and says which jobs may start. It starts none: the caller says by Started
// which it has. A job that is not Started, and the same Pass again, is proposed again. Nothing but the promises that the Pass gives
// is kept, and no schedule of the caller changes but for its clock, and for the time of jobs that have overrun.
//
// The error is a fault of a schedule, or wraps bookahead.ErrInvalid if now is in the past. It wraps bookahead.ErrStopped, with
// the Result so far, if the steps of Limits do not suffice or ctx is done: the next Pass goes on.
//
// It takes a search for each kind of job that could start now and was not known not to, and one for each job that could move
// into what was given back; see the package comment.
func (q *Queue) Pass(ctx context.Context, now bookahead.Time) (Result, error) {
	if now < q.now {
		return Result{}, limits.Invalid("now", now, fmt.Sprintf("is before the clock of the queue, %d", q.now))
	}
	if q.done && now == q.now {
		return q.last.clone(), nil
	}
	meter, err := effort.New(bookahead.Effort{Context: ctx, Steps: q.config.Limits.Steps})
	if err == nil {
		err = q.advance(now)
	}
	if err != nil {
		return Result{}, err
	}
	q.meter = meter
	q.takeBack()
	q.wake()
	q.hold()
	q.overrun()
	q.swap()
	if q.stale || q.late() {
		q.renew()
	}
	q.lose()
	complete := q.fill()
	err = q.took()
	if err != nil {
		q.stale = true
		return Result{}, err
	}
	q.last = Result{Changes: append(q.swapped, q.changes()...), Starts: q.starts(), Promises: q.promises(), Events: q.events, Spent: q.meter.Steps()}
	q.events, q.swapped = nil, nil
	q.done = complete
	if !complete {
		return q.last.clone(), stopped(ctx)
	}
	return q.last.clone(), nil
}

func stopped(ctx context.Context) error {
	if ctx != nil && ctx.Err() != nil {
		return fmt.Errorf("plan: %w: %w", bookahead.ErrStopped, context.Cause(ctx))
	}
	return fmt.Errorf("plan: %w", bookahead.ErrStopped)
}

func (r Result) clone() Result {
	r.Changes = slices.Clone(r.Changes)
	r.Starts, r.Promises, r.Events = slices.Clone(r.Starts), slices.Clone(r.Promises), slices.Clone(r.Events)
	return r
}

// promises lists the promises that the Pass has given, in the order in which they were given. One that starts now is none.
func (q *Queue) promises() (list []Promise) {
	for _, j := range q.fresh {
		if j.state == Promised {
			list = append(list, Promise{j.ID, j.start})
		}
	}
	q.fresh = q.fresh[:0]
	return list
}

// starts lists the proposals in the order in which they were found: one that needs the place of victims comes after the job
// to which these give way.
func (q *Queue) starts() (list []Start) {
	var jobs []*job
	for _, j := range q.placed {
		if j.state == Starting {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b *job) int { return cmp.Compare(a.found, b.found) })
	for _, j := range jobs {
		s := Start{Job: j.ID, Shape: j.form, Places: j.places}
		for _, v := range j.victims {
			s.Victims = append(s.Victims, v.ID)
		}
		list = append(list, s)
	}
	return list
}

// Advance moves the clocks of the schedules to now, and decides nothing: before a firm reservation is booked or released, if no
// Ended and no Pass has come at that time. The error wraps bookahead.ErrInvalid if now is in the past.
func (q *Queue) Advance(now bookahead.Time) error { return q.advance(now) }

// advance moves all clocks.
func (q *Queue) advance(now bookahead.Time) error {
	if now < q.now {
		return limits.Invalid("now", now, fmt.Sprintf("is before the clock of the queue, %d", q.now))
	}
	if now == q.now {
		return nil
	}
	if now == bookahead.MaxTime {
		return limits.Invalid("now", now, "is the end of time")
	}
	for i := 1; i < len(q.firm); i++ { // the first one refuses a time itself, before anything has moved
		f := q.firm[i].frame()
		if f.Now > now {
			return limits.Invalid("now", now, fmt.Sprintf("is before the clock of %s, %d", q.firm[i].name, f.Now))
		}
		if f.Horizon < bookahead.MaxTime && now > bookahead.MaxTime-(f.Horizon-f.Now) {
			return limits.Invalid("now", now, fmt.Sprintf("leaves no time for the horizon of %s", q.firm[i].name))
		}
	}
	freer := q.inexact || q.begins() || q.frees() <= now
	for i := range q.firm {
		err := q.firm[i].advance(now)
		if err == nil {
			err = q.plan[i].advance(now)
		}
		if err != nil {
			return fmt.Errorf("plan: %s: %w", q.firm[i].name, err)
		}
	}
	if freer {
		q.age++
		q.scan.all = true
	}
	q.now, q.done = now, false
	q.postponed = slices.DeleteFunc(q.postponed, func(j *job) bool {
		over := j.from <= now
		q.scan.all = q.scan.all || over // it may start
		return over || q.jobs[j.ID] != j
	})
	q.scan.all = q.scan.all || q.config.Limits.Window > 0 // starts have come nearer
	if share := q.config.Order.share; share != nil {
		q.used.forget(now, share.HalfLife)
	}
	return nil
}

// takeBack takes proposals back that nobody has taken while they were good: those before now, and those whose victims still
// run. A job that was promised this start keeps its place, and is late; another gives it back.
func (q *Queue) takeBack() {
	for i := len(q.placed) - 1; i >= 0; i-- { // a job that leaves the list makes room for the last one
		j := q.placed[i]
		if j.state != Starting || j.start == q.now && len(j.victims) == 0 {
			continue
		}
		q.unpropose(j)
		if j.promised == Never {
			q.giveBack(j)
			q.set(j, Waiting)
			q.scan.all = true // it is looked at again, also if its place is over
		}
	}
}

// wake puts jobs into the line that were held until now.
func (q *Queue) wake() {
	for {
		j, ok := q.asleep.Min()
		if !ok || j.NotBefore > q.now {
			return
		}
		q.asleep.DeleteMin()
		q.line(j)
	}
}

// late reports whether a promised start has gone by.
func (q *Queue) late() bool {
	return slices.ContainsFunc(q.placed, func(j *job) bool { return j.state == Promised && j.start < q.now })
}

// consider looks at a job without a place: it is proposed if it fits now, and may get a promise. It returns false if the steps
// do not suffice.
func (q *Queue) consider(j *job, promised, first bool) bool {
	if promised {
		return q.promise(j, first)
	}
	if j.from > q.now {
		return true
	}
	if q.plain || !q.hopeless(j.kind) {
		form, at, ok := q.fits(q.plan, j.kind)
		if !ok {
			return false
		}
		if at != nil {
			at, ok = q.await(j, form, at)
			if ok {
				q.place(j, form, at)
			}
			return ok
		}
		j.kind.fail(q.age)
	}
	return q.preempt(j, first)
}

// fits returns the place of a kind in a world that starts now and ends first; nil if there is none. It returns false if the
// steps do not suffice.
func (q *Queue) fits(in world, k *kind) (form int, best []Place, ok bool) {
	for i := range k.forms {
		f := &k.forms[i]
		if !q.meter.Spend(f.steps) {
			return 0, nil, false
		}
		if q.now > bookahead.MaxTime-bookahead.Time(f.length) {
			continue
		}
		at, err := in.at(q.meter.Rest(1).Context, f, q.now)
		if err == bookahead.ErrUnavailable {
			continue
		}
		if errors.Is(err, bookahead.ErrStopped) {
			return 0, nil, false
		}
		if err != nil {
			q.fail(err)
			return 0, nil, true
		}
		if best == nil || span(at).End < span(best).End {
			form, best = i, at
		}
	}
	return form, best, true
}

// await returns the place for which a job waits that could start now: one in one group of nodes, if the job has Patience; otherwise its place now. It
// returns false if the steps do not suffice.
func (q *Queue) await(j *job, form int, now []Place) (at []Place, ok bool) {
	f := &j.kind.forms[form]
	if f.Shape[0].patience() == 0 {
		return now, true
	}
	if !q.meter.Spend(f.steps) {
		return nil, false
	}
	at, err := q.plan.search(q.meter.Rest(1).Context, f, q.now, 0)
	if err != nil || at[0].Start > q.window() {
		return now, true
	}
	return at, true
}

// earliest returns the place of a job that ends first, of those that start by a time; nil if there is none. A job with Patience waits
// so long for one group of nodes, if it finds one by that time.
func (q *Queue) earliest(j *job, by bookahead.Time, patience bookahead.Duration) (form int, best []Place, ok bool) {
	k := j.kind
	for i := range k.forms {
		f := &k.forms[i]
		if !q.meter.Spend(f.steps) {
			return 0, nil, false
		}
		at, err := q.plan.search(q.meter.Rest(1).Context, f.waits(patience), q.ready(j), 0)
		if err == nil && at[0].Start > by && f.Shape[0].patience() > 0 {
			at, err = q.plan.search(q.meter.Rest(1).Context, f.waits(0), q.ready(j), 0)
		}
		if err == bookahead.ErrUnavailable {
			continue
		}
		if errors.Is(err, bookahead.ErrStopped) {
			return 0, nil, false
		}
		if err != nil {
			q.fail(err)
			return 0, nil, true
		}
		w := span(at)
		if j.from <= q.now {
			k.shutBefore(w.Start)
		}
		if w.Start <= by && (best == nil || w.End < span(best).End) {
			form, best = i, at
		}
	}
	return form, best, true
}

// promise gives a job its earliest place.
func (q *Queue) promise(j *job, first bool) bool {
	if q.knows(j) {
		return q.preempt(j, first)
	}
	form, at, ok := q.earliest(j, q.window(), j.kind.forms[0].Shape[0].patience())
	if !ok {
		return false
	}
	if at == nil || span(at).Start > q.now {
		ok = q.preempt(j, first)
		if !ok || j.state == Starting {
			return ok
		}
	}
	if at == nil {
		j.tried, j.triedAt = q.age, q.now
		return true
	}
	q.place(j, form, at)
	return true
}

// place gives a job a place: it is proposed if that begins now, and otherwise promised.
func (q *Queue) place(j *job, form int, at []Place) {
	q.fail(q.take(j, form, at))
	q.taken()
	if j.start == q.now {
		q.begin(j)
		return
	}
	q.set(j, Promised)
	j.promised = j.start
	q.fresh = append(q.fresh, j)
}

// window returns the last start that is near enough to be promised.
func (q *Queue) window() bookahead.Time {
	w := bookahead.Time(q.config.Limits.Window)
	if w == 0 || q.now > bookahead.MaxTime-w {
		return bookahead.MaxTime
	}
	return q.now + w
}
