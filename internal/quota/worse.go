package quota

import "github.com/bookahead/bookahead"

// Worse reports whether a change of the use breaks a bound that was not broken before, or breaks
// a bound further. The use was before and is after; they differ at most in w. So a booking that
// was made before a bound was set may still become smaller. Ticks, periods and windows that are
// over by now are not looked at.
func (b *Bounds) Worse(before, after Steps, w bookahead.Interval, now bookahead.Time) bool {
	from := max(w.Start, now)
	if b.boundsUnits() {
		for t := from; t < w.End; {
			was, end := before.at(t)
			is, next := after.at(t)
			if is.capped() > uint64(b.Units) && is.minus(was).positive() {
				return true
			}
			t = min(end, next)
		}
	}
	if b.Ticks == 0 {
		return false
	}
	worse := func(p bookahead.Interval) bool {
		is := after.area(p)
		return is.capped() > uint64(b.Ticks) && is.minus(before.area(p)).positive()
	}
	for _, p := range b.Periods[b.listed(from):] {
		if p.Start >= w.End {
			break
		}
		if worse(p) {
			return true
		}
	}
	if b.Every > 0 {
		for t := max(from, b.From); t < bookahead.MaxTime; {
			p := b.period(t)
			if p.Start >= w.End {
				break
			}
			if worse(p) {
				return true
			}
			t = b.other(p, min(before.next(p.Start), after.next(p.Start)))
		}
	}
	first := from - bookahead.Time(b.Window) + 1
	return b.Window > 0 && b.worseWindow(before, after, bookahead.Interval{Start: first, End: w.End}, worse)
}

// worseWindow is Worse for windows that begin in w. Between two bends both areas are straight,
// and so is their difference. So the worst windows begin at a bend, or next to where the
// difference begins or ceases to be more than 0.
func (b *Bounds) worseWindow(before, after Steps, w bookahead.Interval, worse func(bookahead.Interval) bool) bool {
	more := func(at bookahead.Time) bool {
		p := window(at, b.Window)
		return after.area(p).minus(before.area(p)).positive()
	}
	if after.Area(bookahead.Interval{Start: w.Start, End: later(w.End, b.Window)}) <= uint64(b.Ticks) {
		return false
	}
	for at := w.Start; at < w.End; {
		if worse(window(at, b.Window)) {
			return true
		}
		next := min(before.bend(at, b.Window), after.bend(at, b.Window), w.End)
		if more(at) != more(next) && next-at > 1 {
			lo, hi := at, next // the difference changes sign between them
			for hi-lo > 1 {
				mid := lo + (hi-lo)/2
				if more(mid) == more(at) {
					lo = mid
				} else {
					hi = mid
				}
			}
			if worse(window(lo, b.Window)) || worse(window(hi, b.Window)) {
				return true
			}
		}
		at = next
	}
	return false
}
