package desk

import "github.com/bookahead/bookahead"

// demand is a request that others give way to.
type demand struct {
	request  *Request
	rule     Force
	priority int64
	own      *Booking // that is placed anew; nil if a new one is booked
}

func (c *Book) demand() demand {
	return demand{request: &c.Request, rule: c.Force, priority: c.Priority}
}

// force makes room for a demand on the stage, and returns its place, and where those that give way go.
func (s *stage) force(d demand) (spot, []Moved, error) {
	return spot{}, nil, bookahead.ErrUnavailable
}

// giveWay releases the places of bookings that give way.
func (b *books) giveWay(moved []Moved) error { return nil }

// settleIn books the bookings that have given way in their new places.
func (b *books) settleIn(moved []Moved) error { return nil }
