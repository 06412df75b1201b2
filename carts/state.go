package carts

import (
	"iter"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Framer = (*SR)(nil)
	_ bookahead.Lister = (*SR)(nil)
)

// Frame implements bookahead.Framer. O(1).
func (s *SR) Frame() bookahead.Block { return s.servers.Frame() }

// Reservations implements bookahead.Lister. O(n) for each, of n servers.
func (s *SR) Reservations() iter.Seq[bookahead.Reservation] { return s.servers.Reservations() }

// Reservation implements bookahead.Lister. O(n) for n servers.
func (s *SR) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return s.servers.Reservation(id)
}
