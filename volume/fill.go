package volume

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// fill returns the plan that takes what is free from the left, in any number of stretches. No plan ends earlier,
// because none has done more at any time. With Least, work that meets a gap begins anew behind it:
//
//	Volume 8, Least 2     free    3 3 1 2 2 4 4      the first two ticks are too few: 6
//	                      plan    . . . 2 2 4 .      8
func fill(free iter.Seq[bookahead.Step], r Request, m *effort.Meter) (Plan, error) {
	var list []Stretch
	left := r.Volume
	for step := range free {
		if !m.Go(1) {
			return Plan{}, bookahead.ErrStopped
		}
		if n := len(list); r.Least > 0 && n > 0 && list[n-1].End < step.Start {
			list, left = list[:0], r.Volume
		}
		// A product is made only where it is no more than what is left: so none overflows.
		if ticksFor(left, step.Free) > step.Len() {
			list = append(list, Stretch{step.Interval, step.Free})
			left -= step.Free * int64(step.Len())
			continue
		}
		at := step.Start + bookahead.Time(left/step.Free)
		if at > step.Start {
			list = append(list, Stretch{bookahead.Interval{Start: step.Start, End: at}, step.Free})
		}
		rest := left % step.Free
		if rest > 0 {
			list = append(list, Stretch{bookahead.Interval{Start: at, End: at + 1}, max(rest, r.Least)})
		}
		p := Plan{Stretches: joined(list)}
		p.Cost, p.Bound = p.Completion(), p.Completion()
		return p, nil
	}
	return Plan{}, bookahead.ErrUnavailable
}

// ticksFor returns how many ticks some units need for a volume.
func ticksFor(volume, units int64) bookahead.Duration {
	return bookahead.Duration((volume-1)/units + 1)
}

// joined returns the stretches with neighbours of as many units as one.
func joined(list []Stretch) []Stretch {
	kept := list[:0]
	for _, s := range list {
		n := len(kept)
		if n > 0 && kept[n-1].End == s.Start && kept[n-1].Units == s.Units {
			kept[n-1].End = s.End
			continue
		}
		kept = append(kept, s)
	}
	return kept
}
