package pieces

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// program finds the plan that ends first, run by run. The first run in which the work can end has the best end: a piece
// that ends earlier, in a later run, lies in this run too.
//
// A piece goes on until its run ends, since an early stop gains nothing, unless the next piece overlaps the run. That one
// begins as soon as it may: an exchange at another tick loses as much.
type program struct {
	Rule
	work bookahead.Duration
	*effort.Meter
	begun bool  // whether the first way has begun before the runs
	ways  []way // all of them, by run
	open  []int // those that no other beats, by index
}

// way is a piece that does not end the work. At a tick t of it, t - lost of the work is done.
type way struct {
	start, end bookahead.Time // until the end of the run
	may        bookahead.Time // from here on it may stop: it has done Least
	lost       bookahead.Time // ticks without work
	before     int            // index of the piece before; -1 for none
}

// done returns how much is done when the run ends.
func (w *way) done() bookahead.Time { return w.end - w.lost }

// lostBy returns how much is lost by a tick, at which the run may be over.
func (w *way) lostBy(t bookahead.Time) bookahead.Time { return max(w.lost, t-w.done()) }

// solve returns the pieces for some ticks of work.
func solve(list runs, work bookahead.Duration, rule Rule, begun *Begun, m *effort.Meter) ([]bookahead.Interval, error) {
	rule.Least = min(max(1, rule.Least), work)
	if rule.Gap == 0 {
		rule.Gap = math.MaxInt64
	}
	x := program{Rule: rule, work: work, Meter: m}
	if begun != nil {
		whole, ok := begun.ends(work)
		if ok {
			return []bookahead.Interval{whole}, nil
		}
		if !x.resume(*begun) {
			return nil, bookahead.ErrUnavailable
		}
	}
	for run, err := range list(x.least) {
		if err != nil {
			return nil, err
		}
		if !x.drop(run.Start) || !x.Spend(16*int64(1+len(x.open))) {
			return nil, x.Err()
		}
		if x.begun && len(x.open) == 0 {
			break // the gap is too long by now
		}
		last, ok := x.add(run)
		if ok {
			return x.pieces(last), nil
		}
	}
	return nil, bookahead.ErrUnavailable
}

// least returns how long a run must be to be of use: for Least, or for the rest of the work.
func (x *program) least() bookahead.Duration {
	done := bookahead.Time(0)
	for _, i := range x.open {
		done = max(done, x.ways[i].done())
	}
	return min(x.Least, x.work-bookahead.Duration(done))
}

// drop drops the ways that are of no use for runs that begin at t or later: those that ended too long ago, and those
// that another beats. It is false if the effort is over.
func (x *program) drop(t bookahead.Time) bool {
	list := x.open
	x.open = x.open[:0]
	for _, i := range list {
		w := &x.ways[i]
		if w.end < t && bookahead.Duration(t-w.end) > x.Gap {
			continue
		}
		if !x.Spend(int64(1 + 2*len(x.open))) {
			return false
		}
		beaten := slices.ContainsFunc(x.open, func(k int) bool { return x.beats(&x.ways[k], w, t) })
		if beaten {
			continue
		}
		x.open = slices.DeleteFunc(x.open, func(k int) bool { return x.beats(w, &x.ways[k], t) })
		x.open = append(x.open, i)
	}
	return true
}

// beats reports whether a way is as good as another for all runs that begin at t or later: it loses no more, may stop no
// later, and lasts as long, or both are over and the gap may have any length.
func (x *program) beats(w, o *way, t bookahead.Time) bool {
	return w.lostBy(t) <= o.lostBy(t) && max(w.may, t) <= max(o.may, t) &&
		(w.end >= o.end || x.Gap == math.MaxInt64 && o.end <= t && w.end <= t)
}

// add adds the ways to work in a run. If the work can end there, it returns the last piece instead, which ends as early
// as can be.
func (x *program) add(run bookahead.Interval) (best way, ok bool) {
	try := func(start, begin bookahead.Time, done bookahead.Time, before int) { // from begin on work is done
		w := way{start: start, end: run.End, lost: begin - done, before: before}
		rest := x.work - bookahead.Duration(done)
		switch {
		case rest <= bookahead.Duration(run.End-begin):
			w.end = begin + bookahead.Time(rest)
			if !ok || w.end < best.end {
				best, ok = w, true
			}
		case x.Least <= bookahead.Duration(run.End-begin):
			w.may = begin + bookahead.Time(x.Least)
			x.ways, x.open = append(x.ways, w), append(x.open, len(x.ways))
		}
	}
	open := x.open
	if !x.begun {
		try(run.Start, run.Start, 0, -1) // first, since it needs no piece before
	}
	for _, i := range open {
		w := &x.ways[i]
		start := max(run.Start, w.may)
		if x.Restart < bookahead.Duration(run.End-start) {
			try(start, start+bookahead.Time(x.Restart), min(start, w.end)-w.lost, i)
		}
	}
	return best, ok
}

// pieces returns the pieces up to the last. Where a restart takes no time, a piece is left out if the one before it can go on
// instead.
func (x *program) pieces(last way) []bookahead.Interval {
	list := []bookahead.Interval{{Start: last.start, End: last.end}}
	for last.before >= 0 {
		next := last.start
		last = x.ways[last.before]
		for x.Restart == 0 && last.before >= 0 && x.ways[last.before].end >= next {
			last = x.ways[last.before]
		}
		list = append(list, bookahead.Interval{Start: last.start, End: min(last.end, next)})
	}
	slices.Reverse(list)
	return list
}
