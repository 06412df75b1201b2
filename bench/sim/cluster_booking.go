package sim

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// takeIn books AR gangs that have come in, and puts the others into the queue.
func (e *clusterEngine) takeIn() {
	for len(e.coming) > 0 && e.coming[0].at <= e.now && e.err == nil {
		i := e.coming[0].task
		e.coming = e.coming[1:]
		r := e.gangs[i].request(0, 0)
		r.Ready = e.empty.Frame().Now // whatever the horizon is, as it slides along
		_, err := e.empty.Search(r)
		e.fail(err)
		switch {
		case e.Tasks[i].AR:
			e.book(i, e.Tasks[i].Ready)
			if !e.Outcomes[i].Rejected {
				e.Outcomes[i].Promised = e.Outcomes[i].Start
			}
		case err != nil:
			e.reject(i)
		default:
			e.fail(e.q.Submit(e.Tasks[i].job(i, e.m.shape(&e.gangs[i]))))
			e.waiting++
			if e.Forecast {
				e.fresh = append(e.fresh, i)
			}
		}
	}
}

// foresee notes when the gangs that have come in are expected to start. Those that run have started now.
func (e *clusterEngine) foresee() {
	waits := false
	for _, i := range e.fresh {
		e.Forecasts[i] = e.now
		waits = waits || e.run[i] < 0
	}
	if waits && e.err == nil {
		list, err := e.q.Forecasts(e.ctx)
		e.fail(err)
		for _, f := range list {
			i := named(f.Job)
			if f.State != plan.Running && slices.Contains(e.fresh, i) {
				e.Forecasts[i] = f.Start
			}
		}
	}
	e.fresh = e.fresh[:0]
}

// book books an AR gang at the earliest place from some time on, or rejects it. A reservation does not go around promises.
func (e *clusterEngine) book(i int32, from bookahead.Time) {
	t, o := &e.Tasks[i], &e.Outcomes[i]
	e.reject(i)
	from = max(e.now, from)
	if e.err != nil || t.Due != 0 && from > t.Due-bookahead.Time(t.Estimate) {
		return
	}
	o.Attempts++
	b, err := e.m.book(e.gangs[i].request(from, t.Due))
	if err != nil {
		e.fail(err)
		return
	}
	e.q.Changed()
	e.held[i] = b
	o.Provider, o.Start, o.End, o.Rejected = 0, b.Start, b.Start+bookahead.Time(t.Run), false
	e.starts.ReplaceOrInsert(event{b.Start, i})
}

// arrive starts an AR gang where it is booked. If it finds no nodes, its promise is broken, and it is
// booked anew.
func (e *clusterEngine) arrive(i int32) {
	b, err := e.m.begin(e.held[i], e.atOnce(i))
	if err == nil {
		e.begin(i, b)
		return
	}
	e.fail(err)
	e.release(i)
	at, counted := slices.BinarySearch(e.Broken, int(i))
	if e.Outcomes[i].Displaced == 0 && !counted {
		e.Broken = slices.Insert(e.Broken, at, int(i))
	}
	// Pools have room for it now, so that it would be booked for now again. There are no nodes
	// before those who have some now are expected to end.
	from, err := e.m.room(e.gangs[i].request(e.now, e.Tasks[i].Due))
	if err != nil {
		e.fail(err)
		e.reject(i)
		return
	}
	e.book(i, from)
}

// reject notes that a gang does not run.
func (e *clusterEngine) reject(i int32) {
	o := &e.Outcomes[i]
	o.Provider, o.Start, o.End, o.Rejected = -1, 0, 0, true
}

// begin notes that a gang runs from now on.
func (e *clusterEngine) begin(i int32, b booking) {
	o := &e.Outcomes[i]
	o.Provider, o.Start, o.End = 0, b.Start, b.Start+bookahead.Time(e.Tasks[i].Run)
	e.held[i], e.run[i] = b, len(e.Runs)
	e.Runs = append(e.Runs, Ran{Task: int(i), When: bookahead.Interval{Start: o.Start, End: o.End}, On: b.Tasks, Head: b.Head})
	e.ends.ReplaceOrInsert(event{o.End, i})
}

// finish ends a gang that is done, and gives the rest of its estimate back.
func (e *clusterEngine) finish(i int32) {
	e.run[i] = -1
	if !e.Tasks[i].AR {
		e.fail(e.q.Ended(e.now, name(i)))
	}
	if e.Tasks[i].Run < e.Tasks[i].Estimate {
		e.release(i)
	}
}

// release gives back what a gang has booked, but for what the queue has booked for it.
func (e *clusterEngine) release(i int32) {
	b := &e.held[i]
	for _, f := range b.firm {
		if e.err == nil {
			e.fail(e.q.Release(f.on, f.id))
		}
	}
	e.fail(e.m.leave(*b))
}

// pass starts the batch gangs that the queue proposes and that find nodes. On pools there may be none: then the gang is postponed
// until there are nodes beside the gangs that run, and its sum is for others now.
func (e *clusterEngine) pass() {
	e.recall()
	for again := true; again && e.waiting > 0 && e.err == nil; {
		again = e.passOnce()
	}
	e.LongQueue = max(e.LongQueue, e.waiting)
}

// recall looks whether gangs that were postponed find nodes now.
func (e *clusterEngine) recall() {
	kept := e.postponed[:0]
	for _, i := range e.postponed {
		_, err := e.m.room(e.atOnce(i))
		if err == nil {
			e.fail(e.q.Postpone(name(i), e.now))
			continue
		}
		e.fail(err)
		kept = append(kept, i)
	}
	e.postponed = kept
}

// passOnce reports whether a gang found no nodes, so that others may start in its place.
func (e *clusterEngine) passOnce() (again bool) {
	r, err := e.q.Pass(e.ctx, e.now)
	e.fail(err)
	for _, p := range r.Promises {
		o := &e.Outcomes[named(p.Job)]
		if o.Promised == Never {
			o.Promised = p.Start
		}
	}
	for _, v := range r.Events {
		if v.Kind == plan.Delayed {
			e.Delayed[v.Cause]++
		}
	}
	for _, s := range r.Starts {
		if e.start(s) || e.err != nil {
			continue
		}
		e.postpone(named(s.Job))
		if e.Local.Backfill == plan.None() {
			return false // nobody overtakes it
		}
		again = true
	}
	return again
}

// postpone puts a gang off that finds no nodes now: until there are some, as far as is known.
func (e *clusterEngine) postpone(i int32) {
	until, err := e.m.room(e.gangs[i].request(e.now, 0))
	if err != nil {
		e.fail(err)
		until = bookahead.MaxTime
	}
	e.fail(e.q.Postpone(name(i), until))
	if !slices.Contains(e.postponed, i) {
		e.postponed = append(e.postponed, i)
	}
}

// start starts a gang, and reports whether there were nodes.
func (e *clusterEngine) start(s plan.Start) bool {
	i, at := named(s.Job), s.Places[0]
	b := booking{}
	b.Interval, b.Tasks, b.Head = at.Interval, at.Nodes, at.Head
	b, err := e.m.begin(b, e.atOnce(i))
	if err == nil {
		err = e.q.Started(s.Job)
	}
	if err != nil || e.err != nil {
		e.fail(err)
		return false
	}
	e.begin(i, b)
	e.waiting--
	return true
}

// atOnce asks for a gang from now on, and not later.
func (e *clusterEngine) atOnce(i int32) nodes.Request {
	return e.gangs[i].request(e.now, e.now+bookahead.Time(e.Tasks[i].Estimate))
}
