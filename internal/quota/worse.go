package quota

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// Worse reports whether a change of the use breaks a bound that was not broken before, or breaks
// a bound further. The use was before and is after; they differ at most in w. So a booking that
// was made before a bound was set may still become smaller. Ticks, periods and windows that are
// over by now are not looked at. The meter counts the looks, but does not stop them; nil counts nothing.
//
// O((k + p) log n) for p listed periods and k changes of either use, of n, in w or a window or period that meets w.
func (b *Bounds) Worse(before, after Steps, w bookahead.Interval, now bookahead.Time, m *effort.Meter) bool {
	looks := int64(0)
	from := max(w.Start, now)
	yes := b.worseUnits(before, after, bookahead.Interval{Start: from, End: w.End}, &looks) ||
		b.worseTicks(before, after, bookahead.Interval{Start: from, End: w.End}, &looks)
	if m != nil {
		m.Spend(looks)
	}
	return yes
}

func (b *Bounds) worseUnits(before, after Steps, w bookahead.Interval, looks *int64) bool {
	if b.boundsUnits() {
		for t := w.Start; t < w.End; {
			*looks++
			was, end := before.at(t)
			is, next := after.at(t)
			if is.capped() > uint64(b.Units) && is.minus(was).positive() {
				return true
			}
			t = min(end, next)
		}
	}
	return false
}

func (b *Bounds) worseTicks(before, after Steps, w bookahead.Interval, looks *int64) bool {
	if b.Ticks == 0 {
		return false
	}
	worse := func(p bookahead.Interval) bool {
		*looks++
		is := after.area(p)
		return is.capped() > uint64(b.Ticks) && is.minus(before.area(p)).positive()
	}
	for _, p := range b.Periods[b.listed(w.Start):] {
		if p.Start >= w.End {
			break
		}
		if worse(p) {
			return true
		}
	}
	if b.Every > 0 {
		for t := max(w.Start, b.From); t < bookahead.MaxTime; {
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
	if b.Window == 0 {
		return false
	}
	w.Start -= bookahead.Time(b.Window) - 1
	return b.worseWindow(before, after, w, looks)
}

// worseWindow is Worse for windows that begin in w. Between two bends both areas are straight,
// and so is their difference. So the worst windows begin at a bend, or next to where the
// difference begins or ceases to be more than 0. One division finds that place:
//
//	bend         at             next
//	difference    6  4  2  0  -2      falls by 2 with each tick, so it is more than 0 for (6-1)/2 ticks after at
//
// So no more than two windows are looked at for each bend of before and after.
func (b *Bounds) worseWindow(before, after Steps, w bookahead.Interval, looks *int64) bool {
	if after.Area(bookahead.Interval{Start: w.Start, End: later(w.End, b.Window)}) <= uint64(b.Ticks) {
		return false
	}
	was, is := before.slide(w.Start, b.Window), after.slide(w.Start, b.Window)
	broken := func(at bookahead.Time) bool { return is.areaAt(at).capped() > uint64(b.Ticks) }
	for at := w.Start; at < w.End; {
		*looks++
		more := is.areaAt(at).minus(was.areaAt(at))
		if more.positive() && broken(at) {
			return true
		}
		next := min(was.bend(), is.bend(), w.End)
		rise := is.slope().minus(was.slope())
		then := more.plus(rise.times(uint64(next - at)))
		switch {
		case more.positive() && !then.positive():
			last := more.minus(wide{low: 1}).over(wide{}.minus(rise))
			if broken(at + bookahead.Time(last)) {
				return true
			}
		case !more.positive() && then.positive():
			first := wide{}.minus(more).over(rise) + 1
			if broken(at + bookahead.Time(first)) {
				return true
			}
		}
		if next == was.bend() {
			was.next()
		}
		if next == is.bend() {
			is.next()
		}
		at = next
	}
	return false
}
