package sim

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// site is where a scheduler books gangs: on nodes, or on pools. An error leaves it unchanged.
type site interface {
	Advance(now bookahead.Time) error
	Close(c bookahead.Closure) (bookahead.Closure, error)
	EndClosure(id bookahead.ClosureID, at bookahead.Time) error

	// book books a gang at the earliest place.
	book(r nodes.Request) (booking, error)
	// begin returns a booking that starts now with its nodes. The error is
	// bookahead.ErrUnavailable if there are none for r, by which it was booked.
	begin(b booking, r nodes.Request) (booking, error)
	// release gives a booking back, or the rest of it.
	release(b booking) error
	// displaces reports whether an outage, which is closed, takes the place of a booking that
	// has not begun.
	displaces(o *Outage, b booking) bool
	// room returns the earliest time at which the nodes have room, beside those who have nodes.
	room(r nodes.Request) (bookahead.Time, error)
	// clone returns a copy. A booking of one is a booking of the other.
	clone() site
}

// booking is the place of a gang.
type booking struct {
	nodes.Reservation                // its nodes; on pools only its time, until it begins
	pools             []bookahead.ID // by resource, 0 where it takes nothing; nil on nodes
}

// onNodes books gangs on their nodes from the first.
type onNodes struct{ *nodes.Machine }

func (m onNodes) book(r nodes.Request) (booking, error) {
	res, err := m.Reserve(r)
	return booking{Reservation: res}, err
}

// begin looks for a closed node among those of the booking.
func (m onNodes) begin(b booking, _ nodes.Request) (booking, error) {
	for c := range m.Closures() {
		if !c.Added && c.Contains(b.Start) && holds(b.Offer, c.Servers) {
			return booking{}, bookahead.ErrUnavailable
		}
	}
	return b, nil
}

func (m onNodes) release(b booking) error { return m.Release(b.ID) }

func (m onNodes) displaces(o *Outage, b booking) bool {
	return o.Overlaps(b.Interval) && holds(b.Offer, o.Nodes)
}

func (m onNodes) room(r nodes.Request) (bookahead.Time, error) {
	o, err := m.Search(r)
	return o.Start, err
}

func (m onNodes) clone() site { return onNodes{m.Clone()} }

// holds reports whether a place is on one of some nodes.
func holds(o nodes.Offer, list []int) bool {
	on := func(s nodes.Share) bool { return slices.Contains(list, s.Node) }
	return slices.Contains(list, o.Head) || slices.ContainsFunc(o.Tasks, on)
}
