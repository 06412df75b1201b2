package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
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

	asked   *Request       // the first request, for which the key stands; nil if that is Request, or there is no key
	ids     []bookahead.ID // the reservation of each part on its schedule; 0 where there is none
	on      []int32        // the index of the schedule of each part
	pastOn  []int32        // the index of the schedule of each past piece
	nextDue bookahead.Time // when something next happens to the booking by itself; 0 if that is its start
}

// String formats the booking as "#7 booked [2, 5)".
func (b Booking) String() string { return fmt.Sprintf("#%d %v %v", b.ID, b.State, b.Interval) }

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

// Piece is a place that a booking used until it moved, or until a running part gained or gave up units. Here a
// booking of 1 unit gains 2 units at tick 4, and has to give way at tick 8:
//
//	unit 2       ▒▒▒▒        ████
//	unit 1       ▒▒▒▒        ████
//	unit 0   ▒▒▒▒▒▒▒▒        ████
//	         0   4   8       16  20
//
//	Past     [0, 4) 1 unit, [4, 8) 3 units        Places   [16, 20) 3 units        Interval   [0, 20)
type Piece struct {
	// Place has the servers or nodes of that time. Its Interval is over, and never empty.
	Place
	// Each and HeadTakes say how much a task and the head task took of each resource. Both are nil on pools
	// and servers, and HeadTakes is nil if there was no head task.
	Each, HeadTakes nodes.Vector
	// Part is the index of the part that began with this piece; -1 if the booking has moved since, as its parts
	// are then the parts of the rest.
	Part int
}

// spanOf returns the time from the start of the first place to the end of the last.
func spanOf(places []Place) bookahead.Interval {
	all := bookahead.Interval{}
	for i, p := range places {
		if i == 0 {
			all = p.Interval
		}
		all.Start, all.End = min(all.Start, p.Start), max(all.End, p.End)
	}
	return all
}

// reserved returns the time for which the units of a place are reserved, which includes the buffers.
func (p *Place) reserved() bookahead.Interval { return (*site.Place)(p).Reserved() }

// clean reports whether a place and its buffer are over.
func (p *Place) clean(now bookahead.Time) bool { return p.reserved().End <= now }

func (p *Place) equal(o *Place) bool {
	return p.On == o.On && p.Interval == o.Interval && p.Units == o.Units && p.Head == o.Head &&
		p.Before == o.Before && p.After == o.After &&
		slices.Equal(p.Servers, o.Servers) && slices.Equal(p.Nodes, o.Nodes)
}

// holds reports whether a place has one of the servers or nodes; nil stands for all.
func (p *Place) holds(list []int) bool { return (*site.Place)(p).Holds(list) }

const (
	// MaxPast is how many past pieces a booking may have. A running booking that has no room for another piece
	// cannot be changed any more, and is displaced when it has to give way.
	MaxPast = 1<<entryBits - MaxParts
	// entryBits is the number of bits for the index of an entry: parts have 0 to MaxParts-1, and past pieces the rest. At
	// a million bookings a second the last ID comes after nine years.
	entryBits = 16
)
