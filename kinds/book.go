package kinds

import (
	"errors"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Reserve books the place that Search returns: a reservation for each kind, or none of them. Errors are those of Search. Costs
// are those of Search, and of a ReserveOffer for each kind.
func Reserve(m *nodes.Machine, r Request, e bookahead.Effort) (Reservation, error) {
	x, err := begin(m, r, e)
	if err != nil {
		return Reservation{}, err
	}
	o, err := x.earliest()
	if err != nil {
		return Reservation{}, err
	}
	res := Reservation{Offer: o}
	for i, shares := range o.Tasks {
		one, err := m.ReserveOffer(nodes.Offer{Interval: o.Interval, Tasks: shares, Head: -1}, x.kind(i, o.Start, o.End))
		if err != nil { // only if the machine is used meanwhile
			return Reservation{}, errors.Join(err, Release(m, res))
		}
		res.IDs = append(res.IDs, one.ID)
	}
	return res, nil
}

// Release cancels the reservations of all kinds, or none of them; an ID that is named twice counts once. The error is
// bookahead.ErrNotFound if one of them is not booked any more. All of them end at the same time, so that the clock ends all or
// none; after a Displace or a Rebook of one kind, its ID is released by itself. Costs are those of a Release for each kind.
func Release(m *nodes.Machine, r Reservation) error {
	for _, id := range r.IDs {
		_, err := m.Reservation(id)
		if err != nil {
			return err
		}
	}
	for _, id := range r.IDs {
		_ = m.Release(id) // no error but for an ID that is named twice
	}
	return nil
}
