package grid

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/spans"
)

// Frame implements bookahead.Keeper. If providers differ, it returns the latest horizon, the
// greatest capacity, and the servers of all providers, so that no RangeQuery can return more.
// Providers that the Partition does not admit count too. It takes a Frame of each provider.
func (b *Broker) Frame() bookahead.Frame {
	f := b.limits.Frame()
	f.Capacity = 0
	f.Horizon = f.Now // if clocks of providers lag, all horizons may lie before now
	for _, p := range b.providers {
		own := p.schedule.Frame()
		f.Horizon, f.Capacity = max(f.Horizon, own.Horizon), max(f.Capacity, own.Capacity)
	}
	return f
}

// Reservation implements bookahead.Keeper. O(1), and O(s) for s servers.
func (b *Broker) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	k, ok := b.booked[id]
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	k.Offer.Servers = slices.Clone(k.Offer.Servers)
	return bookahead.Reservation{ID: id, Offer: k.Offer}, nil
}

// Reservations implements bookahead.Keeper. It yields the Broker's own reservations, and not those that
// others have made at its providers. O(n + k log k) for k of n reservations.
func (b *Broker) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		var list []spans.Span
		for id, k := range b.booked {
			if k.Offer.Overlaps(w) {
				list = append(list, spans.Span{Interval: k.Offer.Interval, ID: id})
			}
		}
		slices.SortFunc(list, func(a, b spans.Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
		for _, s := range list {
			res, _ := b.Reservation(s.ID)
			if !yield(res) {
				return
			}
		}
	}
}

// Openings implements bookahead.Opener: it yields the starts at which some provider that the
// partition admits has a place. It takes the Openings of each.
func (b *Broker) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		first, _, err := b.limits.Starts(r)
		if err != nil {
			return
		}
		var all []iter.Seq[bookahead.Interval]
		for k, p := range b.providers {
			own, ok := b.local(k, r)
			if ok && b.partition.Admits(k) {
				own.Ready = first
				all = append(all, bookahead.Openings(p.schedule, own))
			}
		}
		union(all)(yield)
	}
}

// Clone implements bookahead.Cloner: the providers are cloned too. It returns nil if a provider
// cannot be cloned. It takes a Clone of each provider, and O(n log n) for n reservations.
func (b *Broker) Clone() bookahead.Schedule {
	c := newBroker(b.policy, b.partition)
	c.limits, c.last = b.limits, b.last
	for _, p := range b.providers {
		s, ok := bookahead.Clone(p.schedule)
		if !ok {
			return nil
		}
		p.schedule, p.live = s, 0
		c.providers = append(c.providers, p)
	}
	for id, k := range b.booked {
		c.enter(id, k)
	}
	return c
}

// Verify checks that the books agree: each reservation has a place of its own and is known by its end, and
// a provider that is a bookahead.Keeper has the same reservation. It also calls the Verify of
// each provider that has one. It returns an error too if others have released or rebooked a
// reservation of the Broker; a Release takes such a reservation out of the books. O(n log n) for
// n reservations, and a Verify of each provider.
func (b *Broker) Verify() error {
	live := make([]int, len(b.providers))
	places := map[Place]bookahead.ID{}
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		k := b.booked[id]
		_, ok := b.ends.Get(event{k.Offer.End, id})
		other, taken := places[k.Place]
		if !ok || taken || k.Offer.End <= b.limits.Now || id > b.last {
			return fmt.Errorf("grid: at %d, #%d of %d lies at %v, where #%d is, until %d, which is known: %t",
				b.limits.Now, id, b.last, k.Place, other, k.Offer.End, ok)
		}
		places[k.Place] = id
		live[k.Provider]++
	}
	if b.ends.Len() != len(b.booked) {
		return fmt.Errorf("grid: %d ends for %d reservations", b.ends.Len(), len(b.booked))
	}
	for k, p := range b.providers {
		if p.live != live[k] {
			return fmt.Errorf("grid: provider %d has %d reservations, not %d", k, live[k], p.live)
		}
		if err := verify(p.schedule); err != nil {
			return fmt.Errorf("grid: provider %d: %w", k, err)
		}
	}
	return b.agrees()
}

// agrees returns an error that wraps bookahead.ErrInvalid if a provider's clock is ahead, if a
// provider has more servers than it had, or if a reservation differs from the one at its provider.
func (b *Broker) agrees() error {
	for k, p := range b.providers {
		now := p.schedule.Frame().Now
		if now > b.limits.Now {
			return limits.Invalid(fmt.Sprintf("providers[%d]: now", k), now, fmt.Sprintf("is ahead of the Broker's, %d", b.limits.Now))
		}
		err := b.knowsAll(k)
		if err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		k := b.booked[id]
		if _, err := b.keeper(k.Provider); err != nil {
			continue // the provider cannot list its reservations
		}
		res, err := b.at(id, k.Place)
		if err != nil {
			return err
		}
		o := b.global(k.Provider, res.Offer)
		if o.Interval != k.Offer.Interval || o.Units != k.Offer.Units || !slices.Equal(o.Servers, k.Offer.Servers) {
			return limits.Invalid(fmt.Sprintf("reservation %d", id), k.Offer, fmt.Sprintf("is %v at provider %d", o, k.Provider))
		}
	}
	return nil
}

// at returns the provider's version of the reservation at a place, which the Broker knows by an
// ID. The error wraps bookahead.ErrInvalid if the provider has no reservation there.
func (b *Broker) at(id bookahead.ID, p Place) (bookahead.Reservation, error) {
	k, err := b.keeper(p.Provider)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	res, err := k.Reservation(p.ID)
	if err != nil {
		return bookahead.Reservation{}, limits.Invalid(fmt.Sprintf("reservation %d: place", id), p, "is not booked there: others may have released it")
	}
	return res, b.knows(p.Provider, res.Servers)
}
