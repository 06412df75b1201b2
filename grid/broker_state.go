package grid

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

var (
	_ bookahead.Lister   = (*Broker)(nil)
	_ bookahead.Framer   = (*Broker)(nil)
	_ bookahead.Verifier = (*Broker)(nil)
)

// Frame implements bookahead.Framer. Where providers differ no one block would be
// free: it is the smallest that holds what RangeQuery can return, and reaches to the
// longest horizon that is known, with the greatest capacity. Providers count that
// the Partition keeps from requests. A Frame of each.
func (b *Broker) Frame() bookahead.Block {
	f := b.limits.Frame()
	f.End = max(f.Start, min(f.End, b.horizon())) // before the start, if clocks lag
	return f
}

// Reservations implements bookahead.Lister: the Broker's own, and not those that
// others have with its providers, which are asked for them. Those at one that is no
// bookahead.Lister are left out. O(n log n) for n reservations of all providers.
func (b *Broker) Reservations() iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		list, _ := b.reservations()
		for _, res := range list {
			if !yield(res) {
				return
			}
		}
	}
}

// reservations returns what is booked, and whether all providers tell.
func (b *Broker) reservations() (list []bookahead.Reservation, all bool) {
	all = true
	for k, p := range b.providers {
		booked, ok := reservationsOf(p.Schedule)
		all = all && ok
		for _, res := range booked {
			if id, ok := b.ids[Place{k, res.ID}]; ok {
				list = append(list, bookahead.Reservation{ID: id, Offer: b.global(k, res.Offer)})
			}
		}
	}
	slices.SortFunc(list, func(x, y bookahead.Reservation) int { return cmp.Compare(x.ID, y.ID) })
	return list, all
}

// Reservation implements bookahead.Lister: it asks the provider. The error is also
// bookahead.ErrNotFound if that is no bookahead.Lister.
func (b *Broker) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	at, ok := b.booked[id]
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	res, err := reservationOf(b.providers[at.Provider].Schedule, at.ID)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: id, Offer: b.global(at.Provider, res.Offer)}, nil
}

// Verify implements bookahead.Verifier: each reservation is known by its place and
// its end, the providers list it with that end, so far as they list anything, and
// find no fault of their own, if they can look for any. It is a fault too if others
// have released or resized what is the Broker's; Release makes it forget that.
// O(n log n) for n reservations of all providers, and what they take.
func (b *Broker) Verify() error {
	live := make([]int, len(b.providers))
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		k := b.booked[id]
		if _, ok := b.ends.Get(event{k.end, id}); !ok || b.ids[k.Place] != id || k.end <= b.limits.Now || id > b.last {
			return fmt.Errorf("grid: at %d, #%d of %d lies at %v, where #%d is, until %d, which is known: %t",
				b.limits.Now, id, b.last, k.Place, b.ids[k.Place], k.end, ok)
		}
		live[k.Provider]++
	}
	if len(b.ids) != len(b.booked) || b.ends.Len() != len(b.booked) {
		return fmt.Errorf("grid: %d places and %d ends for %d reservations", len(b.ids), b.ends.Len(), len(b.booked))
	}
	for k, p := range b.providers {
		if p.live != live[k] {
			return fmt.Errorf("grid: provider %d has %d reservations, not %d", k, live[k], p.live)
		}
		if v, ok := p.Schedule.(bookahead.Verifier); ok {
			if err := v.Verify(); err != nil {
				return fmt.Errorf("grid: provider %d: %w", k, err)
			}
		}
	}
	return b.agrees()
}

// agrees returns an error, which wraps bookahead.ErrInvalid, if a provider's clock
// is ahead, or a reservation is not what its provider says that it is.
func (b *Broker) agrees() error {
	ends := make([]map[bookahead.ID]bookahead.Time, len(b.providers)) // nil if the provider does not tell
	for k, p := range b.providers {
		if f, ok := p.Schedule.(bookahead.Framer); ok && f.Frame().Start > b.limits.Now {
			return limits.Invalid(fmt.Sprintf("providers[%d]: now", k), f.Frame().Start, fmt.Sprintf("is ahead of the Broker's, %d", b.limits.Now))
		}
		ends[k] = endsOf(p.Schedule)
	}
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		k := b.booked[id]
		if ends[k.Provider] == nil {
			continue
		}
		end, ok := ends[k.Provider][k.ID]
		if !ok {
			return limits.Invalid(fmt.Sprintf("reservation %d: place", id), k.Place, "is not booked there: others may have released it")
		}
		if end != k.end {
			return limits.Invalid(fmt.Sprintf("reservation %d: end", id), k.end, fmt.Sprintf("is %d at provider %d", end, k.Provider))
		}
	}
	return nil
}
