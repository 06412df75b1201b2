package sim

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Now returns the time of the decision.
func (l *Queue) Now() bookahead.Time { return l.clock }

// Task returns a task that waits. It must not be changed.
func (l *Queue) Task(w *Waiting) *Task { return &l.e.Tasks[w.task] }

// Head returns the first task of the queue, and nil if none waits.
func (l *Queue) Head() *Waiting {
	if len(l.queue) == 0 {
		return nil
	}
	return &l.queue[0]
}

// Free returns the units that are free throughout w.
func (l *Queue) Free(w bookahead.Interval) int64 {
	if l.e.err != nil {
		return 0
	}
	a, err := l.schedule.RangeQuery(w)
	l.e.fail(err)
	return a.Free
}

// Start starts a task now if it fits. It is for a Filler's Join; StartHeads and Overtake
// start tasks that are in the queue.
func (l *Queue) Start(w *Waiting) bool {
	if !l.fits(w.Units, w.Estimate) {
		return false
	}
	res, ok := l.reserve(bookahead.At(l.clock, w.Estimate, w.Units))
	if !ok {
		return false // it fits as far as the horizon goes
	}
	l.room.take(w.Units, w.Estimate)
	l.begin(w.task, res.ID, res.Start)
	return true
}

// Promise books the earliest place for a task that waits, which a Filler withdraws before
// the task can start. Promise returns false if there is no place before the horizon.
func (l *Queue) Promise(w *Waiting) (bookahead.Reservation, bool) {
	res, ok := l.reserve(w.soonest(l.clock))
	if !ok {
		return res, false
	}
	l.room.forget()
	if o := &l.e.Outcomes[w.task]; o.Promised == Never {
		o.Promised = res.Start
	}
	return res, true
}

// Withdraw releases a place that Promise has booked.
func (l *Queue) Withdraw(id bookahead.ID) {
	if l.e.err != nil {
		return
	}
	l.room.forget()
	l.e.fail(l.schedule.Release(id))
}

// Wake sets when the Filler decides next if nothing happens before.
func (l *Queue) Wake(at bookahead.Time) { l.wake = at }

// StartHeads starts tasks from the head of the queue until one neither fits nor has
// running tasks give way to it.
func (l *Queue) StartHeads() {
	for l.rank(); len(l.queue) > 0; l.rank() {
		head := l.queue[0]
		if !l.Start(&head) && !l.makeRoom(&head) {
			return
		}
		l.queue = l.queue[1:]
		l.requeue()
	}
}

// rank puts the queue in order if keys may have changed.
func (l *Queue) rank() {
	if !l.order.Moves() {
		return
	}
	for k := range l.queue {
		l.queue[k].key = l.key(l.Task(&l.queue[k]))
	}
	if !slices.IsSortedFunc(l.queue, byTurn) {
		slices.SortFunc(l.queue, byTurn)
	}
}

// Overtake starts every task behind the head that may overtake and fits, or, with giveWay,
// to which running tasks give way. If may is nil, every task may overtake. Overtake reports
// whether the order of the queue has changed: then Overtake has not looked at the rest.
func (l *Queue) Overtake(giveWay bool, may func(w *Waiting) bool) (again bool) {
	q := l.queue
	if len(q) == 0 {
		return false
	}
	kept := 1
	most := l.mostNow()
	for k := 1; k < len(q); k++ {
		w := &q[k]
		free := !again && (may == nil || may(w))
		if free && (w.Units <= most && l.Start(w) || giveWay && l.makeRoom(w)) {
			again = l.order.Moves() || len(l.fresh) > 0
			most = l.mostNow()
			continue
		}
		if kept < k {
			q[kept] = *w
		}
		kept++
	}
	l.queue = q[:kept]
	l.requeue()
	return again
}

// mostNow returns the units that are free at this tick: no larger task can start.
func (l *Queue) mostNow() int64 {
	l.fits(l.units, 1)
	if len(l.room.known) > 0 && l.room.known[0].Duration == 1 {
		return l.room.known[0].free
	}
	return l.free(1)
}

// requeue puts those who have given way back into the queue.
func (l *Queue) requeue() {
	for _, w := range l.fresh {
		l.insert(w)
	}
	l.fresh = l.fresh[:0]
}

// WakeForHead makes the queue decide when the schedule has a place for the head, even if
// no task ends then: structures that round can have a place later.
func (l *Queue) WakeForHead() {
	if len(l.queue) == 0 || l.e.err != nil {
		return
	}
	o, err := l.schedule.Search(l.queue[0].soonest(l.clock))
	if err == nil {
		l.wake = max(o.Start, l.clock+1)
	}
}

// soonest asks for the earliest place from now on.
func (w *Waiting) soonest(now bookahead.Time) bookahead.Request {
	return bookahead.Request{Ready: now, Duration: w.Estimate, Units: w.Units}
}
