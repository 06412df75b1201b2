package sim

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// local is a provider.
type local struct {
	Provider
	e       *engine
	index   int
	q       *plan.Queue    // nil if no batch task may come
	clock   bookahead.Time // of the schedule, if there is no queue
	waiting int            // batch tasks that do not run
	changed bool           // whether anything has happened since the last decision
	wake    bookahead.Time // when to decide, if nothing happens before
}

// limits lets a Pass take as long as it must.
var limits = plan.Limits{Steps: math.MaxInt64}

// newLocal opens a queue only where batch tasks may come.
func newLocal(e *engine, index int, p Provider, batch bool) (*local, error) {
	l := &local{Provider: p, e: e, index: index, clock: -1, wake: bookahead.MaxTime}
	if !batch {
		return l, nil
	}
	q, err := plan.New(plan.Config{
		Schedules: []plan.Schedule{{Pool: count(p.Schedule, &e.Operations)}},
		Order:     p.Local.Order, Backfill: p.Local.Backfill, Preempt: p.Local.Preempt, Limits: limits,
	})
	l.q = q
	return l, err
}

// advance moves the schedule's clock to now.
func (l *local) advance() {
	switch {
	case l.e.err != nil:
	case l.q != nil:
		l.e.fail(l.q.Advance(l.e.now))
	case l.clock < l.e.now:
		l.clock = l.e.now
		l.e.Operations.Advance++
		l.e.fail(l.Schedule.Advance(l.clock))
	}
}

// name is the ID of a task in a queue.
func name(i int32) plan.ID { return plan.ID(strconv.Itoa(int(i))) }

// named returns the task of an ID.
func named(id plan.ID) int32 {
	i, _ := strconv.Atoi(string(id)) // all IDs are from name
	return int32(i)
}

func (t *Task) owner() string { return strconv.FormatInt(t.User, 10) }

// part asks for the units of a task, on some servers if they are known.
func (t *Task) part(servers []int) plan.Part {
	return plan.Part{Units: t.Units, Duration: t.Estimate, Servers: servers}
}

// job is a task in a queue, in some shape.
func (t *Task) job(i int32, shape plan.Shape) plan.Job {
	return plan.Job{
		ID: name(i), Owner: t.owner(), Submitted: t.Ready, Priority: int64(t.Priority),
		Class: int64(t.Priority), Preemptible: true, Shapes: []plan.Shape{shape},
	}
}

// enqueue takes in a batch task.
func (l *local) enqueue(i int32) {
	l.advance()
	t := &l.e.Tasks[i]
	l.e.fail(l.q.Submit(t.job(i, plan.Shape{t.part(nil)})))
	l.waiting++
	l.changed = true
}

// search returns a place for an AR task, beside all promises.
func (l *local) search(r bookahead.Request) (bookahead.Offer, error) {
	if l.q == nil {
		l.e.Operations.Search++
		return l.Schedule.Search(r)
	}
	at, err := l.q.Search(plan.Part{Units: r.Units, Duration: r.Duration}, r.Ready, r.Deadline)
	return bookahead.Offer{Interval: at.Interval, Units: at.Units, Servers: at.Servers}, err
}

// book books the offer for an AR task.
func (l *local) book(i int32, o bookahead.Offer) bool {
	if l.e.err != nil {
		return false
	}
	t := &l.e.Tasks[i]
	var id bookahead.ID
	var err error
	if l.q == nil {
		var res bookahead.Reservation
		l.e.Operations.Reserve++
		res, err = l.Schedule.Reserve(o.Request())
		id = res.ID
	} else {
		id, _, err = l.q.Reserve(t.part(o.Servers), o.Start, o.End)
	}
	if err != nil {
		if !errors.Is(err, bookahead.ErrUnavailable) {
			l.e.fail(err)
		}
		return false
	}
	l.charge(t, t.Estimate)
	l.e.ids[i] = id
	l.e.Outcomes[i].Promised = o.Start
	l.begin(i, o.Start)
	return true
}

// charge adds an AR task to what its user has used; the queue does so for batch tasks.
func (l *local) charge(t *Task, ticks bookahead.Duration) {
	if l.q != nil && ticks != 0 {
		l.e.fail(l.q.Charge(t.owner(), "", t.Units, ticks))
		l.changed = true
	}
}

// begin notes that a task runs, or will.
func (l *local) begin(i int32, start bookahead.Time) {
	t, o := &l.e.Tasks[i], &l.e.Outcomes[i]
	o.Provider, o.Start, o.End = l.index, start, start+bookahead.Time(t.Run)
	l.e.ends.ReplaceOrInsert(event{o.End, i})
}

// finish ends a task that is done.
func (l *local) finish(i int32) {
	t := &l.e.Tasks[i]
	l.changed = true
	if !t.AR {
		l.e.fail(l.q.Ended(l.e.now, name(i)))
		return
	}
	l.advance()
	if t.Run < t.Estimate && l.e.err == nil {
		l.e.fail(l.release(l.e.ids[i]))
		l.charge(t, t.Run-t.Estimate)
	}
}

func (l *local) release(id bookahead.ID) error {
	if l.q == nil {
		l.e.Operations.Release++
		return l.Schedule.Release(id)
	}
	return l.q.Release("", id)
}

// decide starts the tasks that the queue proposes, until it proposes none: tasks that have given way may start elsewhere.
func (l *local) decide() {
	if l.waiting == 0 {
		l.wake = bookahead.MaxTime
	}
	if l.waiting == 0 || l.e.err != nil || !l.changed && l.e.now < l.wake {
		return
	}
	l.wake = multiple(l.e.now, l.Local.Period)
	if l.wake > l.e.now {
		return
	}
	for again := true; again && l.e.err == nil; {
		r, err := l.q.Pass(context.Background(), l.e.now)
		l.e.fail(err)
		for _, p := range r.Promises {
			o := &l.e.Outcomes[named(p.Job)]
			if o.Promised == Never {
				o.Promised = p.Start
			}
		}
		for _, s := range r.Starts {
			l.start(s)
		}
		again = len(r.Starts) > 0
	}
	l.changed, l.wake = false, l.q.Next()
	l.e.LongQueue = max(l.e.LongQueue, l.waiting)
}

// start starts a task, after those have stopped that give way to it.
func (l *local) start(s plan.Start) {
	for _, v := range s.Victims {
		l.stop(named(v))
	}
	l.e.fail(l.q.Started(s.Job))
	l.begin(named(s.Job), l.e.now)
	l.waiting--
}

// stop puts a running task back into the queue.
func (l *local) stop(i int32) {
	t, o := &l.e.Tasks[i], &l.e.Outcomes[i]
	l.e.fail(l.q.Requeue(l.e.now, name(i)))
	l.e.ends.Delete(event{o.End, i})
	l.e.Lost += float64(t.Units) * float64(l.e.now-o.Start)
	o.Preempted++
	o.Provider, o.Start, o.End = -1, 0, 0
	l.waiting++
}

// giveUp takes the first task out of the queue that waits, and returns it; -1 if none waits.
func (l *local) giveUp() int32 {
	if l.waiting == 0 || l.e.err != nil {
		return -1
	}
	i, err := first(l.q)
	l.e.fail(err)
	l.waiting--
	l.changed = true
	return i
}

// first withdraws the first job that waits.
func first(q *plan.Queue) (int32, error) {
	list, err := q.Forecasts(context.Background())
	for _, f := range list {
		if f.State != plan.Running {
			_, err := q.Withdraw(f.Job)
			return named(f.Job), err
		}
	}
	return -1, err
}
