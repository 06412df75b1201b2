package window

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Criterion says which window is the best: the one with the greatest sum of Value over
// its slots. To minimise, negate.
type Criterion struct {
	Name string

	// Value is the part of a slot in a window that starts at a tick, for a task of
	// that length. It is a number from -1e220 to 1e220. A search that meets another number,
	// here or in Bound, returns an error that wraps bookahead.ErrInvalid. The slot is
	// given whole, so that slot.Start <= start and start+length <= slot.End.
	Value func(n Node, slot Slot, start bookahead.Time, length bookahead.Duration) float64

	// Bound is at least Value for all starts from first to last, and all lengths
	// from short to long, at which the task fits into the slot. By Bound, Exact leaves out
	// windows that cannot be better. With nil it leaves out none, unless the criterion
	// is Monotone.
	Bound func(n Node, slot Slot, first, last bookahead.Time, short, long bookahead.Duration) float64

	// Monotone promises that Value never grows with the start or the length.
	// Then the best window contains its slowest node, and starts when the last
	// of its slots does, and Exact looks at no others. With tariffs Exact looks at other
	// starts, too, and a Value that depends on Node.Tariff may grow with the start if
	// there is a Bound that allows for it.
	Monotone bool
}

// Quality is the criterion Q of §4.2: the sum of the nodes' Quality.
var Quality = Criterion{
	Name:     "quality",
	Value:    func(n Node, _ Slot, _ bookahead.Time, _ bookahead.Duration) float64 { return n.Quality },
	Monotone: true,
}

// Near is the criterion of DEP (§3.4): the ticks to the nearer end of the slot,
// of which Environment.Distances gives the average. It is maximised.
var Near = Criterion{
	Name: "near",
	Value: func(_ Node, s Slot, start bookahead.Time, length bookahead.Duration) float64 {
		return float64(min(start-s.Start, s.End-start-bookahead.Time(length)))
	},
	Bound: func(_ Node, s Slot, first, last bookahead.Time, short, _ bookahead.Duration) float64 {
		room := s.End - s.Start - bookahead.Time(short)
		left := min(max(room/2, first-s.Start), last-s.Start)
		return float64(min(left, room-left))
	},
}

// Far is the criterion of COORD (§3.4), negated: the ticks to the farther end
// of the slot, of which Environment.Distances gives the average. Maximising it
// minimises the distance.
var Far = Criterion{
	Name: "far",
	Value: func(_ Node, s Slot, start bookahead.Time, length bookahead.Duration) float64 {
		return -float64(max(start-s.Start, s.End-start-bookahead.Time(length)))
	},
	Bound: func(_ Node, s Slot, first, last bookahead.Time, _, long bookahead.Duration) float64 {
		room := s.End - s.Start - bookahead.Time(long)
		left := min(max(room/2, first-s.Start), last-s.Start)
		return -float64(max(left, room-left))
	},
}

// The criteria of AEP ([20] in the paper), each negated so that the least is
// the best. In a square window all slots add the same to the first three.
var (
	// EarliestStart is the start of the window, in ticks.
	EarliestStart = Criterion{
		Name:     "start",
		Value:    func(_ Node, _ Slot, start bookahead.Time, _ bookahead.Duration) float64 { return -float64(start) },
		Monotone: true,
	}
	// EarliestFinish is the end of the tasks, in ticks.
	EarliestFinish = Criterion{
		Name: "finish",
		Value: func(_ Node, _ Slot, start bookahead.Time, length bookahead.Duration) float64 {
			return -float64(start + bookahead.Time(length))
		},
		Monotone: true,
	}
	// Shortest is the length of the tasks, in ticks.
	Shortest = Criterion{
		Name:     "runtime",
		Value:    func(_ Node, _ Slot, _ bookahead.Time, length bookahead.Duration) float64 { return -float64(length) },
		Monotone: true,
	}
	// Cheapest is the cost.
	Cheapest = Criterion{
		Name: "cost",
		Value: func(n Node, _ Slot, start bookahead.Time, length bookahead.Duration) float64 {
			return -n.Cost(bookahead.Interval{Start: start, End: start + bookahead.Time(length)})
		},
		Bound: func(n Node, _ Slot, first, last bookahead.Time, short, _ bookahead.Duration) float64 {
			return -n.leastCost(first, last, short)
		},
		Monotone: true,
	}
)

// value returns the part of a candidate in a window that starts at a tick.
func (s *search) value(c Criterion, k candidate, start bookahead.Time) float64 {
	return s.finite("Criterion.Value", c.Value(s.env.nodes[k.node], s.env.slots[k.slot], start, k.length))
}

// finite returns a number of a criterion. A number that is infinite, NaN or too great
// counts as 0, and the search ends with the error that finite notes.
func (s *search) finite(field string, x float64) float64 {
	if math.Abs(x) <= greatest {
		return x
	}
	if s.bad == nil {
		s.bad = limits.Invalid(field, x, fmt.Sprintf("is not a finite number of at most %g", greatest))
	}
	return 0
}
