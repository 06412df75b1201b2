package nodes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Request asks for a number of tasks that run side by side for a time, each on one node.
type Request struct {
	// Ready, Deadline and Duration are those of bookahead.Request.
	Ready    bookahead.Time
	Deadline bookahead.Time
	Duration bookahead.Duration

	// Tasks is how many run; at least 1.
	Tasks int64
	// Each is what a task takes of its node. Of a resource with 0 it takes none, and it does
	// not matter how much is free.
	Each Vector
	// PerNode is the most tasks that a node may get; 0 stands for as many as fit.
	PerNode int64
	// Head is what one task takes besides, on any node that is allowed, also on one with other
	// tasks; nil if there is none. PerNode does not count it.
	Head Vector

	// Nodes are those that may get tasks; nil allows all. Their order does not matter.
	Nodes []int
	// Set names a set of the machine that the nodes must be in; "" stands for all.
	Set string
	// Except are nodes that get none.
	Except []int
	// Within names a level: all tasks lie in one group of it. "" asks for none.
	Within string
	// Together names a level: at the earliest start the tasks lie in as few groups of it as
	// possible. "" does not care.
	Together string
}

// Validate returns an error that wraps bookahead.ErrInvalid if no machine could make sense of the
// request: Duration or Tasks below 1, Ready + Duration beyond the end of the axis, a
// Deadline before that, an amount that is negative, a vector of zeros, PerNode below 0, Within
// and Together at once, or nodes that are negative or named twice. O(k log k) for k nodes.
func (r Request) Validate() error {
	err := r.times().Validate()
	if err != nil {
		return err
	}
	switch {
	case r.Tasks < 1:
		return limits.Invalid("Request.Tasks", r.Tasks, "is less than 1")
	case r.PerNode < 0:
		return limits.Invalid("Request.PerNode", r.PerNode, "is negative")
	case r.Within != "" && r.Together != "":
		return limits.Invalid("Request.Together", r.Together, fmt.Sprintf("is asked for, and Within %q too", r.Within))
	}
	err = amounts("Request.Each", r.Each)
	if err == nil && r.Head != nil {
		err = amounts("Request.Head", r.Head)
	}
	if err == nil {
		err = distinct("Request.Nodes", r.Nodes)
	}
	if err == nil {
		err = distinct("Request.Except", r.Except)
	}
	return err
}

// times returns a request for one unit at the same times.
func (r Request) times() bookahead.Request {
	return bookahead.Request{Ready: r.Ready, Deadline: r.Deadline, Duration: r.Duration, Units: 1}
}

// amounts checks that a vector asks for something, and for nothing negative.
func amounts(field string, v Vector) error {
	for i, amount := range v {
		if amount < 0 {
			return limits.Invalid(fmt.Sprintf("%s[%d]", field, i), amount, "is negative")
		}
	}
	if !slices.ContainsFunc(v, func(amount int64) bool { return amount > 0 }) {
		return limits.Invalid(field, v, "asks for nothing")
	}
	return nil
}

// distinct checks that nodes are not negative, and that none is named twice.
func distinct(field string, list []int) error {
	sorted := slices.Sorted(slices.Values(list))
	for i, k := range sorted {
		switch {
		case k < 0:
			return limits.Invalid(field, k, "is negative")
		case i > 0 && k == sorted[i-1]:
			return limits.Invalid(field, k, "is named twice")
		}
	}
	return nil
}

// Offer is a place that a machine has for a request.
type Offer struct {
	bookahead.Interval
	// Tasks says which node gets how many, by node. The slice is the caller's.
	Tasks []Share
	// Head is the node of the head task; -1 if there is none.
	Head int
}

// String formats the offer as "[2, 5) 2 on 0, 1 on 3, the head on 3".
func (o Offer) String() string {
	var b strings.Builder
	fmt.Fprint(&b, o.Interval)
	for i, s := range o.Tasks {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %d on %d", s.Tasks, s.Node)
	}
	if o.Head >= 0 {
		fmt.Fprintf(&b, ", the head on %d", o.Head)
	}
	return b.String()
}

// String formats the reservation as "#7 [2, 5) 2 on 0".
func (r Reservation) String() string { return fmt.Sprintf("#%d %v", r.ID, r.Offer) }

// Share is the tasks of one node.
type Share struct {
	Node  int
	Tasks int64
}

// Reservation is an offer that has been booked.
type Reservation struct {
	ID bookahead.ID
	Offer
	// Each and Head are what a task takes of its node. The slices are the caller's.
	Each, HeadTakes Vector
}
