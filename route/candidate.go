package route

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// candidate is a path with a cluster at its end, and when a task could use them
// at the earliest: an element of PM_n-d (Stevens et al., §4.4).
type candidate struct {
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
}

// sooner reports whether c is at least as good as o by Eq. (5), but for the ticks of the cluster: no
// greater delay, and all the slots of the path. Besides, the work takes no longer, the data arrives
// no later, and the work ends no later. Behind the ticks of the cluster the last three do not follow from
// Eq. (5) (see Deviations).
func (c *candidate) sooner(o *candidate) bool {
	return c.Delay <= o.Delay && c.takes <= o.takes && c.Arrival <= o.Arrival &&
		(o.late() || !c.late() && c.Run.End <= o.Run.End) && c.Path.Covers(o.Path)
}

// late reports whether the task does not end in time.
func (c *candidate) late() bool { return c.Run.Empty() }

// judge says whether a is better than b, for phase 3.
type judge func(a, b *candidate) bool

// byEnd is the function f of §4.4, the completion time. It puts late candidates behind all others.
func byEnd(a, b *candidate) bool {
	if a.late() || b.late() {
		return b.late() && !a.late()
	}
	return a.Run.End < b.Run.End
}

// byArrival is the order of MC-B, which does not look at the end of the work.
func byArrival(a, b *candidate) bool { return a.Arrival < b.Arrival }

// pick returns the better of two candidates: of equals the one with the smaller delay, then the
// one with fewer links, then a. a may be nil.
func (j judge) pick(a, b *candidate) *candidate {
	switch {
	case a == nil || j(b, a):
		return b
	case j(a, b):
		return a
	case b.Delay < a.Delay || b.Delay == a.Delay && b.Hops < a.Hops:
		return b
	}
	return a
}
