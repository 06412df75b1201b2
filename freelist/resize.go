package freelist

import "github.com/bookahead/bookahead"

var (
	_ bookahead.Resizer = (*TimeExclusive)(nil)
	_ bookahead.Resizer = (*CapacityHierarchical)(nil)
	_ bookahead.Resizer = (*Mixed)(nil)
	_ bookahead.Resizer = (*Used)(nil)
)

// Resize implements bookahead.Resizer. O(b).
func (l *TimeExclusive) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	change := func(w bookahead.Interval, delta int64) { l.free.add(nil, w, delta) }
	return l.pool.Resize(id, to, units, l.least, change)
}

// Resize implements bookahead.Resizer. O(b).
func (l *CapacityHierarchical) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return l.pool.Resize(id, to, units, l.root.least, l.root.add)
}

// Resize implements bookahead.Resizer. O(b + m log m).
func (l *Mixed) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return l.pool.Resize(id, to, units, l.least, l.add)
}

// Resize implements bookahead.Resizer. O(m log b) with the tree, O(b)
// without.
func (l *Used) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	take := func(w bookahead.Interval, delta int64) { l.used.add(nil, w, -delta) }
	return l.pool.Resize(id, to, units, l.least, take)
}
