package carts

import (
	"iter"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Framer = (*Flat)(nil)
	_ bookahead.Lister = (*Flat)(nil)
	_ bookahead.Framer = (*BTree)(nil)
	_ bookahead.Lister = (*BTree)(nil)
	_ bookahead.Framer = (*Indexed)(nil)
	_ bookahead.Lister = (*Indexed)(nil)
	_ bookahead.Framer = (*SR)(nil)
	_ bookahead.Lister = (*SR)(nil)
)

// Frame implements bookahead.Framer. O(1).
func (f *Flat) Frame() bookahead.Block { return f.pool.Frame() }

// Frame implements bookahead.Framer. O(1).
func (b *BTree) Frame() bookahead.Block { return b.pool.Frame() }

// Frame implements bookahead.Framer. O(1).
func (x *Indexed) Frame() bookahead.Block { return x.pool.Frame() }

// Frame implements bookahead.Framer. O(1).
func (s *SR) Frame() bookahead.Block { return s.servers.Frame() }

// Reservations implements bookahead.Lister. O(1) for each.
func (f *Flat) Reservations() iter.Seq[bookahead.Reservation] { return f.pool.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (f *Flat) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return f.pool.Reservation(id)
}

// Reservations implements bookahead.Lister. O(1) for each.
func (b *BTree) Reservations() iter.Seq[bookahead.Reservation] { return b.pool.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (b *BTree) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return b.pool.Reservation(id)
}

// Reservations implements bookahead.Lister. O(1) for each.
func (x *Indexed) Reservations() iter.Seq[bookahead.Reservation] { return x.pool.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (x *Indexed) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return x.pool.Reservation(id)
}

// Reservations implements bookahead.Lister. O(n) for each, of n servers.
func (s *SR) Reservations() iter.Seq[bookahead.Reservation] { return s.servers.Reservations() }

// Reservation implements bookahead.Lister. O(n) for n servers.
func (s *SR) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return s.servers.Reservation(id)
}
