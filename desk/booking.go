package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// BookingID is the number of a booking. IDs count up from 1, and are the same on every machine for the
// same commands.
type BookingID uint64

// State is the place of a booking in its life:
//
//	Book ──► Held ──Commit──► Booked ──► Running ──► Ended
//	           │                 │          │ End ────► Ended
//	           ├─ expiry ► Expired          │
//	           └─ Cancel ────────┴──────────┴─ Cancel ► Cancelled
//	           └─ an outage, or force, and no other place ► Displaced
//
//	Book, no place ──► Waiting ── a command makes room ──► Booked or Running
//	                      ├─ expiry, or too late for the deadline ► Expired
//	                      └─ Cancel ► Cancelled
//
// A hold stays Held when its time begins, and expires at its end if it is not committed before.
type State uint8

const (
	// Held is a booking that expires unless it is committed.
	Held State = 1 + iota
	// Booked is a booking whose time has not begun.
	Booked
	// Running is a booking whose time has begun, and is not over.
	Running
	// Ended is a booking whose time is over, or which End has ended.
	Ended
	// Cancelled is a booking that its owner has given up.
	Cancelled
	// Expired is a hold that was not committed, or a booking that waited in vain.
	Expired
	// Displaced is a booking that lost its place and found no other.
	Displaced
	// Waiting is a booking that found no place, and takes the first place that comes free. It has no Places.
	Waiting
)

var stateNames = [...]string{"", "held", "booked", "running", "ended", "cancelled", "expired", "displaced", "waiting"}

// String returns "held", "booked", "running", "ended", "cancelled", "expired", "displaced" or "waiting".
func (s State) String() string {
	if s == 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("state %d", uint8(s))
	}
	return stateNames[s]
}

// Live reports whether the booking holds a place.
func (s State) Live() bool { return s == Held || s == Booked || s == Running }

// Request is a wish for units of schedules, with the name of its owner.
type Request struct {
	// Owner and Title may have any bytes, at most MaxText of them.
	Owner, Title string
	// Labels are texts such as "team=blue": at most MaxLabels of at most MaxText bytes, each once.
	// Their order does not matter.
	Labels []string
	// Priority orders bookings for Force: a booking of lower priority gives way first.
	Priority int64

	// Ready is the first tick at which the booking may start. No booking starts before the clock.
	Ready bookahead.Time
	// Deadline is the tick by which the booking ends; 0 for none.
	Deadline bookahead.Time
	// Shapes are the forms that the booking may have: 1 to MaxShapes, with at most MaxParts parts in all. The
	// shape that ends first is booked, and of several the first. A shape that is too long for the time from Ready to
	// Deadline is passed over; the request is invalid if all are.
	Shapes []Shape
}

// Shape is the parts of a booking, 1 to MaxParts: all are booked, or none is.
//
//	part 0   ██████                     a part with After begins a new step; the
//	part 1   ░░██████                   others lie Offset behind the start of their step
//	part 2              ████            After{2, 9}: 2 to 9 ticks after the end of part 1
type Shape []Part

// Part is units of one schedule for a time.
type Part struct {
	// On names the schedule.
	On string
	// Units is the number of units, servers or tasks; at least 1.
	Units int64
	// Duration is the length in ticks; at least 1.
	Duration bookahead.Duration
	// Offset is how many ticks the part starts after the start of its step; at least 0.
	Offset bookahead.Duration
	// After makes the part the first of a new step; nil leaves the part in the step of the part before. The
	// first part of a shape has no After.
	After *Gap
	// Servers limits the choice to the servers named, as in bookahead.Request; nil on nodes and on a broker.
	Servers []int
	// Tasks describes one task: the resources that the task takes, and the nodes on which it may run. Only parts
	// on nodes have Tasks, others nil. Its Ready, Deadline, Duration and Tasks are 0, since request and part
	// have them.
	Tasks *nodes.Request
}

// Gap bounds the time between the end of a step, which is the end of its last part, and the start of the next
// step: Least ticks or more, and Most or fewer.
type Gap struct{ Least, Most bookahead.Duration }

// Bounds of a command. MaxParts bounds all shapes of a request together: each part is searched for, and other
// commands wait meanwhile.
const (
	MaxText   = 1 << 10
	MaxLabels = 64
	MaxShapes = 64
	MaxParts  = 64
	// MaxPast is how many past pieces a booking may have. A running booking that has no room for another piece
	// cannot be changed any more, and is displaced when it has to give way.
	MaxPast = 1<<entryBits - MaxParts
)

// Booking is a booking as the desk knows it. Its slices belong to the desk, and must not be changed.
type Booking struct {
	ID BookingID
	// Key is the caller's key; "" if there is none.
	Key string
	// Request is the request as it was last changed.
	Request
	State State
	// Series is the series to which the booking belongs; 0 for none.
	Series SeriesID
	// Expiry is the tick at which a hold expires, or up to which a booking waits; 0 in other states.
	Expiry bookahead.Time
	// Interval goes from the start of the first part, past pieces included, to the end of the last part. The
	// Interval of a booking that was given up before it began is empty, and lies at the tick when that happened.
	// The Interval of a waiting booking is empty, and lies at its Ready, or at 0 if Ready is negative.
	bookahead.Interval
	// Shape is the index of the shape that is booked.
	Shape int
	// Places are the places of the parts, in the order of the shape's parts. They stay when the booking is over,
	// cut to the time until then. The place of a part that had not begun by then is empty.
	Places []Place
	// Past are the places that the booking used and no longer has, each for the time of its use: before the
	// booking moved while it ran, or before a running part gained or gave up units. Places and Past never
	// overlap: if a part has had other units since tick 4, its place begins at 4.
	Past []Piece

	asked  *Request       // the first request, for which the key stands; nil if that is Request, or there is no key
	ids    []bookahead.ID // the reservation of each part on its schedule; 0 where there is none
	on     []int32        // the index of the schedule of each part
	pastOn []int32        // the index of the schedule of each past piece
	change bookahead.Time // when something next happens to the booking by itself; 0 if that is its start
}

// Place is where a part lies: its schedule, its time and its units.
type Place struct {
	// On names the schedule. For a part on a broker it is the schedule that was chosen.
	On string
	bookahead.Interval
	Units int64
	// Servers are the servers of the part, ascending; nil on a pool or nodes.
	Servers []int
	// Nodes has the number of tasks on each node, by node; nil elsewhere.
	Nodes []nodes.Share
	// Head is the node of the head task; -1 if there is none.
	Head int
	// Before and After are the buffers: for so many ticks around the Interval nobody else has the units.
	Before, After bookahead.Duration
}

// String formats the booking as "#7 booked [2, 5)".
func (b Booking) String() string { return fmt.Sprintf("#%d %v %v", b.ID, b.State, b.Interval) }

// String formats the place as `2 of "lab" [2, 5) on [0 3]`. A place on a pool has no servers, and a place on nodes
// is `3 of "farm" [2, 5) on 1 × node 0, 2 × node 4, head node 4`.
func (p Place) String() string {
	s := fmt.Sprintf("%d of %q %v", p.Units, p.On, p.Interval)
	switch {
	case p.Servers != nil:
		s += fmt.Sprintf(" on %v", p.Servers)
	case len(p.Nodes) > 0:
		s += " on "
		for i, n := range p.Nodes {
			if i > 0 {
				s += ", "
			}
			s += fmt.Sprintf("%d × node %d", n.Tasks, n.Node)
		}
		if p.Head >= 0 {
			s += fmt.Sprintf(", head node %d", p.Head)
		}
	}
	return s
}
