package idletree

import (
	"iter"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Framer = (*Tree)(nil)
	_ bookahead.Lister = (*Tree)(nil)
	_ bookahead.Framer = (*Lists)(nil)
	_ bookahead.Lister = (*Lists)(nil)
	_ bookahead.Framer = (*Slotted)(nil)
	_ bookahead.Lister = (*Slotted)(nil)
)

// Frame implements bookahead.Framer. O(1).
func (x *Tree) Frame() bookahead.Block { return x.fleet.Frame() }

// Frame implements bookahead.Framer. O(1).
func (l *Lists) Frame() bookahead.Block { return l.fleet.Frame() }

// Frame implements bookahead.Framer. O(1).
func (s *Slotted) Frame() bookahead.Block { return s.fleet.Frame() }

// Reservations implements bookahead.Lister. O(n) for each, of n servers.
func (x *Tree) Reservations() iter.Seq[bookahead.Reservation] { return x.fleet.Reservations() }

// Reservation implements bookahead.Lister. O(n) for n servers.
func (x *Tree) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return x.fleet.Reservation(id)
}

// Reservations implements bookahead.Lister. O(n) for each, of n servers.
func (l *Lists) Reservations() iter.Seq[bookahead.Reservation] { return l.fleet.Reservations() }

// Reservation implements bookahead.Lister. O(n) for n servers.
func (l *Lists) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return l.fleet.Reservation(id)
}

// Reservations implements bookahead.Lister. O(n) for each, of n servers.
func (s *Slotted) Reservations() iter.Seq[bookahead.Reservation] { return s.fleet.Reservations() }

// Reservation implements bookahead.Lister. O(n) for n servers.
func (s *Slotted) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return s.fleet.Reservation(id)
}
