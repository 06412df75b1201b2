package quota

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// nextUnits returns the first start from s on at which there are never more units than the bound,
// or a start after last.
//
//	use      ▒▒▒▒▒▒     ▒▒▒▒
//	claim       ████               exceeds the bound until the end of the first step;
//	                ░░░░           from there it does not fit before the second step
//	                        ████
//
// The search begins again with the first rise after each leap. A leap ends where one rise comes to lie behind one step,
// so there are no more leaps than pairs of a rise and a step.
func (c *Claim) nextUnits(s, last bookahead.Time, m *effort.Meter) bookahead.Time {
	for i := 0; i < len(c.rises) && s <= last && c.spend(m); i++ {
		u := &c.rises[i]
		if u.Amount > c.bounds.Units {
			return never
		}
		bound := uint64(c.bounds.Units - u.Amount)
		start := c.has.fit(s+u.Start, last+u.Start, bookahead.Duration(u.End-u.Start), bound, &c.looks) - u.Start
		if start > s {
			s, i = start, -1
		}
	}
	return s
}

// addedUp returns uses that do not overlap, with the same sums. A sum that exceeds an int64
// becomes the greatest int64.
func addedUp(uses []Use) []Use {
	if len(uses) == 1 {
		return uses
	}
	var edges []bookahead.Time
	for _, u := range uses {
		edges = append(edges, u.Start, u.End)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var list []Use
	for i, start := range edges[1:] {
		w := Use{Interval: bookahead.Interval{Start: edges[i], End: start}}
		var sum wide
		for _, u := range uses {
			if u.Overlaps(w.Interval) {
				sum = sum.plus(wideOf(u.Amount))
			}
		}
		w.Amount = int64(min(sum.capped(), Over-1))
		if w.Amount > 0 {
			list = append(list, w)
		}
	}
	return list
}
