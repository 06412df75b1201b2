package sim

import "github.com/bookahead/bookahead"

// startHeads starts tasks from the head of the queue for as long as they fit, or
// others give way to them.
func (l *local) startHeads() {
	for l.rank(); len(l.queue) > 0; l.rank() {
		head := l.queue[0]
		if !l.start(&head) && !l.makeRoom(&head) {
			return
		}
		l.queue = l.queue[1:]
		l.requeue()
	}
}

// rank puts the queue in order if keys may have changed.
func (l *local) rank() {
	if !l.order.moves() {
		return
	}
	for k := range l.queue {
		l.queue[k].key = l.order.key(&l.e.tasks[l.queue[k].task], l.used)
	}
	l.queue.sort()
}

// sweep starts every task behind the head that fits, or to which others give way if
// they are to. It reports whether the order has changed by that: then it has not
// seen the rest.
func (l *local) sweep(giveWay bool) (again bool) {
	q := l.queue
	if len(q) == 0 {
		return false
	}
	kept := 1
	most := l.mostNow()
	for k := 1; k < len(q); k++ {
		w := &q[k]
		if !again && (w.units <= most && l.start(w) || giveWay && l.makeRoom(w)) {
			again = l.order.moves() || len(l.fresh) > 0
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

// mostNow returns what is free at this tick: nothing larger needs to be looked at.
func (l *local) mostNow() int64 {
	l.fits(l.units, 1)
	if len(l.room.known) > 0 && l.room.known[0].Duration == 1 {
		return l.room.known[0].free
	}
	return l.free(1)
}

// requeue puts those who have given way back into the queue.
func (l *local) requeue() {
	for _, w := range l.fresh {
		l.queue.insert(w)
	}
	l.fresh = l.fresh[:0]
}

// wakeForHead sees to it that the head is looked at when the schedule has a place
// for it, though no task may end then: structures that round can have one later.
func (l *local) wakeForHead() {
	if len(l.queue) == 0 || l.e.err != nil {
		return
	}
	o, err := l.schedule.Search(l.queue[0].request(l.clock))
	if err == nil {
		l.wake = max(o.Start, l.clock+1)
	}
}

// request asks for the earliest place from now on.
func (w *entry) request(now bookahead.Time) bookahead.Request {
	return bookahead.Request{Ready: now, Duration: w.estimate, Units: w.units}
}
