package grid

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// written returns the snapshot of a member. The error wraps bookahead.ErrInvalid if
// it has none.
func written(name string, s bookahead.Schedule) (data []byte, err error) {
	switch s := s.(type) {
	case *bookahead.LockedSchedule:
		s.View(func(s bookahead.Schedule) { data, err = written(name, s) })
		return data, err
	case bookahead.Snapshotter:
		return s.MarshalBinary()
	}
	return nil, limits.Invalid(name, fmt.Sprintf("%T", s), "cannot be written")
}

// readLike reads the snapshot of a member into another of the same kind as the
// model, and with what the model has that cannot be written, such as a Policy. The
// model stays as it is; but a Clone of it counts as a write.
func readLike(name string, model bookahead.Schedule, data []byte) (read bookahead.Schedule, err error) {
	var other bookahead.Schedule
	switch m := model.(type) {
	case *bookahead.LockedSchedule:
		m.Update(func(s bookahead.Schedule) { read, err = readLike(name, s, data) })
		if err != nil {
			return nil, err
		}
		return bookahead.Locked(read), nil
	case *Broker: // what it reads replaces all that it has, and changes none of it
		c := *m
		other = &c
	case *Binder:
		c := *m
		other = &c
	case *Desk:
		m.mu.Lock() // its schedule is cloned
		defer m.mu.Unlock()
		other = newDeskOf(m.s, m.now)
	case bookahead.Cloner:
		other = m.Clone()
	default:
		return nil, limits.Invalid(name, fmt.Sprintf("%T", model), "is no model for the one to be read")
	}
	s, ok := other.(bookahead.Snapshotter)
	if !ok {
		return nil, limits.Invalid(name, fmt.Sprintf("%T", model), "cannot be read")
	}
	if err := s.UnmarshalBinary(data); err != nil {
		return nil, fmt.Errorf("grid: %s: %w", name, err)
	}
	return s, nil
}

// reservationsOf returns what is booked with a member, in the order of IDs, and
// whether it tells all of it.
func reservationsOf(s bookahead.Schedule) (list []bookahead.Reservation, ok bool) {
	switch s := s.(type) {
	case *bookahead.LockedSchedule:
		s.View(func(s bookahead.Schedule) { list, ok = reservationsOf(s) })
		return list, ok
	case *Broker:
		return s.reservations()
	case *Desk:
		s.mu.RLock()
		defer s.mu.RUnlock()
		return reservationsOf(s.s)
	case bookahead.Lister:
		return slices.Collect(s.Reservations()), true
	}
	return nil, false
}

// endsOf returns when each reservation of a member ends, or nil if the member does not
// tell.
func endsOf(s bookahead.Schedule) map[bookahead.ID]bookahead.Time {
	list, ok := reservationsOf(s)
	if !ok {
		return nil
	}
	ends := make(map[bookahead.ID]bookahead.Time, len(list))
	for _, res := range list {
		ends[res.ID] = res.End
	}
	return ends
}

// nowOf returns where the clock of a member stands, and whether it tells.
func nowOf(s bookahead.Schedule) (now bookahead.Time, ok bool) {
	switch s := s.(type) {
	case *bookahead.LockedSchedule:
		s.View(func(s bookahead.Schedule) { now, ok = nowOf(s) })
		return now, ok
	case bookahead.Framer:
		return s.Frame().Start, true
	}
	return 0, false
}

// reservationOf returns what is booked with a member under an ID. The error is
// bookahead.ErrNotFound too if it does not tell.
func reservationOf(s bookahead.Schedule, id bookahead.ID) (res bookahead.Reservation, err error) {
	switch s := s.(type) {
	case *bookahead.LockedSchedule:
		s.View(func(s bookahead.Schedule) { res, err = reservationOf(s, id) })
		return res, err
	case bookahead.Lister:
		return s.Reservation(id)
	}
	return bookahead.Reservation{}, bookahead.ErrNotFound
}
