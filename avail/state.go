package avail

import (
	"iter"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Framer = (*Schedule)(nil)
	_ bookahead.Lister = (*Schedule)(nil)
)

// Frame implements bookahead.Framer. O(1).
func (s *Schedule) Frame() bookahead.Block { return s.servers.Frame() }

// Reservations implements bookahead.Lister. O(n) for each, of n servers.
func (s *Schedule) Reservations() iter.Seq[bookahead.Reservation] { return s.servers.Reservations() }

// Reservation implements bookahead.Lister. O(n) for n servers.
func (s *Schedule) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return s.servers.Reservation(id)
}
