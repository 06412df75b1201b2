package sim

import "github.com/bookahead/bookahead"

// EASY lets a task overtake if it fits now and does not delay the first in the
// queue, for which the earliest place is booked. That place never becomes later
// while the task is the first: AR tasks go around it, and when tasks end early, it
// becomes earlier if it can. In orders other than FCFS, one that comes in later may
// become the first instead.
type EASY struct{}

func (EASY) promises() bool       { return true }
func (EASY) open(l *local) filler { return &easy{l: l} }

type easy struct {
	l    *local
	head bookahead.ID // what is booked for the first in the queue; 0 if nothing is
}

func (f *easy) join(e *entry) bool { return f.l.start(e) }

func (f *easy) pass() {
	for again := true; again; {
		f.withdraw()
		f.l.startHeads()
		f.promise()
		again = f.l.sweep(false)
	}
}

func (f *easy) withdraw() {
	if f.head != 0 {
		f.l.release(f.head)
		f.head = 0
	}
}

// promise books the earliest place for the first in the queue.
func (f *easy) promise() {
	l := f.l
	l.wake = bookahead.MaxTime
	if len(l.queue) == 0 {
		return
	}
	w := &l.queue[0]
	res, ok := l.reserve(w.request(l.clock))
	if !ok {
		return // it is beyond the horizon: nothing to protect yet
	}
	l.room.forget()
	f.head, l.wake = res.ID, res.Start
	if o := &l.e.out[w.task]; o.Promised == Never {
		o.Promised = res.Start
	}
}
