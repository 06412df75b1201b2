package sim

import "github.com/bookahead/bookahead"

// Conservative books the earliest place for every task when it joins the queue, so that no
// later task delays it. When tasks end before their time, waiting tasks are moved to
// earlier places, one after the other in the queue's order. This is repeated until no task
// can be moved with the others where they are (Mu'alem and Feitelson, "Utilization,
// predictability, workloads, and user runtime estimates in scheduling the IBM SP2 with
// backfilling", IEEE TPDS 12, 2001, go through the queue once).
//
// On a structure that rounds, such as slotted, a chance to move may be noticed only
// when more is given back.
type Conservative struct{}

// Promises implements Backfill.
func (Conservative) Promises() bool { return true }

// Open implements Backfill.
func (Conservative) Open(q *Queue) Filler { return &conservative{l: q} }

type conservative struct {
	l     *Queue
	moves moves
}

func (f *conservative) Join(w *Waiting) bool {
	started := f.promise(w)
	if !started && w.id != 0 {
		f.l.wake = min(f.l.wake, w.start)
	}
	return started
}

// promise books the earliest place for a task, and reports whether it starts now.
func (f *conservative) promise(w *Waiting) bool {
	l := f.l
	f.moves.forget()
	res, ok := l.Promise(w)
	if !ok {
		w.id = 0 // it is beyond the horizon; later, perhaps
		return false
	}
	w.id, w.start = res.ID, res.Start
	return f.begins(w)
}

// begins starts a task whose time has come.
func (f *conservative) begins(w *Waiting) bool {
	if w.id == 0 || w.start > f.l.clock {
		return false
	}
	f.l.begin(w.task, w.id, w.start)
	return true
}

func (f *conservative) Pass() {
	l := f.l
	given := l.given
	for first := true; first || !given.Empty(); first = false {
		l.rank() // tasks that have begun in the last round may have changed the keys
		given = f.round(given)
	}
	for k := range l.queue {
		if l.queue[k].id != 0 {
			l.wake = min(l.wake, l.queue[k].start)
		}
	}
}

// round goes through the queue once: it starts tasks whose time has come, books tasks that
// have no place yet, and moves tasks that can use the units given back. It returns an
// interval that covers the places which the moved tasks have left: another task may move
// there, so that Pass goes on with another round.
//
//	r was booked until 8, and ends at 3; the queue is x, which needs both lanes, and y
//
//	          0   4   8           round 1: y moves     round 2: then x can
//	lane 2    rrrrrrrrxxxx        rrryyyy─xxxx         rrryyyyxxxx
//	lane 1    ccccyyyyxxxx        cccc────xxxx         cccc───xxxx
//	given                         3 to 8               4 to 8, which y has left
//
// A test by hand pins the picture.
func (f *conservative) round(given bookahead.Interval) (left bookahead.Interval) {
	q, kept := f.l.queue, 0
	f.moves.forget()
	for k := range q {
		w := &q[k]
		switch {
		case f.begins(w), w.id == 0 && f.promise(w):
			continue
		case w.id != 0 && f.canMove(w, cover(given, left)):
			old := bookahead.Interval{Start: w.start, End: w.start + bookahead.Time(w.Estimate)}
			f.l.Withdraw(w.id)
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

// moves remembers searches for places that use units given back, so that most tasks of a
// long queue cost no search: a task that asks for as many units as another, for as long,
// finds no place before the other's.
type moves struct {
	within bookahead.Interval // covers the units given back
	found  []move
}

// move is the earliest start for so many units and so long; the end of the axis if
// there is none.
type move struct {
	units    int64
	estimate bookahead.Duration
	start    bookahead.Time
}

// maxMoves bounds how many searches are remembered.
const maxMoves = 64

// forget is called when anything has been booked or released.
func (m *moves) forget() { m.found = m.found[:0] }

// tooLate reports whether a search has shown already that w finds no place before its own.
func (m *moves) tooLate(w *Waiting) bool {
	for i := range m.found {
		if f := &m.found[i]; f.start >= w.start && f.units <= w.Units && f.estimate <= w.Estimate {
			return true
		}
	}
	return false
}

// canMove reports whether a waiting task could start earlier, its own place counted as
// free, now that units within an interval were given back. The task could not start
// earlier before that, so that each earlier place shares a tick with the interval.
//
//	given          ░░░░░░
//	w's place                ▒▒▒▒▒▒▒▒
//	earliest  ▒▒▒▒▒▒▒▒                   its last tick is the first given
//	latest              ▒▒▒▒▒▒▒▒         its first tick is the last given
func (f *conservative) canMove(w *Waiting, given bookahead.Interval) bool {
	if given.Empty() {
		return false
	}
	l, m := f.l, &f.moves
	if m.within != given {
		m.within = given
		m.forget()
	}
	// Search counts w's own place as taken. So an earlier place that reaches into w's own
	// is not found by Search: it has the tick before w's own place, which is asked first.
	before := bookahead.Interval{Start: w.start - 1, End: w.start}
	if given.Overlaps(before) && l.Free(before) >= w.Units {
		return true
	}
	earliest := max(l.clock, given.Start-bookahead.Time(w.Estimate)+1)
	if earliest >= w.start || m.tooLate(w) || l.e.err != nil {
		return false
	}
	o, err := l.schedule.Search(bookahead.Request{
		Ready: earliest, Deadline: given.End - 1 + bookahead.Time(w.Estimate), Duration: w.Estimate, Units: w.Units,
	})
	start := o.Start
	if err != nil {
		start = bookahead.MaxTime
	}
	if start < w.start {
		return true
	}
	if len(m.found) < maxMoves {
		m.found = append(m.found, move{w.Units, w.Estimate, start})
	}
	return false
}
