package desk

import (
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/pieces"
)

// bruteTicks is the horizon of piecewise.
const bruteTicks = 60

// piecewise finds the end of work in pieces by trying all of them, given how long a piece at each tick may be.
type piecewise struct {
	ask     func(start, end bookahead.Time) bool
	rule    pieces.Rule
	work    bookahead.Time
	longest [bruteTicks]bookahead.Time                     // and 1; 0 if it was not asked for
	known   [bruteTicks + 1][bruteTicks + 1]bookahead.Time // the answers of ends; 0 for none
}

// until returns the latest end of a piece that begins at a tick; a part of a piece that fits does, too.
func (x *piecewise) until(start bookahead.Time) bookahead.Time {
	if x.longest[start] == 0 {
		end := start
		for end < bruteTicks && end-start < x.work+bookahead.Time(x.rule.Restart) && x.ask(start, end+1) {
			end++
		}
		x.longest[start] = 1 + end - start
	}
	return start + x.longest[start] - 1
}

// ends returns the earliest end of the work behind a piece that has stopped when some ticks were done.
func (x *piecewise) ends(stopped, done bookahead.Time) bookahead.Time {
	best := x.known[stopped][done]
	if best > 0 {
		return best
	}
	last := bookahead.Time(bruteTicks - 1)
	if x.rule.Gap > 0 {
		last = min(last, stopped+bookahead.Time(x.rule.Gap))
	}
	best = bookahead.MaxTime
	for start := stopped; start <= last; start++ {
		best = min(best, x.piece(start, bookahead.Time(x.rule.Restart), done, bookahead.Time(x.rule.Least)))
	}
	x.known[stopped][done] = best
	return best
}

// piece returns the earliest end of the work if the next piece begins at a tick.
func (x *piecewise) piece(start, restart, done, least bookahead.Time) bookahead.Time {
	best := bookahead.MaxTime
	least = max(1, min(least, x.work))
	for end, last := start+restart+1, x.until(start); end <= last; end++ {
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
	one, now := p.clone(), d.Now()
	wish := Request{Shapes: []Shape{{one}}}
	x := piecewise{rule: rule, work: bookahead.Time(p.Duration)}
	x.ask = func(start, end bookahead.Time) bool {
		wish.Ready, wish.Deadline, wish.Shapes[0][0].Duration = start, end, bookahead.Duration(end-start)
		if start < max(ready, now) {
			return false
		}
		_, err := d.Search(wish, bookahead.Effort{})
		return err == nil
	}
	best := bookahead.MaxTime
	if last == 0 {
		for start := ready; start < bruteTicks; start++ {
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
