package scheduletest

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Track implements bookahead.Tracker. The oracle has no index, and only notes whether it is on.
func (a *axis) Track(on bool) { a.tracks = on }

// Live implements bookahead.Tracker.
func (a *axis) Live() (int, bool) { return len(a.live()), a.tracks }

// ReservationsOn implements bookahead.Tracker.
func (a *axis) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		for res := range a.Reservations(w) {
			if (servers == nil || common(res.Servers, servers)) && !yield(res) {
				return
			}
		}
	}
}

// common reports whether two lists share a server.
func common(a, b []int) bool {
	return slices.ContainsFunc(a, func(k int) bool { return slices.Contains(b, k) })
}

// Overbooks reports whether a reservation lies on an overbooked stretch.
func (p *poolOracle) Overbooks(id bookahead.ID) bool { return liesOver(p, id) }

// Overbooks reports whether a reservation lies on an overbooked stretch, as for poolOracle.
func (s *serverOracle) Overbooks(id bookahead.ID) bool { return liesOver(s, id) }

func liesOver(o oracle, id bookahead.ID) bool {
	res, err := o.Reservation(id)
	if err != nil {
		return false
	}
	for x := range o.Overbooked(res.Interval) {
		if res.Servers == nil || common(res.Servers, x.Servers) {
			return true
		}
	}
	return false
}

// Lift takes a reservation out, as bookahead.Displacer says.
func (p *poolOracle) Lift(id bookahead.ID) (back func() error, err error) { return lift(p, id) }

// ReserveAs reserves under an ID that was lifted, as bookahead.Displacer says.
func (p *poolOracle) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return reserveAs(p, id, r)
}

// Lift takes a reservation out, as bookahead.Displacer says.
func (s *serverOracle) Lift(id bookahead.ID) (back func() error, err error) { return lift(s, id) }

// ReserveAs reserves under an ID that was lifted, as bookahead.Displacer says.
func (s *serverOracle) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return reserveAs(s, id, r)
}

func lift(o oracle, id bookahead.ID) (back func() error, err error) {
	res, err := o.Reservation(id)
	if err != nil {
		return nil, err
	}
	return func() error { return putBack(o, res) }, o.Release(id)
}

// putBack enters a reservation as it was before its Release, if its time from now on is free.
func putBack(o oracle, res bookahead.Reservation) error {
	ahead := bookahead.Interval{Start: max(res.Start, o.now()), End: res.End}
	_, free, n := o.share(bookahead.Request{Servers: res.Servers}, ahead, nil)
	if n < res.Units || res.Servers != nil && len(free) < len(res.Servers) {
		return bookahead.ErrUnavailable
	}
	o.restore(res.ID, res.Offer)
	return nil
}

func reserveAs(o oracle, id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	offer, err := o.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	o.restore(id, offer)
	return bookahead.Reservation{ID: id, Offer: offer}, nil
}
