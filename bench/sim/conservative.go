package sim

import "github.com/bookahead/bookahead"

// Conservative books a place for every task when it joins the queue, the earliest
// there is, so that nobody is delayed by who comes later. When tasks end before
// their time, tasks that wait are moved to earlier places, one after the other in
// the queue's order, and over again until none can be moved with the others where
// they are (Mu'alem and Feitelson, "Utilization, predictability, workloads, and user
// runtime estimates in scheduling the IBM SP2 with backfilling", IEEE TPDS 12, 2001,
// go through the queue once).
//
// On a structure that rounds, such as slotted, a chance to move may be noticed only
// when more is given back.
type Conservative struct{}

func (Conservative) promises() bool       { return true }
func (Conservative) open(l *local) filler { return &conservative{l: l} }

type conservative struct {
	l     *local
	moves moves
}

func (f *conservative) join(w *entry) bool {
	started := f.promise(w)
	if !started && w.id != 0 {
		f.l.wake = min(f.l.wake, w.start)
	}
	return started
}

// promise books the earliest place for a task, and reports whether it starts now.
func (f *conservative) promise(w *entry) bool {
	l := f.l
	f.moves.forget()
	res, ok := l.reserve(w.request(l.clock))
	if !ok {
		w.id = 0 // it is beyond the horizon; later, perhaps
		return false
	}
	if o := &l.e.out[w.task]; o.Promised == Never {
		o.Promised = res.Start
	}
	w.id, w.start = res.ID, res.Start
	return f.begins(w)
}

// begins starts a task whose time has come.
func (f *conservative) begins(w *entry) bool {
	if w.id == 0 || w.start > f.l.clock {
		return false
	}
	f.l.begin(w.task, bookahead.Reservation{
		ID:    w.id,
		Offer: bookahead.Offer{Interval: bookahead.Interval{Start: w.start, End: w.start + bookahead.Time(w.estimate)}, Units: w.units},
	})
	return true
}

func (f *conservative) pass() {
	l := f.l
	given := l.given
	for first := true; first || !given.Empty(); first = false {
		l.rank() // what has begun in the last round may have changed it
		given = f.round(given)
	}
	for k := range l.queue {
		if l.queue[k].id != 0 {
			l.wake = min(l.wake, l.queue[k].start)
		}
	}
}

// round goes through the queue once: it starts whose time has come, books those who
// have no place yet, and moves those who can use what has been given back. It
// returns what covers the places that were left by those.
func (f *conservative) round(given bookahead.Interval) (left bookahead.Interval) {
	q, kept := f.l.queue, 0
	f.moves.forget()
	for k := range q {
		w := &q[k]
		switch {
		case f.begins(w), w.id == 0 && f.promise(w):
			continue
		case w.id != 0 && f.canMove(w, cover(given, left)):
			old := bookahead.Interval{Start: w.start, End: w.start + bookahead.Time(w.estimate)}
			f.l.release(w.id)
			if f.promise(w) {
				left = cover(left, old)
				continue
			}
			if w.start < old.Start {
				left = cover(left, old)
			}
		}
		if kept < k {
			q[kept] = *w
		}
		kept++
	}
	f.l.queue = q[:kept]
	return left
}

// cover returns the least interval that contains both.
func cover(a, b bookahead.Interval) bookahead.Interval {
	switch {
	case a.Empty():
		return b
	case b.Empty():
		return a
	}
	return bookahead.Interval{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}
