package quota

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

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
// time. The meter counts the looks, but does not stop them; nil counts nothing.
//
// O((k + p) log n) for p listed periods and k changes of the use from now on, of n: equal periods are looked at once,
// and windows from bend to bend.
func (b *Bounds) Over(has Steps, now bookahead.Time, m *effort.Meter) (list []Excess) {
	looks := int64(0)
	if b.boundsUnits() {
		list = b.overUnits(list, has, now, &looks)
	}
	if b.Ticks > 0 {
		list = b.overTicks(list, has, now, &looks)
	}
	if m != nil {
		m.Spend(looks)
	}
	return list
}

func (b *Bounds) overTicks(list []Excess, has Steps, now bookahead.Time, looks *int64) []Excess {
	ticks := uint64(b.Ticks)
	for _, p := range b.Periods[b.listed(now):] {
		*looks++
		use := has.Area(p)
		if use > ticks {
			list = append(list, Excess{p, bookahead.Duration(p.End - p.Start), use})
		}
	}
	if b.Every > 0 {
		for t := max(now, b.From); t < bookahead.MaxTime; {
			*looks++
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
		list = b.overWindows(list, has, now, looks)
	}
	return list
}

func (b *Bounds) overUnits(list []Excess, has Steps, now bookahead.Time, looks *int64) []Excess {
	units := uint64(b.Units)
	for t := now; ; {
		t = has.above(bookahead.Interval{Start: t, End: bookahead.MaxTime}, units, looks)
		if t == bookahead.MaxTime {
			return list
		}
		w := bookahead.Interval{Start: t, End: has.within(t, units, looks)}
		list = append(list, Excess{w, 0, has.most(w, looks)})
		t = w.End
	}
}

func (b *Bounds) overWindows(list []Excess, has Steps, now bookahead.Time, looks *int64) []Excess {
	ticks := uint64(b.Ticks)
	for t := now - bookahead.Time(b.Window) + 1; ; {
		t = has.windowAbove(t, b.Window, ticks, looks)
		if t == bookahead.MaxTime {
			return list
		}
		end := has.windowWithin(t, b.Window, ticks, looks)
		most := uint64(0)
		for at := t; at < end; at = has.bend(at, b.Window) {
			*looks++
			most = max(most, has.Area(window(at, b.Window)))
		}
		most = max(most, has.Area(window(end-1, b.Window)))
		list = append(list, Excess{bookahead.Interval{Start: max(0, t), End: later(end-1, b.Window)}, b.Window, most})
		t = end
	}
}
