package sim

import "github.com/bookahead/bookahead"

// moves remembers searches for places that use what has been given back, so that
// most tasks of a long queue cost no search: who asks for as much and as long as
// another cannot find a place before it.
type moves struct {
	within bookahead.Interval // what was given back
	found  []move
}

// move is the earliest start for so many units and so long; the end of the axis if
// there is none.
type move struct {
	units    int64
	estimate bookahead.Duration
	start    bookahead.Time
}

// maxMoves bounds the search through what is remembered.
const maxMoves = 64

// forget is called when anything has been booked or released.
func (m *moves) forget() { m.found = m.found[:0] }

// tooLate reports whether it is known that w finds no place before its own.
func (m *moves) tooLate(w *entry) bool {
	for i := range m.found {
		if f := &m.found[i]; f.start >= w.start && f.units <= w.units && f.estimate <= w.estimate {
			return true
		}
	}
	return false
}

// canMove reports whether a task that waits could start earlier, its own place
// counted as free, now that something within an interval was given back. Before
// that, it could not: so an earlier place would have to share a tick with it.
func (f *conservative) canMove(w *entry, given bookahead.Interval) bool {
	if given.Empty() {
		return false
	}
	l, m := f.l, &f.moves
	if m.within != given {
		m.within = given
		m.forget()
	}
	// A place that reaches into its own one begins with ticks just before that.
	if before := (bookahead.Interval{Start: w.start - 1, End: w.start}); given.Overlaps(before) && l.freeIn(before) >= w.units {
		return true
	}
	earliest := max(l.clock, given.Start-bookahead.Time(w.estimate)+1)
	if earliest >= w.start || m.tooLate(w) || l.e.err != nil {
		return false
	}
	o, err := l.schedule.Search(bookahead.Request{
		Ready: earliest, Deadline: given.End - 1 + bookahead.Time(w.estimate), Duration: w.estimate, Units: w.units,
	})
	start := o.Start
	if err != nil {
		start = bookahead.MaxTime
	}
	if start < w.start {
		return true
	}
	if len(m.found) < maxMoves {
		m.found = append(m.found, move{w.units, w.estimate, start})
	}
	return false
}
