package sim

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// site is where gangs are booked: on nodes, or on pools. An error leaves it unchanged.
type site interface {
	// schedules are those of the queue, which moves their clocks.
	schedules() []plan.Schedule
	// shape is what a gang asks these for.
	shape(g *Gang) plan.Shape
	// advance moves the other clocks.
	advance(now bookahead.Time) error
	Close(c bookahead.Closure) (bookahead.Closure, error)
	EndClosure(id bookahead.ClosureID, at bookahead.Time) error

	// book books a firm reservation at the earliest place.
	book(r nodes.Request) (booking, error)
	// begin returns the booking of a gang that starts now with its nodes. The error is
	// bookahead.ErrUnavailable if there are none for r.
	begin(b booking, r nodes.Request) (booking, error)
	// leave gives back what begin has booked.
	leave(b booking) error
	// displaces reports whether an outage, which is closed, takes the place of a booking that
	// has not begun.
	displaces(o *Outage, b booking) bool
	// room returns the earliest time at which the nodes have room, beside those who have nodes.
	room(r nodes.Request) (bookahead.Time, error)
}

// booking is the place of a gang.
type booking struct {
	nodes.Reservation        // its nodes; on pools only its time, until it begins
	firm              []firm // of a gang that is booked ahead
}

// firm is a reservation on a schedule of the queue.
type firm struct {
	on string
	id bookahead.ID
}

// onNodes books gangs on their nodes from the first.
type onNodes struct{ *nodes.Machine }

func (m onNodes) schedules() []plan.Schedule { return []plan.Schedule{{Nodes: m.Machine}} }

func (onNodes) shape(g *Gang) plan.Shape {
	on := g.request(0, 0)
	on.Ready, on.Duration, on.Tasks = 0, 0, 0
	return plan.Shape{{Units: g.On.Tasks, Duration: g.Estimate, Tasks: &on}}
}

func (onNodes) advance(bookahead.Time) error { return nil }

func (m onNodes) book(r nodes.Request) (booking, error) {
	res, err := m.Reserve(r)
	return booking{res, []firm{{id: res.ID}}}, err
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

func (onNodes) leave(booking) error { return nil }

func (m onNodes) displaces(o *Outage, b booking) bool {
	return o.Overlaps(b.Interval) && holds(b.Offer, o.Nodes)
}

func (m onNodes) room(r nodes.Request) (bookahead.Time, error) {
	o, err := m.Search(r)
	return o.Start, err
}

// holds reports whether a place is on one of some nodes.
func holds(o nodes.Offer, list []int) bool {
	on := func(s nodes.Share) bool { return slices.Contains(list, s.Node) }
	return slices.Contains(list, o.Head) || slices.ContainsFunc(o.Tasks, on)
}
