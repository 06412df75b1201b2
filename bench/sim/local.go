package sim

import (
	"errors"
	"slices"

	"github.com/bookahead/bookahead"
)

// Queue is the queue of a provider, with its clock and its schedule. A Filler decides for
// it, through the exported methods.
type Queue struct {
	e        *engine
	index    int
	schedule counted
	units    int64
	order    Order
	fill     Filler
	period   bookahead.Duration

	queue   []Waiting // in order
	fresh   []Waiting // have come in since the last decision
	running []int32   // batch tasks, if the order preempts
	used    usage

	clock bookahead.Time     // of the schedule
	room  room               // from the clock on
	anew  bool               // whether all of the queue must be looked at
	given bookahead.Interval // covers the ticks of units given back since then
	wake  bookahead.Time     // when to decide, if nothing happens before
}

func newLocal(e *engine, index int, p *Provider) *Queue {
	l := &Queue{
		e:        e,
		index:    index,
		schedule: counted{p.Schedule, &e.Operations},
		units:    p.Units,
		order:    p.Local.order(),
		period:   p.Local.Period,
		used:     usage{},
		clock:    -1,
		wake:     bookahead.MaxTime,
	}
	l.fill = p.Local.backfill().Open(l)
	return l
}

func (l *Queue) waiting() int { return len(l.queue) + len(l.fresh) }

// advance moves the schedule's clock to now.
func (l *Queue) advance() {
	if l.clock == l.e.now || l.e.err != nil {
		return
	}
	l.clock = l.e.now
	l.room.forget()
	l.e.fail(l.schedule.Advance(l.clock))
}

// enqueue takes in a batch task.
func (l *Queue) enqueue(i int32) {
	t := &l.e.Tasks[i]
	l.fresh = append(l.fresh, Waiting{Units: t.Units, Estimate: t.Estimate, key: l.key(t), task: i, rank: l.e.rank[i]})
}

// book reserves the offer for an AR task.
func (l *Queue) book(i int32, o bookahead.Offer) bool {
	res, ok := l.reserve(o.Request())
	if ok {
		l.anew = l.anew || l.order.Moves() // its user has had more than before
		l.e.Outcomes[i].Promised = res.Start
		l.begin(i, res.ID, res.Start)
	}
	return ok
}

// reserve returns false if nothing fits.
func (l *Queue) reserve(r bookahead.Request) (bookahead.Reservation, bool) {
	if l.e.err != nil {
		return bookahead.Reservation{}, false
	}
	res, err := l.schedule.Reserve(r)
	if !errors.Is(err, bookahead.ErrUnavailable) {
		l.e.fail(err)
	}
	return res, err == nil
}

// free returns the units that are free for d ticks from now on.
func (l *Queue) free(d bookahead.Duration) int64 {
	return l.Free(bookahead.Interval{Start: l.clock, End: l.clock + bookahead.Time(d)})
}

// key ranks a task.
func (l *Queue) key(t *Task) int64 { return l.order.Key(t, l.used[t.User]) }

// begin notes that a task runs, or will, where it has been booked.
func (l *Queue) begin(i int32, id bookahead.ID, start bookahead.Time) {
	t, o := &l.e.Tasks[i], &l.e.Outcomes[i]
	o.Provider, o.Start, o.End = l.index, start, start+bookahead.Time(t.Run)
	l.e.ids[i] = id
	l.e.ends.ReplaceOrInsert(event{o.End, i})
	l.charge(t, int64(t.Estimate))
	if !t.AR && l.order.Preempts() {
		l.running = append(l.running, i)
	}
	if t.AR {
		l.room.forget()
	}
}

// charge adds to the usage of a task's user, if the order looks at usage.
func (l *Queue) charge(t *Task, ticks int64) {
	if l.order.Moves() {
		l.used[t.User] += t.Units * ticks
	}
}

// finish ends a task that is done.
func (l *Queue) finish(i int32) {
	t := &l.e.Tasks[i]
	l.advance()
	l.anew = true
	if t.Run < t.Estimate {
		l.Withdraw(l.e.ids[i])
		l.given = cover(l.given, bookahead.Interval{Start: l.clock, End: l.e.Outcomes[i].Start + bookahead.Time(t.Estimate)})
	}
	l.charge(t, int64(t.Run-t.Estimate))
	l.running = slices.DeleteFunc(l.running, func(r int32) bool { return r == i })
}

// decide lets the policy work. A pass over the queue is dear, so that most decisions do
// without one. If no task has ended and the order is settled, the tasks that waited before
// still cannot start: it is enough to look at the fresh ones, unless one of them goes
// before the others.
func (l *Queue) decide() {
	if l.e.now >= l.wake {
		l.wake, l.anew = bookahead.MaxTime, true
	}
	if !l.anew && len(l.fresh) == 0 || l.waiting() == 0 {
		l.anew, l.given = false, bookahead.Interval{}
		return
	}
	at := multiple(l.e.now, l.period)
	if at > l.e.now {
		l.wake = at
		return
	}
	l.advance()
	slices.SortFunc(l.fresh, byTurn)
	whole := l.anew || len(l.queue) == 0 || l.order.Moves() || l.order.Preempts() || byTurn(l.fresh[0], l.queue[0]) < 0
	for k := range l.fresh {
		if whole || !l.fill.Join(&l.fresh[k]) {
			l.insert(l.fresh[k])
		}
	}
	l.fresh = l.fresh[:0]
	if whole {
		l.wake = bookahead.MaxTime
		l.fill.Pass()
	}
	l.anew, l.given = false, bookahead.Interval{}
	l.e.LongQueue = max(l.e.LongQueue, len(l.queue))
}
