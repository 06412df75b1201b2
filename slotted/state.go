package slotted

import (
	"iter"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Framer = (*Scan)(nil)
	_ bookahead.Lister = (*Scan)(nil)
	_ bookahead.Framer = (*Indexed)(nil)
	_ bookahead.Lister = (*Indexed)(nil)
)

// Frame implements bookahead.Framer. O(1).
func (s *Scan) Frame() bookahead.Block { return s.pool.Frame() }

// Frame implements bookahead.Framer. O(1).
func (x *Indexed) Frame() bookahead.Block { return x.pool.Frame() }

// Reservations implements bookahead.Lister. O(1) for each.
func (s *Scan) Reservations() iter.Seq[bookahead.Reservation] { return s.pool.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (s *Scan) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return s.pool.Reservation(id)
}

// Reservations implements bookahead.Lister. O(1) for each.
func (x *Indexed) Reservations() iter.Seq[bookahead.Reservation] { return x.pool.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (x *Indexed) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return x.pool.Reservation(id)
}
