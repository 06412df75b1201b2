package quota

import "github.com/bookahead/bookahead"

// Excess is a stretch in which more is used than a bound allows.
type Excess struct {
	// Interval is the stretch: of units at once, of one period or several equal ones, or of
	// windows that overlap.
	bookahead.Interval
	// Length is the length of each period or window; 0 for units at once.
	Length bookahead.Duration
	// Use is the most that is used at once, or in one period or window; at most Over.
	Use uint64
}

// Over returns the excesses over all bounds in the time from now on, and in periods and windows
// that are not over: units first, then the listed periods, then the others, then windows, each by
// time.
func (b *Bounds) Over(has Steps, now bookahead.Time) (list []Excess) {
	if b.boundsUnits() {
		list = b.overUnits(list, has, now)
	}
	if b.Ticks == 0 {
		return list
	}
	ticks := uint64(b.Ticks)
	for _, p := range b.Periods[b.listed(now):] {
		use := has.Area(p)
		if use > ticks {
			list = append(list, Excess{p, bookahead.Duration(p.End - p.Start), use})
		}
	}
	if b.Every > 0 {
		for t := max(now, b.From); t < bookahead.MaxTime; {
			p := b.period(t)
			use := has.Area(p)
			end := has.next(p.Start)
			t = b.other(p, end)
			if use > ticks {
				list = append(list, Excess{bookahead.Interval{Start: p.Start, End: max(p.End, t)}, b.Every, use})
			}
			if end == bookahead.MaxTime && use == 0 {
				break
			}
		}
	}
	if b.Window > 0 {
		list = b.overWindows(list, has, now)
	}
	return list
}

func (b *Bounds) overUnits(list []Excess, has Steps, now bookahead.Time) []Excess {
	units := uint64(b.Units)
	for t := now; ; {
		t = has.above(bookahead.Interval{Start: t, End: bookahead.MaxTime}, units)
		if t == bookahead.MaxTime {
			return list
		}
		w := bookahead.Interval{Start: t, End: has.within(t, units)}
		list = append(list, Excess{w, 0, has.Most(w)})
		t = w.End
	}
}

func (b *Bounds) overWindows(list []Excess, has Steps, now bookahead.Time) []Excess {
	ticks := uint64(b.Ticks)
	for t := now - bookahead.Time(b.Window) + 1; ; {
		t = has.windowAbove(t, b.Window, ticks)
		if t == bookahead.MaxTime {
			return list
		}
		end := has.windowWithin(t, b.Window, ticks)
		most := uint64(0)
		for at := t; at < end; at = has.bend(at, b.Window) {
			most = max(most, has.Area(window(at, b.Window)))
		}
		most = max(most, has.Area(window(end-1, b.Window)))
		list = append(list, Excess{bookahead.Interval{Start: max(0, t), End: later(end-1, b.Window)}, b.Window, most})
		t = end
	}
}
