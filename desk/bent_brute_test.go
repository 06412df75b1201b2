package desk

import (
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/pieces"
)

// piecewise finds the end of work in pieces by trying all of them, with an answer for each piece whether it fits.
type piecewise struct {
	fits    func(start, end bookahead.Time) bool
	rule    pieces.Rule
	work    bookahead.Time
	horizon bookahead.Time
	known   map[[2]bookahead.Time]bookahead.Time
}

// ends returns the earliest end of the work behind a piece that has stopped when some ticks were done.
func (x *piecewise) ends(stopped, done bookahead.Time) bookahead.Time {
	at := [2]bookahead.Time{stopped, done}
	best, ok := x.known[at]
	if ok {
		return best
	}
	last := x.horizon
	if x.rule.Gap > 0 {
		last = min(last, stopped+bookahead.Time(x.rule.Gap))
	}
	best = bookahead.MaxTime
	for start := stopped; start <= last; start++ {
		best = min(best, x.piece(start, bookahead.Time(x.rule.Restart), done, bookahead.Time(x.rule.Least)))
	}
	x.known[at] = best
	return best
}

// piece returns the earliest end of the work if the next piece begins at a tick.
func (x *piecewise) piece(start, restart, done, least bookahead.Time) bookahead.Time {
	best := bookahead.MaxTime
	least = max(1, min(least, x.work))
	for end := start + restart + 1; end <= x.horizon && x.fits(start, end); end++ {
		sum := done + end - start - restart
		if sum >= x.work {
			return min(best, end)
		}
		if end-start-restart >= least {
			best = min(best, x.ends(end, sum))
		}
	}
	return best
}

// endsOf returns the best end of work in pieces on a desk, by brute force; last is where the last piece has ended, of work that was
// begun, and goesOn says whether it may go on there.
func endsOf(t *testing.T, d *Desk, p Part, rule pieces.Rule, ready bookahead.Time, last bookahead.Time, goesOn bool) bookahead.Time {
	asked := map[[2]bookahead.Time]bool{}
	x := piecewise{rule: rule, work: bookahead.Time(p.Duration), horizon: 60, known: map[[2]bookahead.Time]bookahead.Time{}}
	x.fits = func(start, end bookahead.Time) bool {
		if start < ready {
			return false
		}
		fits, known := asked[[2]bookahead.Time{start, end}]
		if !known {
			one := p.clone()
			one.Duration = bookahead.Duration(end - start)
			_, err := d.Search(Request{Ready: start, Deadline: end, Shapes: []Shape{{one}}}, bookahead.Effort{})
			fits = err == nil
			asked[[2]bookahead.Time{start, end}] = fits
		}
		return fits
	}
	best := bookahead.MaxTime
	if last == 0 {
		for start := ready; start < x.horizon; start++ {
			best = min(best, x.piece(start, 0, 0, bookahead.Time(rule.Least)))
		}
		return best
	}
	best = x.ends(last, 0)
	if goesOn {
		best = min(best, x.piece(last, 0, 0, 1))
	}
	return best
}
