package freelist

import (
	"iter"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Framer = (*TimeExclusive)(nil)
	_ bookahead.Lister = (*TimeExclusive)(nil)
	_ bookahead.Framer = (*CapacityHierarchical)(nil)
	_ bookahead.Lister = (*CapacityHierarchical)(nil)
	_ bookahead.Framer = (*Mixed)(nil)
	_ bookahead.Lister = (*Mixed)(nil)
	_ bookahead.Framer = (*Used)(nil)
	_ bookahead.Lister = (*Used)(nil)
)

// Frame implements bookahead.Framer. O(1).
func (l *TimeExclusive) Frame() bookahead.Block { return l.pool.Frame() }

// Frame implements bookahead.Framer. O(1).
func (l *CapacityHierarchical) Frame() bookahead.Block { return l.pool.Frame() }

// Frame implements bookahead.Framer. O(1).
func (l *Mixed) Frame() bookahead.Block { return l.pool.Frame() }

// Frame implements bookahead.Framer. O(1).
func (l *Used) Frame() bookahead.Block { return l.pool.Frame() }

// Reservations implements bookahead.Lister. O(1) for each.
func (l *TimeExclusive) Reservations() iter.Seq[bookahead.Reservation] { return l.pool.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (l *TimeExclusive) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return l.pool.Reservation(id)
}

// Reservations implements bookahead.Lister. O(1) for each.
func (l *CapacityHierarchical) Reservations() iter.Seq[bookahead.Reservation] {
	return l.pool.Reservations()
}

// Reservation implements bookahead.Lister. O(1).
func (l *CapacityHierarchical) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return l.pool.Reservation(id)
}

// Reservations implements bookahead.Lister. O(1) for each.
func (l *Mixed) Reservations() iter.Seq[bookahead.Reservation] { return l.pool.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (l *Mixed) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return l.pool.Reservation(id)
}

// Reservations implements bookahead.Lister. O(1) for each.
func (l *Used) Reservations() iter.Seq[bookahead.Reservation] { return l.pool.Reservations() }

// Reservation implements bookahead.Lister. O(1).
func (l *Used) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return l.pool.Reservation(id)
}
