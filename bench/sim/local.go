package sim

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// local is the local scheduler of a provider: its queue, with its clock and its schedule.
type local struct {
	e        *engine
	index    int
	schedule bookahead.Schedule
	units    int64
	order    Order
	fill     Backfill
	period   bookahead.Duration

	queue []waiting    // in order
	fresh []waiting    // have come in since the last decision
	head  bookahead.ID // of the place that EASY has booked for the first in the queue; 0 if there is none

	clock bookahead.Time // of the schedule
	room  room           // from the clock on
	anew  bool           // whether all of the queue must be looked at
	wake  bookahead.Time // when to decide, if nothing happens before
}

func newLocal(e *engine, index int, p *Provider) *local {
	return &local{
		e: e, index: index, schedule: p.Schedule, units: p.Units,
		order: p.Local.Order, fill: p.Local.Backfill, period: p.Local.Period,
		clock: -1, wake: bookahead.MaxTime,
	}
}

func (l *local) waiting() int { return len(l.queue) + len(l.fresh) }

// advance moves the schedule's clock to now.
func (l *local) advance() {
	if l.clock == l.e.now || l.e.err != nil {
		return
	}
	l.clock = l.e.now
	l.room.forget()
	l.e.fail(l.schedule.Advance(l.clock))
}

// enqueue takes in a batch task.
func (l *local) enqueue(i int32) {
	t := &l.e.Tasks[i]
	l.fresh = append(l.fresh, waiting{units: t.Units, estimate: t.Estimate, key: l.order.key(t), task: i, rank: l.e.rank[i]})
}

// find returns a place for a task that ends by due, if that is not 0, and counts the attempt.
func (l *local) find(i int32, due bookahead.Time) (bookahead.Offer, error) {
	l.advance()
	t := &l.e.Tasks[i]
	r := t.request(l.e.now, due)
	switch {
	case l.e.err != nil:
		return bookahead.Offer{}, l.e.err
	case due != 0 && r.Ready > due-bookahead.Time(r.Duration):
		return bookahead.Offer{}, bookahead.ErrUnavailable
	case t.AR:
		l.e.Outcomes[i].Attempts++
	}
	o, err := l.schedule.Search(r)
	l.e.fail(err)
	return o, err
}

// book reserves the offer for an AR task.
func (l *local) book(i int32, o bookahead.Offer) bool {
	res, ok := l.reserve(o.Request())
	if ok {
		l.e.Outcomes[i].Promised = res.Start
		l.begin(i, res)
		l.room.forget()
	}
	return ok
}

// start starts a task now if it fits.
func (l *local) start(w *waiting) bool {
	if !l.fits(w.units, w.estimate) {
		return false
	}
	res, ok := l.reserve(bookahead.At(l.clock, w.estimate, w.units))
	if ok { // or else it fits as far as the horizon goes
		l.room.take(w.units, w.estimate)
		l.begin(w.task, res)
	}
	return ok
}

// reserve returns false if nothing fits.
func (l *local) reserve(r bookahead.Request) (bookahead.Reservation, bool) {
	if l.e.err != nil {
		return bookahead.Reservation{}, false
	}
	res, err := l.schedule.Reserve(r)
	l.e.fail(err)
	return res, err == nil
}

// withdraw releases a reservation.
func (l *local) withdraw(id bookahead.ID) {
	if l.e.err != nil {
		return
	}
	l.room.forget()
	l.e.fail(l.schedule.Release(id))
}

// free returns the units that are free for d ticks from now on.
func (l *local) free(d bookahead.Duration) int64 {
	if l.e.err != nil {
		return 0
	}
	a, err := l.schedule.RangeQuery(bookahead.Interval{Start: l.clock, End: l.clock + bookahead.Time(d)})
	l.e.fail(err)
	return a.Free
}

// begin notes that a task runs, or will, where it has been booked.
func (l *local) begin(i int32, res bookahead.Reservation) {
	o := &l.e.Outcomes[i]
	o.Provider, o.Start, o.End = l.index, res.Start, res.Start+bookahead.Time(l.e.Tasks[i].Run)
	l.e.ids[i] = res.ID
	l.e.ends.ReplaceOrInsert(event{o.End, i})
}

// finish ends a task that is done.
func (l *local) finish(i int32) {
	l.advance()
	l.anew = true
	if t := &l.e.Tasks[i]; t.Run < t.Estimate {
		l.withdraw(l.e.ids[i])
	}
}

// decide lets the policy work. A pass over the queue is dear, so that most decisions do
// without one. If no task has ended, the tasks that waited before still cannot start: it is
// enough to look at the fresh ones, unless one of them goes before the others.
func (l *local) decide() {
	if l.e.now >= l.wake {
		l.wake, l.anew = bookahead.MaxTime, true
	}
	if !l.anew && len(l.fresh) == 0 || l.waiting() == 0 {
		l.anew = false
		return
	}
	at := multiple(l.e.now, l.period)
	if at > l.e.now {
		l.wake = at
		return
	}
	l.advance()
	slices.SortFunc(l.fresh, byTurn)
	whole := l.anew || len(l.queue) == 0 || byTurn(l.fresh[0], l.queue[0]) < 0
	for k := range l.fresh {
		if whole || !l.join(&l.fresh[k]) {
			l.insert(l.fresh[k])
		}
	}
	l.fresh = l.fresh[:0]
	if whole {
		l.wake = bookahead.MaxTime
		l.pass()
	}
	l.anew = false
	l.e.LongQueue = max(l.e.LongQueue, len(l.queue))
}
