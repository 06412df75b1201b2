package volume

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// fill returns the plan that takes all free units from the left, in any number of stretches. No plan ends earlier: of
// the plans that can still go on, none has done more at any time. With Least, work that meets a gap begins anew behind
// it:
//
//	Volume 8, Least 2     free    3 3 1 2 2 4 4      the first two ticks are too few: 6
//	                      plan    . . . 2 2 4 .      8
//
// The last stretch has the fewest units that do in its time.
func fill(free iter.Seq[bookahead.Step], r Request, m *effort.Meter) (Plan, error) {
	var list []Stretch
	left := r.Volume
	for step := range free {
		if !m.Go(1) {
			return Plan{}, m.Err()
		}
		if n := len(list); r.Least > 0 && n > 0 && list[n-1].End < step.Start {
			list, left = list[:0], r.Volume
		}
		ticks := ticksFor(left, step.Free)
		if ticks > step.Len() { // so that the product is less than what is left, and does not overflow
			list = add(list, Stretch{step.Interval, step.Free})
			left -= step.Free * int64(step.Len())
			continue
		}
		p := Plan{Stretches: add(list, r.last(step.Start, ticks, left))}
		p.Cost, p.Bound = p.Completion(), p.Completion()
		return p, nil
	}
	return Plan{}, bookahead.ErrUnavailable
}

// add adds a stretch to those before it. It makes the last one longer if that has as many units.
func add(list []Stretch, s Stretch) []Stretch {
	n := len(list)
	if n > 0 && list[n-1].End == s.Start && list[n-1].Units == s.Units {
		list[n-1].End = s.End
		return list
	}
	return append(list, s)
}

// ticksFor returns how many ticks some units need for a volume.
func ticksFor(volume, units int64) bookahead.Duration {
	return bookahead.Duration((volume-1)/units + 1)
}

// last returns the last stretch, with the fewest units that do the rest in so many ticks.
func (r Request) last(start bookahead.Time, ticks bookahead.Duration, left int64) Stretch {
	return Stretch{bookahead.Interval{Start: start, End: start + bookahead.Time(ticks)}, max(r.Least, (left-1)/int64(ticks)+1)}
}
