package route

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// Candidate is a path with a cluster at its end, and when a task could use them
// at the earliest: an element of PM_n-d (Stevens et al., §4.4).
type Candidate struct {
	Cluster int
	Delay   bookahead.Duration // of the path, in ticks
	Hops    int                // links of the path
	// Path is the vector of the path, Eq. (2): the slots, from now on, in which
	// the source may send.
	Path *avail.Vector
	// Send, Arrival and Run are those of a Plan.
	Send    bookahead.Interval
	Arrival bookahead.Time
	Run     bookahead.Interval

	free  *avail.Runs        // when the cluster has the CPUs, for all paths to it
	from  int                // the tick of free at which the data can be there
	takes bookahead.Duration // for which the cluster works
	label int32
	value float64 // of the objective, if there is one
}

// Ready returns Ŵ(p, b): the ticks, from now on, in which the cluster has the CPUs and the data
// can be there. Ready has at most avail.MaxSlots ticks, and Run may lie behind them. The list is the
// caller's. O(k) for k runs.
func (c *Candidate) Ready() *avail.Runs { return c.free.Mask(c.from) }

// Covers reports whether c is at least as good as o by Eq. (5): no greater delay, and all
// the slots of path and cluster. Besides, the work takes no longer, the data arrives no later,
// and the work ends no later. Behind the ticks of Ready the last three do not follow from
// Eq. (5) (see Deviations).
func (c *Candidate) Covers(o *Candidate) bool {
	return c.sooner(o) && c.Ready().Covers(o.Ready())
}

// sooner is Covers without Ready.
func (c *Candidate) sooner(o *Candidate) bool {
	return c.Delay <= o.Delay && c.takes <= o.takes && c.Arrival <= o.Arrival &&
		(o.late() || !c.late() && c.Run.End <= o.Run.End) && c.Path.Covers(o.Path)
}

// late reports whether the task does not end in time.
func (c *Candidate) late() bool { return c.Run.Empty() }

// Objective is the function f of §4.4, whose least value is the best. It must be monotone: a
// candidate that Covers another has no greater value. It must not change the candidate. A value
// may be infinite. NaN cannot be compared, and the error wraps bookahead.ErrInvalid.
type Objective func(*Candidate) float64

// judge says which of two candidates is better, for phase 3.
type judge struct {
	value  func(*Candidate) error // writes Candidate.value; nil if it is not needed
	better func(a, b *Candidate) bool
}

var (
	byEnd = judge{better: inTime(func(a, b *Candidate) bool { return a.Run.End < b.Run.End })}
	// byArrival is the order of MC-B, which does not look at the end of the work.
	byArrival = judge{better: func(a, b *Candidate) bool { return a.Arrival < b.Arrival }}
)

// inTime puts late candidates behind all others.
func inTime(better func(a, b *Candidate) bool) func(a, b *Candidate) bool {
	return func(a, b *Candidate) bool {
		if a.late() || b.late() {
			return b.late() && !a.late()
		}
		return better(a, b)
	}
}

// judge returns the order by the objective.
func (f Objective) judge() judge {
	if f == nil {
		return byEnd
	}
	return judge{
		value: func(c *Candidate) error {
			if c.late() {
				return nil
			}
			c.value = f(c)
			if math.IsNaN(c.value) {
				return invalid("Objective", c.value, "is not a number")
			}
			return nil
		},
		better: inTime(func(a, b *Candidate) bool { return a.value < b.value }),
	}
}

// pick returns the better of two candidates: of equals the one with the smaller delay, then the
// one with fewer links, then a. a may be nil.
func (j judge) pick(a, b *Candidate) *Candidate {
	switch {
	case a == nil || j.better(b, a):
		return b
	case j.better(a, b):
		return a
	case b.Delay < a.Delay || b.Delay == a.Delay && b.Hops < a.Hops:
		return b
	}
	return a
}
