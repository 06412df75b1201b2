package plan

import (
	"context"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// Forecast says when and where a job starts, as far as is known now.
type Forecast struct {
	Job   ID
	State State
	// Start and End are when the job is to start, or has started, and when it is to end by its estimate. Both are Never if
	// it has no place before the horizons, or is beyond the depth of the line.
	Start, End bookahead.Time
	// Promised is the start that the job was promised; Never if it has no promise, so that Start is only expected.
	Promised bookahead.Time
	// Shape is the index of the shape, and Places has the place of each part; nil without a Start.
	Shape  int
	Places []Place
}

// forecast returns what is known of a job without a search.
func (j *job) forecast() Forecast {
	f := Forecast{Job: j.ID, State: j.state, Start: Never, End: Never, Promised: j.promised}
	if j.state >= Promised {
		f.Start, f.End, f.Shape, f.Places = j.start, j.end, j.form, slices.Clone(j.places)
	}
	if j.state == Running {
		f.Start = j.began
	}
	return f
}

// Job returns a job of the queue, and what is known of it without a search. The error wraps bookahead.ErrNotFound. O(1).
func (q *Queue) Job(id ID) (Job, Forecast, error) {
	j, err := q.find(id)
	if err != nil {
		return Job{}, Forecast{}, err
	}
	return j.Job.clone(), j.forecast(), nil
}

// Forecasts returns when each job starts if nothing else happens: those that run, by end; those that wait, in turn; and those
// that are held. A job without a promise is expected at its earliest place behind all that come before it, and one that comes
// after others when these are expected to end. It is a query, on a copy of the plan.
//
// The error wraps bookahead.ErrStopped, with the forecasts so far, if the steps of Limits do not suffice, or ctx is done. It
// takes a search and a booking for each job that waits without a place.
func (q *Queue) Forecasts(ctx context.Context) ([]Forecast, error) {
	meter, err := effort.New(bookahead.Effort{Context: ctx, Steps: q.config.Limits.Steps})
	if err != nil {
		return nil, err
	}
	x := outlook{q: q, plan: q.plan.Clone(), meter: meter, known: map[*job]Forecast{}, from: map[*kind]bookahead.Time{}}
	var list []Forecast
	add := func(j *job, f Forecast) {
		x.known[j] = f
		list = append(list, f)
	}
	q.running.Ascend(func(j *job) bool {
		add(j, j.forecast())
		return true
	})
	seen := 0
	for _, j := range q.inTurn() {
		f := j.forecast()
		if j.state != Starting {
			seen++
		}
		if j.state == Waiting && (q.config.Limits.Depth == 0 || seen <= q.config.Limits.Depth) {
			err := x.expect(j, &f, q.ready(j))
			if err != nil {
				return list, err
			}
		}
		add(j, f)
	}
	for _, j := range q.held() {
		f := j.forecast()
		ready := max(q.ready(j), j.NotBefore)
		for _, id := range j.After {
			other := q.jobs[id]
			if other != nil {
				end := x.known[other].End
				if end == Never {
					ready = Never
					break
				}
				ready = max(ready, end)
			}
		}
		if ready != Never {
			err := x.expect(j, &f, ready)
			if err != nil {
				return list, err
			}
		}
		add(j, f)
	}
	return list, nil
}

// outlook is a plan in which every job has a place.
type outlook struct {
	q     *Queue
	plan  world
	meter effort.Meter
	known map[*job]Forecast
	from  map[*kind]bookahead.Time // no job of the kind has a place before: one job alike has found none
}

// expect finds the place of a job from a time on, and books it.
func (x *outlook) expect(j *job, f *Forecast, ready bookahead.Time) error {
	if len(j.kind.forms) == 1 && !j.kind.bends {
		ready = max(ready, x.from[j.kind])
	}
	for i := range j.kind.forms {
		form := &j.kind.forms[i]
		if !x.meter.Spend(form.steps) {
			return stopped(x.meter.Rest(1).Context)
		}
		at, err := x.plan.search(x.meter.Rest(1).Context, form, ready, 0)
		if err == bookahead.ErrUnavailable {
			continue
		}
		if err != nil {
			return err
		}
		w := span(at)
		if f.Places == nil || w.End < f.End {
			f.Start, f.End, f.Shape, f.Places = w.Start, w.End, i, at
		}
	}
	if f.Places == nil {
		return nil
	}
	if ready <= max(x.q.now, x.from[j.kind]) {
		x.from[j.kind] = f.Start
	}
	_, err := x.plan.reserve(&j.kind.forms[f.Shape], f.Places)
	return err
}
