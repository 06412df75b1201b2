package grid

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Overbooked implements bookahead.Closable: a stretch has the units that all providers lack together,
// or the servers of all providers. Reservations that others have made at a provider count too. It takes
// an Overbooked of each provider, and O(k log k) for k stretches and their servers.
func (b *Broker) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		w.Start = max(w.Start, b.limits.Now)
		if w.Empty() {
			return
		}
		var s sweep
		for k, p := range b.providers {
			bookahead.View(p.schedule, func(p bookahead.Closable) {
				for o := range p.Overbooked(w) {
					b.sum(&s, k, o)
				}
			})
		}
		slices.Values(s.list(b.limits.Servers > 0))(yield)
	}
}

// sum adds a stretch of provider k. Servers that the Broker has not numbered are left out.
func (b *Broker) sum(s *sweep, k int, o bookahead.Overbooking) {
	if b.limits.Servers == 0 {
		s.units(o.Interval, o.Units)
		return
	}
	for _, server := range o.Servers {
		if server < b.known(k) {
			s.server(o.Interval, b.shift(k, []int{server})[0])
		}
	}
}

// Overbooks implements bookahead.Displacer by that of the provider. It returns false if the provider is
// no Displacer.
func (b *Broker) Overbooks(id bookahead.ID) (found bool) {
	k, ok := b.booked[id]
	if !ok {
		return false
	}
	bookahead.View(b.providers[k.Provider].schedule, func(p bookahead.Displacer) { found = p.Overbooks(k.ID) })
	return found
}

// Lift implements bookahead.Displacer. The error wraps bookahead.ErrInvalid if the provider is no
// Displacer. It takes a Lift of the provider, and O(log n) for n reservations.
func (b *Broker) Lift(id bookahead.ID) (back func() error, err error) {
	old, ok := b.booked[id]
	if !ok {
		return nil, bookahead.ErrNotFound
	}
	s := b.providers[old.Provider].schedule
	var there func() error
	ok = bookahead.Update(s, func(p bookahead.Displacer) { there, err = p.Lift(old.ID) })
	if !ok {
		return nil, b.noDisplacer(old.Provider)
	}
	if err == nil || err == bookahead.ErrNotFound { // ErrNotFound: others have released it
		b.drop(id)
	}
	if err != nil {
		return nil, err
	}
	b.lifted[id] = old.Place
	return func() error {
		_, again := b.booked[id]
		if again {
			return bookahead.ErrUnavailable
		}
		err := bookahead.ErrNotFound
		bookahead.Update(s, func(bookahead.Displacer) { err = there() })
		if err == nil {
			delete(b.lifted, id)
			b.enter(id, old)
		}
		return err
	}, nil
}

// ReserveAs implements bookahead.Displacer. The Policy chooses the provider. If the reservation lay at
// this provider before, it keeps its ID there. The error also wraps bookahead.ErrInvalid if the ID was
// never given, or is booked. Costs are those of Reserve.
func (b *Broker) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	_, live := b.booked[id]
	if live || id == 0 || id > b.last {
		return bookahead.Reservation{}, limits.Invalid("id", fmt.Sprintf("#%d", id), "is not that of a reservation that was lifted")
	}
	k, o, err := b.choose(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	s := b.providers[k].schedule
	var res bookahead.Reservation
	old, ok := b.lifted[id]
	if ok && old.Provider == k {
		ok = bookahead.Update(s, func(p bookahead.Displacer) { res, err = p.ReserveAs(old.ID, o.Request()) })
	} else {
		ok, err = true, nil
		res, err = s.Reserve(o.Request())
	}
	if !ok {
		err = b.noDisplacer(k)
	}
	if err != nil {
		return bookahead.Reservation{}, err
	}
	delete(b.lifted, id)
	b.enter(id, booking{Place{k, res.ID}, b.global(k, res.Offer)})
	return b.Reservation(id)
}

func (b *Broker) noDisplacer(k int) error {
	return limits.Invalid(fmt.Sprintf("providers[%d]", k), fmt.Sprintf("%T", b.providers[k].schedule), "is no bookahead.Displacer")
}

// Adopt implements bookahead.Displacer. The clone must be a Broker. Each provider adopts its clone, so
// that others who share the provider see the change. A provider that is no bookahead.Displacer is
// replaced by its clone.
func (b *Broker) Adopt(clone bookahead.Schedule) {
	own := b.providers
	*b = *clone.(*Broker)
	for k := range b.providers {
		b.providers[k].schedule = adopt(own[k].schedule, b.providers[k].schedule)
	}
}
