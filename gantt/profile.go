package gantt

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Profile is the used part of a capacity, as a function of time.
type Profile struct {
	label    string
	capacity int64
	window   bookahead.Interval
	levels   []level // ascending, the first at window.Start, each unlike the one before
}

// level is the amount used from a time on.
type level struct {
	at   bookahead.Time
	used int64
}

// ProfileOf returns the profile of a schedule of so many units, or servers, over w. A
// schedule knows nothing of the time before its clock and beyond its horizon, so nothing
// is drawn there. If FrameOf does not know these limits, all time without free units is
// drawn as used. The profile is a copy, and does not follow the schedule.
//
// The error wraps bookahead.ErrInvalid if the schedule is no bookahead.Profiler, if the
// capacity is less than 1, if w is empty, or if at some tick more is free than the
// capacity. O(k log k) for k blocks.
func ProfileOf(label string, s bookahead.Schedule, capacity int64, w bookahead.Interval) (Profile, error) {
	if capacity < 1 {
		return Profile{}, limits.Invalid("capacity", capacity, "is less than 1")
	}
	if w.Empty() {
		return Profile{}, limits.Invalid("window", w, "is empty")
	}
	w = known(s, w)
	blocks, ok := bookahead.Blocks(s, w)
	if !ok {
		return Profile{}, limits.Invalid("schedule", fmt.Sprintf("%T", s), "is no bookahead.Profiler")
	}
	if w.Empty() {
		return Profile{label: label, capacity: capacity}, nil
	}
	var changes []level // used is the change of the amount used
	for b := range blocks {
		in := b.Intersect(w)
		if in.Empty() || b.Units < 1 {
			return Profile{}, limits.Invalid("block", fmt.Sprint(b.Interval, " ", b.Units), "is empty or outside the window")
		}
		changes = append(changes, level{in.Start, -b.Units}, level{in.End, b.Units})
	}
	// At the same tick, blocks end before others begin, so that used is never too small.
	slices.SortFunc(changes, func(a, b level) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.used, a.used))
	})
	result := Profile{label: label, capacity: capacity, window: w, levels: []level{{w.Start, capacity}}}
	used := capacity
	for i, c := range changes {
		if used < -c.used {
			return Profile{}, limits.Invalid("capacity", capacity, fmt.Sprintf("is less than the units free at %d", c.at))
		}
		used += c.used
		if c.at < w.End && (i+1 == len(changes) || changes[i+1].at > c.at) {
			result.set(c.at, used)
		}
	}
	return result, nil
}

// ProfileOfSteps returns the profile of so many units, of which the steps are free: those of bookahead.Steps, or of a resource of
// nodes. Steps come by start. Nothing is drawn before the first step and behind the last, and all is used between two steps that do
// not meet. The error wraps bookahead.ErrInvalid if the capacity is less than 1, if a step is empty or begins before the
// end of the one before it, or if its Free is not in 0 to the capacity. O(k) for k steps.
func ProfileOfSteps(label string, steps iter.Seq[bookahead.Step], capacity int64) (Profile, error) {
	if capacity < 1 {
		return Profile{}, limits.Invalid("capacity", capacity, "is less than 1")
	}
	p := Profile{label: label, capacity: capacity}
	for s := range steps {
		first := len(p.levels) == 0
		switch {
		case s.Empty() || !first && s.Start < p.window.End:
			return Profile{}, limits.Invalid("step", s.Interval, "is empty, or begins before the end of the step before it")
		case s.Free < 0 || s.Free > capacity:
			return Profile{}, limits.Invalid("step", s.Free, fmt.Sprintf("units are free at %d, and not 0 to %d", s.Start, capacity))
		case first:
			p.window, p.levels = s.Interval, []level{{s.Start, capacity - s.Free}}
			continue
		case s.Start > p.window.End:
			p.set(p.window.End, capacity)
		}
		p.set(s.Start, capacity-s.Free)
		p.window.End = s.End
	}
	return p, nil
}

// known returns the part of w that a schedule knows: its bookable time, or all of w if the schedule has
// no Frame.
func known(s bookahead.Schedule, w bookahead.Interval) bookahead.Interval {
	f, ok := bookahead.FrameOf(s)
	if !ok {
		return w
	}
	return w.Intersect(f.Window())
}

func (p *Profile) set(at bookahead.Time, used int64) {
	last := &p.levels[len(p.levels)-1]
	switch {
	case last.at == at:
		last.used = used
	case last.used != used:
		p.levels = append(p.levels, level{at, used})
	}
}

// column is a stretch of a profile in the picture. low is the least amount used in it,
// and high the greatest.
type column struct {
	from, to  int
	low, high int64
}

// columns returns the profile over w as at most n columns that follow each other; from
// and to are in 0 … width. If the profile has at most n levels in w, the columns are
// exact. There are none if w shows no part of the profile.
func (p *Profile) columns(w bookahead.Interval, n, width int) []column {
	shown := p.window.Intersect(w)
	if shown.Empty() {
		return nil
	}
	first, found := slices.BinarySearchFunc(p.levels, shown.Start, func(l level, t bookahead.Time) int { return cmp.Compare(l.at, t) })
	if !found {
		first-- // the level that is held at the start
	}
	after, _ := slices.BinarySearchFunc(p.levels, shown.End, func(l level, t bookahead.Time) int { return cmp.Compare(l.at, t) })
	exact := after-first <= n

	edge := func(k int) int { return int(int64(k) * int64(width) / int64(n)) }

	var cs []column
	for i := first; i < after; i++ {
		from, to, used := max(p.levels[i].at, shown.Start), shown.End, p.levels[i].used
		if i+1 < after {
			to = p.levels[i+1].at
		}
		if exact {
			cs = append(cs, column{scale(from, w, width), scale(to, w, width), used, used})
			continue
		}
		// There are more ticks than columns, so each column has at least one tick.
		for k := scale(from, w, n); k <= scale(to-1, w, n); k++ {
			if len(cs) > 0 && cs[len(cs)-1].to == edge(k+1) {
				c := &cs[len(cs)-1]
				c.low, c.high = min(c.low, used), max(c.high, used)
				continue
			}
			cs = append(cs, column{edge(k), edge(k + 1), used, used})
		}
	}
	return cs
}

// extent returns the least and the greatest amount used in a list of columns.
func extent(cs []column) (low, high int64) {
	low, high = cs[0].low, cs[0].high
	for _, c := range cs {
		low, high = min(low, c.low), max(high, c.high)
	}
	return low, high
}

// top returns the number at the top of a profile's panel.
func (p *Profile) top() string { return strconv.FormatInt(p.capacity, 10) }

// height returns the height of so many units in a panel of the given height.
func (p *Profile) height(used int64, of int) int {
	return scale(bookahead.Time(used), bookahead.Interval{End: bookahead.Time(p.capacity)}, of)
}
