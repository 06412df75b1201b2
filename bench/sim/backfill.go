package sim

import "github.com/bookahead/bookahead"

// Backfill says which batch tasks may overtake one that cannot start yet.
type Backfill int

const (
	// None lets nobody overtake: tasks start strictly in order.
	None Backfill = iota
	// FirstFit lets every task start that fits now, in order, whoever waits before it.
	// Kurowski et al. call this first come, first served with backfilling (FCFS-BF, §4.4.3).
	// A large task may starve.
	FirstFit
	// EASY lets a task overtake if it fits now and does not delay the first in the
	// queue, for which the earliest place is booked:
	//
	//	units  4 ████░░░░▒▒▒▒    █ runs until 4
	//	       3 ████░░░░▒▒▒▒    ▒ the place of the first, of 4 units and 4 ticks
	//	       2 ████████▒▒▒▒    █ runs until 8
	//	       1 ████████▒▒▒▒
	//	at 4: a task of 2 units and 4 ticks overtakes; one of 5 ticks would be in the way
	//
	// The place never becomes later while its task is the first: AR tasks go around the place,
	// and when tasks end early, the place becomes earlier if it can. In orders other than
	// FCFS, a task that comes in later may become the first instead.
	EASY
	// Conservative lets a gang overtake if that delays nobody in the queue. It is for
	// RunCluster only.
	Conservative
)

// String returns the name of the constant.
func (b Backfill) String() string {
	return [...]string{"None", "FirstFit", "EASY", "Conservative"}[b]
}

// join is told of a task that comes in, and not to the queue's head, while nothing has been
// freed since the last decision. It reports whether the task has started.
func (l *local) join(w *waiting) bool { return l.fill != None && l.start(w) }

// pass looks at the whole queue, which is in order. Under EASY it withdraws the place of the
// head first, since the head could not start in units that its own place holds.
func (l *local) pass() {
	if l.head != 0 {
		l.withdraw(l.head)
		l.head = 0
	}
	l.startHeads()
	if l.fill == EASY {
		l.promise()
	}
	if l.fill != None {
		l.overtake()
	}
	if l.fill != EASY {
		l.wakeForHead()
	}
}

// promise books the earliest place for the first in the queue. If that is beyond the horizon,
// there is nothing to protect yet.
func (l *local) promise() {
	if len(l.queue) == 0 {
		return
	}
	head := &l.queue[0]
	res, ok := l.reserve(head.soonest(l.clock))
	if !ok {
		return
	}
	l.room.forget()
	l.head, l.wake = res.ID, res.Start
	if o := &l.e.Outcomes[head.task]; o.Promised == Never {
		o.Promised = res.Start
	}
}

// startHeads starts tasks from the head of the queue until one does not fit.
func (l *local) startHeads() {
	for len(l.queue) > 0 && l.start(&l.queue[0]) {
		l.queue = l.queue[1:]
	}
}

// overtake starts every task behind the head that fits.
func (l *local) overtake() {
	q := l.queue
	if len(q) == 0 {
		return
	}
	kept := 1
	most := l.mostNow()
	for k := 1; k < len(q); k++ {
		if q[k].units <= most && l.start(&q[k]) {
			most = l.mostNow()
			continue
		}
		q[kept] = q[k]
		kept++
	}
	l.queue = q[:kept]
}

// mostNow returns the units that are free at this tick: no larger task can start.
func (l *local) mostNow() int64 {
	l.fits(l.units, 1)
	if len(l.room.known) > 0 && l.room.known[0].Duration == 1 {
		return l.room.known[0].free
	}
	return l.free(1)
}

// wakeForHead makes the queue decide when the schedule has a place for the head, even if
// no task ends then: structures that round can have a place later.
func (l *local) wakeForHead() {
	if len(l.queue) == 0 || l.e.err != nil {
		return
	}
	o, err := l.schedule.Search(l.queue[0].soonest(l.clock))
	if err == nil {
		l.wake = max(o.Start, l.clock+1)
	}
}

// soonest asks for the earliest place from now on.
func (w *waiting) soonest(now bookahead.Time) bookahead.Request {
	return bookahead.Request{Ready: now, Duration: w.estimate, Units: w.units}
}
