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
	// Ready, Deadline and Duration mean the same as in bookahead.Request.
	Ready    bookahead.Time
	Deadline bookahead.Time
	Duration bookahead.Duration

	// Tasks is the number of tasks; at least 1.
	Tasks int64
	// Each is the amounts that a task takes of its node. A resource with 0 is not taken, and its
	// free amount does not matter.
	Each Vector
	// PerNode is the most tasks that a node may get; 0 stands for as many as fit.
	PerNode int64
	// Head is the amounts of one more task, the head; nil asks for no head. The head may share a
	// node with other tasks, and PerNode does not count it.
	Head Vector
	// Exclusive asks for whole nodes: nobody else holds a node of the request meanwhile. So a node may get tasks only
	// if it is free as a whole, and the reservation takes all that the node has, whatever Each says. Each, Head and
	// PerNode still say how many tasks a node holds.
	Exclusive bool

	// Nodes are the nodes that may get tasks, in any order; nil allows all, and an empty list allows none.
	Nodes []int
	// Set names a set of the machine, and only nodes in it get tasks; "" allows all.
	Set string
	// Except are nodes that get no tasks.
	Except []int
	// Within names a level, and all tasks lie in one group of this level. "" allows any nodes.
	Within string
	// Together names a level. The tasks lie in as few groups of this level as possible at the
	// earliest start, which Together never delays. With Within too, the group for Within is one in which they
	// lie in the fewest groups of Together, and only its nodes count. "" asks for nothing.
	Together string
	// Bundle makes bundles of so many tasks, and Bundled names a level: each bundle lies in one group of this level, such
	// as 4 tasks in each rack. Several bundles may lie in one group. Tasks is a multiple of Bundle. The head is in no
	// bundle and may lie on any node that the request allows, where it takes room from the group of the node. A node in no
	// group counts as a group by itself. Within may name any level, and Together none that is finer than Bundled; for
	// Together, a group of Bundled that lies in no group counts as one by itself. 0 and "" ask for no bundles.
	Bundle  int64
	Bundled string
	// Patience is how many ticks later than the earliest start the tasks may start so that they lie in one group of
	// Together, and inside the group for Within if there is one. If they cannot by then, nothing is waited for: they start at
	// the earliest start, in as few groups as possible. It is a time, so that Terms do not have it.
	Patience bookahead.Duration
}

// Validate returns an error that wraps bookahead.ErrInvalid if the request is invalid for any machine:
// Duration or Tasks is below 1, Ready + Duration is beyond the end of the axis or after the Deadline, an
// amount is negative, a vector has only zeros, PerNode, Bundle or Patience is negative, Patience is set without Together,
// Bundle is set without Bundled or Bundled without Bundle, Tasks is no multiple of Bundle, or a node is negative or named
// twice.
// O(k log k) for k nodes.
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
	case r.Bundle < 0:
		return limits.Invalid("Request.Bundle", r.Bundle, "is negative")
	case r.Bundle > 0 && r.Bundled == "":
		return limits.Invalid("Request.Bundle", r.Bundle, "is set, and Bundled names no level")
	case r.Bundle == 0 && r.Bundled != "":
		return limits.Invalid("Request.Bundled", r.Bundled, "is set, and Bundle is 0")
	case r.Bundle > 0 && r.Tasks%r.Bundle != 0:
		return limits.Invalid("Request.Tasks", r.Tasks, fmt.Sprintf("is no multiple of Bundle, %d", r.Bundle))
	case r.Patience < 0:
		return limits.Invalid("Request.Patience", r.Patience, "is negative")
	case r.Patience > 0 && r.Together == "":
		return limits.Invalid("Request.Patience", r.Patience, "is set, and Together names no level")
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
	sorted := list
	if !slices.IsSorted(list) {
		sorted = slices.Sorted(slices.Values(list))
	}
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
	// Tasks are the numbers of tasks on nodes, by node. The slice is the caller's.
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
	// Each and HeadTakes are the amounts that a task and the head take. The slices are the caller's. A reservation
	// whose Terms are Exclusive takes its nodes as a whole.
	Each, HeadTakes Vector
	// Terms are those of the request by which the reservation was booked; nil if the request had none. They
	// must not be changed, because reservations share them.
	Terms *Terms
}

// Terms are the fields of a request that say which nodes may get its tasks, how many tasks a node or a group may get, and
// whether others may. They mean the same as in Request. Nodes and Except ascend.
type Terms struct {
	PerNode          int64
	Nodes            []int
	Set              string
	Except           []int
	Within, Together string
	Exclusive        bool
	Bundle           int64
	Bundled          string
}

// Again returns the request by which Displace places a reservation anew, unless Force.Again says otherwise: the
// same tasks on the same terms, for the same duration, no earlier than before. At now, a running reservation asks
// for the rest of its duration. The request shares its slices with the reservation. It has no Deadline, because
// a machine does not remember the times of a request. O(k) for k nodes.
func (r Reservation) Again(now bookahead.Time) Request {
	start := max(r.Start, now)
	again := Request{Ready: start, Duration: bookahead.Duration(r.End - start), Each: r.Each, Head: r.HeadTakes}
	for _, s := range r.Tasks {
		again.Tasks += s.Tasks
	}
	if r.Terms != nil {
		again.PerNode, again.Nodes, again.Set = r.Terms.PerNode, r.Terms.Nodes, r.Terms.Set
		again.Except, again.Within, again.Together = r.Terms.Except, r.Terms.Within, r.Terms.Together
		again.Exclusive, again.Bundle, again.Bundled = r.Terms.Exclusive, r.Terms.Bundle, r.Terms.Bundled
	}
	return again
}
