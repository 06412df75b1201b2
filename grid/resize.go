package grid

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

var (
	_ bookahead.Resizer = (*Binder)(nil)
	_ bookahead.Resizer = (*Broker)(nil)
	_ bookahead.Resizer = (*Desk)(nil)
)

// Resize implements bookahead.Resizer, at the provider where the reservation lies: it
// is bookahead.ErrUnavailable if that has no room, or the Partition keeps it from a
// request for what is still to come, whatever is free elsewhere. The error wraps
// bookahead.ErrInvalid if the provider is no bookahead.Resizer. It takes what the
// provider takes, and O(log n) for n reservations.
func (b *Broker) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	if err := b.limits.CheckResize(to, units); err != nil {
		return bookahead.Reservation{}, err
	}
	k, ok := b.booked[id]
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	w := b.limits.Ahead(to)
	r := bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: w.Len(), Units: units}
	if units > b.providers[k.Provider].capacity || !b.admits(k.Provider, r) {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	res, err := resize(b.providers[k.Provider].Schedule, k.ID, to, units)
	if err == nil || err == bookahead.ErrNotFound { // not if others have released it
		b.drop(id)
	}
	if err != nil {
		return bookahead.Reservation{}, err
	}
	b.enter(id, booking{k.Place, res.End})
	return bookahead.Reservation{ID: id, Offer: b.global(k.Provider, res.Offer)}, nil
}

// Resize implements bookahead.Resizer, as the schedule does. A hold expires when it
// would have, or ends with its reservation. The error wraps bookahead.ErrInvalid if the
// schedule is no bookahead.Resizer.
func (d *Desk) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	res, err := resize(d.s, id, to, units)
	h, ok := d.held[id]
	if ok && err == nil {
		d.drop(id)
		d.enter(id, hold{h.expiry, res.End})
	}
	if err == bookahead.ErrNotFound { // others may have released it
		d.drop(id)
	}
	return res, err
}

// Resize implements bookahead.Resizer, as the pool does. What runs, and goes on, stays
// on its servers: it gives the highest back if it needs fewer, and gets the lowest that
// are free besides if it needs more. What is moved to start later gives them all back.
// The error wraps bookahead.ErrInvalid if the pool is no bookahead.Resizer. It takes
// what the pool takes, and O(log n + u log u) for n reservations and u servers.
func (b *Binder) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	res, err := resize(b.pool, id, to, units)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	keep := b.booked[id].Servers
	b.drop(id)
	b.enter(res, keep)
	return res, nil
}

// resize is Resize of a member.
func resize(s bookahead.Schedule, id bookahead.ID, to bookahead.Interval, units int64) (res bookahead.Reservation, err error) {
	switch s := s.(type) {
	case *bookahead.LockedSchedule:
		s.Update(func(s bookahead.Schedule) { res, err = resize(s, id, to, units) })
		return res, err
	case bookahead.Resizer:
		return s.Resize(id, to, units)
	}
	return bookahead.Reservation{}, limits.Invalid("schedule", fmt.Sprintf("%T", s), "cannot resize")
}
