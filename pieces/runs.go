package pieces

import (
	"errors"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// runs yields the runs of a window in order: their starts ascend, and so do their ends. Runs that are shorter than
// least says when the next one is looked for may be left out. An error ends the list.
type runs func(least func() bookahead.Duration) iter.Seq2[bookahead.Interval, error]

// filled returns the runs of a pool: the steps in which its units are free.
func filled(steps iter.Seq[bookahead.Step], m *effort.Meter) runs {
	return func(func() bookahead.Duration) iter.Seq2[bookahead.Interval, error] {
		return func(yield func(bookahead.Interval, error) bool) {
			for s := range steps {
				if !m.Go(1) {
					yield(s.Interval, m.Err())
					return
				}
				if !yield(s.Interval, nil) {
					return
				}
			}
		}
	}
}

// sought returns the runs of a schedule that must be asked where a piece fits. The next run has room for a piece that ends
// a tick behind the run before:
//
//	the run before        ├─────────────────┤
//	such a piece                    ├────────┤     if it fits here, the run begins here or earlier;
//	                                      ├─────── otherwise the run begins where the next piece fits
func sought(x seeker) runs {
	return func(least func() bookahead.Duration) iter.Seq2[bookahead.Interval, error] {
		return func(yield func(bookahead.Interval, error) bool) {
			from, end := x.w.Start, x.w.Start // the next run begins at from or later, and ends behind end
			for {
				run, ok := x.next(from, end, least())
				if x.err != nil {
					yield(run, x.err)
					return
				}
				if !ok || !yield(run, nil) {
					return
				}
				from, end = run.Start+1, run.End
			}
		}
	}
}

// seeker looks for runs in a window.
type seeker struct {
	w      bookahead.Interval
	find   func(w bookahead.Interval, d bookahead.Duration) (bookahead.Time, error) // the earliest start of a piece in a window
	enough bookahead.Duration                                                       // a run need not be longer
	*effort.Meter
	err error // then all answers are worthless
}

// stepsOfSearch is how many steps a search counts.
const stepsOfSearch = 16

// next returns the first run of at least some ticks that begins at from or later, and ends behind end.
func (x *seeker) next(from, end bookahead.Time, least bookahead.Duration) (run bookahead.Interval, ok bool) {
	first := max(from, end-bookahead.Time(least)+1)
	start, ok := x.search(bookahead.Interval{Start: first, End: x.w.End}, least)
	if !ok {
		return run, false
	}
	piece := bookahead.Interval{Start: start, End: start + bookahead.Time(least)}
	if start == first {
		piece.Start = x.before(from, piece)
	}
	return x.after(piece), x.err == nil
}

// on returns the run that begins at a tick; an empty one if the units are not free there.
func (x *seeker) on(tick bookahead.Time) bookahead.Interval {
	piece := bookahead.Interval{Start: tick, End: tick}
	if tick < x.w.Start || tick >= x.w.End || !x.fits(bookahead.Interval{Start: tick, End: tick + 1}) {
		return piece
	}
	piece.End++
	return x.after(piece)
}

// before returns the earliest start, at from or later, from which the units are free until the end of a piece that fits.
func (x *seeker) before(from bookahead.Time, piece bookahead.Interval) bookahead.Time {
	for from < piece.Start {
		middle := from + (piece.Start-from)/2
		if x.fits(bookahead.Interval{Start: middle, End: piece.End}) {
			piece.Start = middle
		} else {
			from = middle + 1
		}
	}
	return piece.Start
}

// after returns a piece that fits as long as can be: twice as long, and again, and then by halves.
func (x *seeker) after(piece bookahead.Interval) bookahead.Interval {
	most := x.w.End
	if bookahead.Duration(most-piece.Start) > x.enough {
		most = piece.Start + bookahead.Time(x.enough)
	}
	try := func(end bookahead.Time) {
		if x.fits(bookahead.Interval{Start: piece.Start, End: end}) {
			piece.End = end
		} else {
			most = end - 1
		}
	}
	for piece.End < most && piece.End-piece.Start < most-piece.End {
		try(piece.End + piece.End - piece.Start)
	}
	for piece.End < most {
		try(most - (most-piece.End)/2)
	}
	return piece
}

// fits reports whether the units are free throughout a time.
func (x *seeker) fits(w bookahead.Interval) bool {
	_, ok := x.search(w, w.Len())
	return ok
}

// search returns the earliest start of a piece in a window.
func (x *seeker) search(w bookahead.Interval, d bookahead.Duration) (bookahead.Time, bool) {
	if x.err != nil || d > w.Len() {
		return 0, false
	}
	if !x.Spend(stepsOfSearch) {
		x.err = x.Err()
		return 0, false
	}
	start, err := x.find(w, d)
	if err != nil && !errors.Is(err, bookahead.ErrUnavailable) {
		x.err = err
	}
	return start, err == nil
}
