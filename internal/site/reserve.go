package site

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Reserve books a place and its buffers to the letter, from now on. On nodes tasks says what a task takes. An error changes
// nothing, and means that the place does not suit this state.
func (s *Site) Reserve(p Place, tasks *nodes.Request, now bookahead.Time) (bookahead.ID, error) {
	if s.machine != nil {
		res, err := s.machine.ReserveOffer(p.offer(now), *tasks)
		return res.ID, err
	}
	res, err := s.keeper.Reserve(p.fixed(now))
	return res.ID, err
}

// Rebook gives a reservation another place, as Reserve would book it. A running reservation keeps its start.
func (s *Site) Rebook(id bookahead.ID, p Place, tasks *nodes.Request, now bookahead.Time) error {
	if s.machine != nil {
		_, err := s.machine.RebookOffer(id, p.offer(now), *tasks)
		return err
	}
	res, err := s.keeper.Reservation(id)
	if err != nil {
		return err
	}
	from := now
	if res.Start <= now && p.Reserved().Start <= now {
		p.Start, p.Before, from = res.Start, 0, res.Start
	}
	_, err = s.keeper.Rebook(id, p.fixed(from))
	return err
}

// fixed returns the request for a place on a pool or servers.
func (p *Place) fixed(now bookahead.Time) bookahead.Request {
	in := p.from(now)
	r := bookahead.At(in.Start, bookahead.Duration(in.End-in.Start), p.Units)
	r.Servers = p.Servers
	return r
}

// offer returns the place as a machine has it.
func (p *Place) offer(now bookahead.Time) nodes.Offer {
	return nodes.Offer{Interval: p.from(now), Tasks: p.Nodes, Head: p.Head}
}

// Place returns a reservation as a place without buffers.
func (s *Site) Place(id bookahead.ID) (Place, error) {
	if s.machine != nil {
		r, err := s.machine.Reservation(id)
		p := tasksOf(nodes.Offer{Interval: r.Interval, Tasks: r.Tasks, Head: r.Head}, 0)
		for _, n := range r.Tasks {
			p.Units += n.Tasks
		}
		return p, err
	}
	r, err := s.keeper.Reservation(id)
	return Place{Interval: r.Interval, Units: r.Units, Servers: r.Servers, Head: -1}, err
}

// Takes reports whether the tasks of a reservation take as much of their nodes as others do: the same amounts, or the whole node, and
// in the same bundles.
func (s *Site) Takes(id bookahead.ID, tasks *nodes.Request) bool {
	if s.machine == nil {
		return true
	}
	r, err := s.machine.Reservation(id)
	terms := nodes.Terms{}
	if r.Terms != nil {
		terms = *r.Terms
	}
	return err == nil && slices.Equal(r.Each, tasks.Each) && slices.Equal(r.HeadTakes, tasks.Head) && terms.Exclusive == tasks.Exclusive &&
		terms.Bundle == tasks.Bundle && terms.Bundled == tasks.Bundled
}

// Len counts the reservations. O(n) for n reservations.
func (s *Site) Len() (n int) {
	always := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	switch {
	case s.machine != nil:
		for range s.machine.Reservations(always) {
			n++
		}
	case s.keeper != nil:
		for range s.keeper.Reservations(always) {
			n++
		}
	}
	return n
}
