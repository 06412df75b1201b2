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
	// Ended is a booking that is over: as it was booked, or because of End.
	Ended
	// Cancelled is a booking that its owner has given up.
	Cancelled
	// Expired is a hold that was not committed, or a booking that waited in vain.
	Expired
	// Displaced is a booking that lost its place and found no other.
	Displaced
	// Waiting is a booking that found no place, and takes the first that there is. It has no Places.
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
	// Priority says who gives way to whom by Force; the more important have more.
	Priority int64

	// Ready is the first tick at which the booking may start. It does not start before the clock.
	Ready bookahead.Time
	// Deadline is the tick by which it has ended; 0 for none.
	Deadline bookahead.Time
	// Shapes are the forms that it may have, 1 to MaxShapes, of MaxParts parts in all. The one that ends
	// first is booked, and of several the first.
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
	// Units is how many units, servers or tasks are booked; at least 1.
	Units int64
	// Duration is for how long, in ticks; at least 1.
	Duration bookahead.Duration
	// Offset is how long after its step the part starts; at least 0.
	Offset bookahead.Duration
	// After makes the part the first of a new step; nil leaves it in the step of the part before
	// it. The first part has none.
	After *Gap
	// Servers limits the choice to those named, as in bookahead.Request. On nodes there are none.
	Servers []int
	// Tasks says how much a task takes, and on which nodes it may run; nil unless the schedule is
	// of nodes. Its Ready, Deadline, Duration and Tasks are 0, as the part has them.
	Tasks *nodes.Request
}

// Gap is the time between the end of a step, which is that of its last part, and the start of the
// next: Least ticks or more, and Most or fewer.
type Gap struct{ Least, Most bookahead.Duration }

// Bounds of what a command may ask for. MaxParts is that of all shapes of a request together, since each part
// is searched for: the bound keeps others from waiting long for one command.
const (
	MaxText   = 1 << 10
	MaxLabels = 64
	MaxShapes = 64
	MaxParts  = 64
	// MaxLeaps is how many searches a shape may take. In a backlog of gaps that fit one
	// step and not the next, each of them would go from gap to gap; a request that takes more is invalid.
	// Those for a rigid place (Quota) count along, and so does each leap to another start that a quota asks for.
	MaxLeaps = 1 << 16
	// MaxPast is how many past pieces a booking may have. Such a booking cannot be changed any more
	// while it runs, and is displaced when it has to give way.
	MaxPast = 1<<entryBits - MaxParts
)

// Booking is a booking as the desk knows it. Its slices belong to the desk, and must not be changed.
type Booking struct {
	ID BookingID
	// Key is the caller's; "" if there is none.
	Key string
	// Request is the request as it was last changed.
	Request
	State State
	// Series is the series of which the booking is an occurrence; 0 if it is none.
	Series SeriesID
	// Expiry is when a hold expires, or a booking waits no longer; 0 for other states.
	Expiry bookahead.Time
	// Interval is from the start of the first part, also in the past, to the end of the last. Of a booking that was given up
	// before it began, it is empty, at the tick when that happened; of one that waits it is empty, at its Ready, and
	// not before 0.
	bookahead.Interval
	// Shape is the index of the shape that is booked.
	Shape int
	// Places are where the parts lie, in the order of the shape's parts. They stay when the booking
	// is over: cut to the time until then, and empty where that was before the start of a part.
	Places []Place
	// Past is the places that the booking has used and has no more, for the time when it had them: before it
	// moved while it ran, and before a running part gained or gave up units. Places and Past never
	// overlap: a part that has other units since tick 4 begins at 4.
	Past []Piece

	asked  *Request       // by which the key was asked for; nil if that is Request, or there is no key
	ids    []bookahead.ID // of the reservations of the parts on their schedules; 0 where there is none
	on     []int32        // the index of the schedule of each part
	pastOn []int32        // and of each past piece
	change bookahead.Time // when something happens next by itself; 0 if that is its start
}

// Place is where a part lies.
type Place struct {
	// On names the schedule; of a broker it is one of those that it stands for.
	On string
	bookahead.Interval
	Units int64
	// Servers are its servers, ascending; nil on a pool or nodes.
	Servers []int
	// Nodes says which node has how many tasks, by node; nil elsewhere.
	Nodes []nodes.Share
	// Head is the node of the head task; -1 if there is none.
	Head int
	// Before and After are the buffers: for so many ticks around the Interval nobody else has its units.
	Before, After bookahead.Duration
}

// String formats the booking as "#7 booked [2, 5)".
func (b Booking) String() string { return fmt.Sprintf("#%d %v %v", b.ID, b.State, b.Interval) }

// String formats the place as `2 of "lab" [2, 5) on [0 3]`, and without the servers on a pool. On nodes it is
// `3 of "farm" [2, 5) on 1 × node 0, 2 × node 4, head node 4`.
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
