package grid

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
)

// SearchFor implements bookahead.Keeper. A reservation that has not begun may move to the
// provider that the Policy chooses; at equal starts it stays. A running reservation stays. A
// Policy that queries a provider itself, as LeastLoaded does, sees the reservation as booked.
//
// The error wraps bookahead.ErrInvalid if the reservation's provider is no bookahead.Keeper,
// and is bookahead.ErrNotFound also if others have released the reservation there. It takes a
// Search for each provider that the Policy asks.
func (b *Broker) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	k, o, err := b.searchFor(id, r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	return b.global(k, o), nil
}

// Rebook implements bookahead.Keeper. The reservation keeps its ID even if it moves to another
// provider, which books it before the old provider gives it back. Errors are those of
// SearchFor. It takes a SearchFor, a Rebook or a Reserve and a Release, and O(log n) for n
// reservations.
func (b *Broker) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	k, o, err := b.searchFor(id, r)
	old, ok := b.booked[id]
	if ok && err == bookahead.ErrNotFound { // others have released it
		b.drop(id)
	}
	if err != nil {
		return bookahead.Reservation{}, err
	}
	var res bookahead.Reservation
	if k == old.Provider {
		keeper, _ := b.keeper(k) // no error: searchFor has asked the same
		res, err = keeper.Rebook(old.ID, o.Request())
	} else {
		res, err = b.move(old.Place, k, o)
	}
	if err != nil {
		return bookahead.Reservation{}, err
	}
	b.drop(id)
	b.enter(id, booking{Place{k, res.ID}, b.global(k, res.Offer)})
	return b.Reservation(id)
}

// move books an offer at provider k, and gives back the reservation that lies at a place. If
// that fails, it undoes the booking.
func (b *Broker) move(from Place, k int, o bookahead.Offer) (bookahead.Reservation, error) {
	to := b.providers[k].schedule
	res, err := to.Reserve(o.Request())
	if err != nil {
		return bookahead.Reservation{}, err
	}
	err = b.providers[from.Provider].schedule.Release(from.ID)
	if err == nil {
		return res, nil
	}
	err = fmt.Errorf("grid: provider %d: %w", from.Provider, err)
	undo := to.Release(res.ID)
	if undo != nil {
		err = fmt.Errorf("%w; provider %d still books %v: %w", err, k, res, undo)
	}
	return bookahead.Reservation{}, err
}

// searchFor returns the provider at which Rebook books a reservation, and the offer, with the
// provider's numbers of servers. A reservation that only gives back stays.
func (b *Broker) searchFor(id bookahead.ID, r bookahead.Request) (int, bookahead.Offer, error) {
	old, ok := b.booked[id]
	if !ok {
		return 0, bookahead.Offer{}, bookahead.ErrNotFound
	}
	keeper, err := b.keeper(old.Provider)
	if err != nil {
		return 0, bookahead.Offer{}, err
	}
	if _, err := keeper.Reservation(old.ID); err != nil {
		return 0, bookahead.Offer{}, err
	}
	first, _, err := b.limits.StartsAnew(old.Offer.Interval, r)
	if err != nil {
		return 0, bookahead.Offer{}, err
	}
	running := old.Offer.Start <= b.limits.Now
	if running {
		r.Ready, r.Deadline = first, first+bookahead.Time(r.Duration)
	}
	givesBack := r.Fixed() && old.contains(r)
	if !running && !givesBack {
		return b.chooseBy(b.policy, r, standing{old.Place, keeper})
	}
	local, ok := b.local(old.Provider, r)
	if !ok {
		return 0, bookahead.Offer{}, bookahead.ErrUnavailable
	}
	o, err := keeper.SearchFor(old.ID, local)
	if err == nil {
		err = b.knows(old.Provider, o.Servers)
	}
	return old.Provider, o, err
}

// contains reports whether a fixed request asks for no time and no units that the reservation
// does not have, and rules out none of its servers.
func (k booking) contains(r bookahead.Request) bool {
	end := r.Ready + bookahead.Time(r.Duration)
	if r.Ready < k.Offer.Start || end > k.Offer.End || r.Units > k.Offer.Units {
		return false
	}
	ruledOut := func(server int) bool { return !slices.Contains(r.Servers, server) }
	return r.Servers == nil || !slices.ContainsFunc(k.Offer.Servers, ruledOut)
}
