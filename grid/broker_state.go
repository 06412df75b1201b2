package grid

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Frame implements bookahead.Keeper. Where providers differ it is the smallest frame that
// holds whatever RangeQuery can return: up to the longest horizon, with the greatest
// capacity, and the servers of all. Providers count that the Partition keeps from
// requests. A Frame of each.
func (b *Broker) Frame() bookahead.Frame {
	f := b.limits.Frame()
	f.Capacity = 0
	f.Horizon = f.Now // where clocks lag, all horizons may lie before now
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
	k.Servers = slices.Clone(k.Servers)
	return bookahead.Reservation{ID: id, Offer: k.Offer}, nil
}

// Openings implements bookahead.Opener: the starts at which one of the providers that the
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
			if ok && b.partition.Admits(k, r) {
				own.Ready = first
				all = append(all, bookahead.Openings(p.schedule, own))
			}
		}
		union(all)(yield)
	}
}

// Clone implements bookahead.Cloner: the providers are cloned too. It returns nil if one
// cannot be. It takes a Clone of each, and O(n log n) for n reservations.
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
	c.closings = b.closings.clone()
	c.lifted = maps.Clone(b.lifted)
	if b.lie != nil {
		c.lie = b.lie.clone()
	}
	return c
}

// Verify looks for faults: each reservation is known by its place and its end, its provider
// lists it, if that is a bookahead.Keeper, and finds no fault of its own, if it can look
// for any. It is a fault too if others have released or rebooked one of the Broker's;
// Release makes it forget that. O(n log n) for n reservations, and what the providers take.
func (b *Broker) Verify() error {
	live := make([]int, len(b.providers))
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		k := b.booked[id]
		if _, ok := b.ends.Get(event{k.End, id}); !ok || b.ids[k.Place] != id || k.End <= b.limits.Now || id > b.last {
			return fmt.Errorf("grid: at %d, #%d of %d lies at %v, where #%d is, until %d, which is known: %t",
				b.limits.Now, id, b.last, k.Place, b.ids[k.Place], k.End, ok)
		}
		live[k.Provider]++
	}
	if len(b.ids) != len(b.booked) || b.ends.Len() != len(b.booked) {
		return fmt.Errorf("grid: %d places and %d ends for %d reservations", len(b.ids), b.ends.Len(), len(b.booked))
	}
	err := b.verifyIndex()
	if err == nil {
		err = b.closings.verify(len(b.providers), b.limits.Now)
	}
	if err != nil {
		return err
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

// verify returns the fault that a schedule finds in itself, if it can look for any.
func verify(s bookahead.Schedule) (err error) {
	bookahead.View(s, func(v interface{ Verify() error }) { err = v.Verify() })
	return err
}

// agrees returns an error, which wraps bookahead.ErrInvalid, if a provider's clock
// is ahead, or it has servers that the Broker does not know, or a reservation is not what its provider says that it is.
func (b *Broker) agrees() error {
	for k, p := range b.providers {
		if now := p.schedule.Frame().Now; now > b.limits.Now {
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
			continue // it does not tell
		}
		res, err := b.at(id, k.Place)
		if err != nil {
			return err
		}
		o := b.global(k.Provider, res.Offer)
		if o.Interval != k.Interval || o.Units != k.Units || !slices.Equal(o.Servers, k.Servers) {
			return limits.Invalid(fmt.Sprintf("reservation %d", id), k.Offer, fmt.Sprintf("is %v at provider %d", o, k.Provider))
		}
	}
	return nil
}

// at returns the reservation that the Broker knows by an ID, as the provider at its place
// knows it. The error wraps bookahead.ErrInvalid if the provider does not tell of one.
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
