package quota

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Bounds are the limits of a quota. A number that is 0 sets no bound.
type Bounds struct {
	// Units is the most units at once.
	Units int64
	// None allows 0 units at once. Units is 0 then.
	None bool
	// Ticks is the most unit-ticks in each of the Periods, in each period of Every ticks from
	// From on, and in any window of the length Window.
	Ticks   int64
	Periods []bookahead.Interval // by start; they do not overlap
	From    bookahead.Time
	Every   bookahead.Duration
	Window  bookahead.Duration
}

// boundsUnits reports whether the units at once have a bound. The bound is Units.
func (b *Bounds) boundsUnits() bool { return b.Units > 0 || b.None }

// Since returns the first tick whose use matters to a start at now or later. It never moves back
// when now moves on.
func (b *Bounds) Since(now bookahead.Time) bookahead.Time {
	since := now
	if b.Window > 0 {
		since = min(since, max(0, now-bookahead.Time(b.Window)+1))
	}
	if b.Every > 0 && now >= b.From {
		since = min(since, b.period(now).Start)
	}
	i := b.listed(now)
	if i < len(b.Periods) {
		since = min(since, max(0, b.Periods[i].Start))
	}
	return since
}

// listed returns the index of the first of the Periods that ends after t.
func (b *Bounds) listed(t bookahead.Time) int {
	i, _ := slices.BinarySearchFunc(b.Periods, t, func(p bookahead.Interval, t bookahead.Time) int {
		if p.End <= t {
			return -1
		}
		return 1
	})
	return i
}

// period returns the period of Every ticks that contains a tick, which is not before From.
func (b *Bounds) period(t bookahead.Time) bookahead.Interval {
	start := t - (t-b.From)%bookahead.Time(b.Every)
	return window(start, b.Every)
}

// other returns the start of the next period after p that can differ from p, if the use does not
// change between the start of p and changes.
func (b *Bounds) other(p bookahead.Interval, changes bookahead.Time) bookahead.Time {
	if changes < p.End || p.End == bookahead.MaxTime {
		return p.End
	}
	return b.period(changes).Start
}

// window returns the interval of a length from w on. It ends at bookahead.MaxTime at the latest.
func window(w bookahead.Time, length bookahead.Duration) bookahead.Interval {
	return bookahead.Interval{Start: w, End: later(w, length)}
}

// later returns t + d, or bookahead.MaxTime if that is more. d is not negative.
func later(t bookahead.Time, d bookahead.Duration) bookahead.Time {
	if t > bookahead.MaxTime-bookahead.Time(d) {
		return bookahead.MaxTime
	}
	return t + bookahead.Time(d)
}

// common returns how many ticks two intervals have in common.
func common(a, b bookahead.Interval) uint64 {
	start, end := max(a.Start, b.Start), min(a.End, b.End)
	if end <= start {
		return 0
	}
	return uint64(end) - uint64(start)
}
