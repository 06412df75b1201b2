package grid

import (
	"errors"
	"fmt"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Broker is one schedule made of several providers. Each reservation lies at one
// of them, which a Policy chooses.
//
// Providers are all pools, or all have servers. The servers of provider 0 come
// first, those of the next are counted on from there. Servers that ExtendAt adds have the next
// numbers, at whatever provider they are. As many units are free as the
// provider with the most has, for a reservation is not divided: it takes CoAllocate to
// use several.
//
// With a Partition a longer window may have more free units than a shorter one in it, for
// other providers take reservations of that time. bookahead.Explain relies on RangeQuery the
// other way round, so that its result is not exact for such a Broker.
//
// With one provider, or the policy MCT, a Broker keeps all laws of
// bookahead.Schedule. Other policies do not look for the earliest start (law 2),
// but take whatever can be taken; which provider gets it may depend on what has
// been released or has ended meanwhile (laws 5 and 7).
//
// Others may book at a provider too, and close it, but must leave the Broker's reservations alone,
// and may not extend a provider of servers. The Broker alone moves the clock of a provider.
type Broker struct {
	providers []provider
	policy    Policy
	partition Partition
	limits    limits.Limits // with the servers of all providers
	last      bookahead.ID
	booked    map[bookahead.ID]booking
	ids       map[Place]bookahead.ID
	ends      *btree.BTreeG[event]   // of all that is booked
	closings  closings               // closures and extensions that have been made here
	lifted    map[bookahead.ID]Place // where reservations lay that Lift has taken out
	lie       *index                 // nil while nobody tracks the reservations
}

var _ interface {
	bookahead.Displacer
	bookahead.Tracker
	bookahead.Opener
	bookahead.Cloner
	bookahead.Snapshotter
} = (*Broker)(nil)

// Place says where a reservation of a Broker lies.
type Place struct {
	Provider int          // its index
	ID       bookahead.ID // the reservation's there
}

// booking is what a Broker knows of a reservation. It counts servers as the Broker does.
type booking struct {
	Place
	bookahead.Offer
}

// Config holds the settings of NewBroker. The zero value is a broker that begins
// at tick 0 and takes the earliest offer.
type Config struct {
	// Origin is the time at which the clock stands at first.
	Origin bookahead.Time
	// Policy chooses the provider; the zero value is MCT.
	Policy Policy
	// Partition keeps providers from requests; the zero value lets all have all.
	Partition Partition
	// Booked lists reservations that providers hold already, and that become the Broker's;
	// the k-th gets ID k+1. Each provider named is a bookahead.Keeper. Each reservation ends
	// after the Origin, and may have begun before.
	Booked []Place
}

// NewBroker returns a broker of those providers, each of which must tell its Frame, as a
// bookahead.Keeper does, and moves their clocks to the Origin. The error wraps
// bookahead.ErrInvalid if there are none, if one is nil or shares a schedule with another,
// if some are pools and others have servers, if a clock is ahead of the Origin, or if a place
// in Booked holds no reservation, or is listed twice. It takes a Frame and an Advance of
// each provider, and O(n log n) and n Reservations for n places in Booked.
func NewBroker(c Config, providers ...bookahead.Schedule) (*Broker, error) {
	if len(providers) == 0 {
		return nil, limits.Invalid("providers", 0, "are too few")
	}
	if err := checkProviders(providers); err != nil {
		return nil, err
	}
	b := newBroker(c.Policy, c.Partition)
	for _, s := range providers {
		if err := b.enlist(s); err != nil {
			return nil, err
		}
	}
	if c.Origin < 0 {
		return nil, limits.Invalid("Config.Origin", c.Origin, "is negative")
	}
	b.limits.Now = c.Origin
	for k, p := range c.Booked {
		if err := b.takeOver(k, p); err != nil {
			return nil, err
		}
	}
	if err := b.agrees(); err != nil { // before any clock is moved
		return nil, err
	}
	if err := b.Advance(c.Origin); err != nil {
		return nil, err
	}
	return b, nil
}

// newBroker returns a broker without providers, that has booked nothing.
func newBroker(policy Policy, partition Partition) *Broker {
	if policy.choose == nil {
		policy = MCT
	}
	return &Broker{
		policy:    policy,
		partition: partition,
		booked:    map[bookahead.ID]booking{},
		ids:       map[Place]bookahead.ID{},
		ends:      btree.NewG(32, earlier),
		lifted:    map[bookahead.ID]Place{},
	}
}

// Search implements bookahead.Schedule: it returns what the provider offers that
// the policy chooses. A Search for each provider that the policy asks.
func (b *Broker) Search(r bookahead.Request) (bookahead.Offer, error) {
	k, o, err := b.choose(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	return b.global(k, o), nil
}

// Reserve implements bookahead.Schedule. A Search, a Reserve of the provider, and
// O(log n) for n reservations.
func (b *Broker) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	k, o, err := b.choose(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	res, err := b.providers[k].schedule.Reserve(o.Request())
	if err != nil {
		return bookahead.Reservation{}, err
	}
	b.last++
	b.enter(b.last, booking{Place{k, res.ID}, b.global(k, res.Offer)})
	return b.Reservation(b.last)
}

// Release implements bookahead.Schedule. It takes what the provider takes, and
// O(log n) for n reservations.
func (b *Broker) Release(id bookahead.ID) error {
	k, ok := b.booked[id]
	if !ok {
		return bookahead.ErrNotFound
	}
	err := b.providers[k.Provider].schedule.Release(k.ID)
	if err == nil || err == bookahead.ErrNotFound { // not if others have released it
		b.drop(id)
	}
	return err
}

// RangeQuery implements bookahead.Schedule: it returns the units that are free at the
// provider with the most, of those whom the partition lets have a reservation of that
// time, and whose horizons lie behind it. The longest of these is the Broker's. A
// RangeQuery for each.
func (b *Broker) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return b.Among(nil, w)
}

// Among is RangeQuery for a request that names servers: those that are free at the provider with the most of
// them. bookahead.Explain and Openings ask so. The error wraps bookahead.ErrInvalid if w is empty, or the
// names are none of a request; nil stands for all servers. A RangeQuery for each provider that has some.
func (b *Broker) Among(named []int, w bookahead.Interval) (bookahead.Availability, error) {
	w, err := b.limits.Window(w)
	if err == nil && named != nil {
		_, _, err = b.limits.Starts(bookahead.Request{Duration: 1, Units: 1, Servers: named})
		if errors.Is(err, bookahead.ErrUnavailable) { // the clock alone is in the way
			err = nil
		}
	}
	if err != nil {
		return bookahead.Availability{}, err
	}
	most := bookahead.Availability{Window: w.Intersect(b.Frame().Window())}
	if b.limits.Servers > 0 {
		most.Servers = []int{}
	}
	w = most.Window
	if w.Empty() {
		return most, nil
	}
	r := bookahead.At(w.Start, w.Len(), 1)
	r.Servers = named
	for k, p := range b.providers {
		mine, ok := b.local(k, r)
		if !ok || !b.partition.Admits(k, bookahead.At(w.Start, w.Len(), 1)) {
			continue
		}
		a, err := among(p.schedule, mine.Servers, w)
		if err != nil {
			return bookahead.Availability{}, err
		}
		if a.Window == w && a.Free > most.Free { // not if its horizon lies before
			err = b.knows(k, a.Servers)
			if err != nil {
				return bookahead.Availability{}, err
			}
			most.Free, most.Servers = a.Free, b.shift(k, a.Servers)
		}
	}
	return most, nil
}

// Advance implements bookahead.Schedule: it moves all clocks, or none. The Broker checks
// first that no sliding horizon stops a clock; a horizon that is the end of the axis when
// the provider joins the Broker counts as none. A provider that fails nevertheless has been
// used elsewhere, or breaks its contract. If it is the first, no clock moves. Otherwise the
// other clocks have moved, and the error names the provider. The Broker still asks it, from
// now on, and moves its clock with the others the next time. O(log n) for each of n
// reservations that ends, and an Advance of each provider.
func (b *Broker) Advance(now bookahead.Time) error {
	next := b.limits
	if err := next.Advance(now); err != nil {
		return err
	}
	if err := b.reaches(now); err != nil {
		return err
	}
	var failed []error
	for k, p := range b.providers {
		if err := p.schedule.Advance(now); err != nil {
			err = fmt.Errorf("grid: provider %d: %w", k, err)
			if k == 0 {
				return err
			}
			failed = append(failed, err)
		}
	}
	b.limits = next
	for e, ok := b.ends.Min(); ok && e.Time <= now; e, ok = b.ends.Min() {
		b.ends.DeleteMin()
		b.drop(e.id)
	}
	b.closings.forget(now)
	return errors.Join(failed...)
}

// Providers returns the number of providers.
func (b *Broker) Providers() int { return len(b.providers) }

// Provider returns provider k. It may be queried, and booked by others.
func (b *Broker) Provider(k int) bookahead.Schedule { return b.providers[k].schedule }

// Capacity returns the number of units, or servers that are open, of provider k now.
func (b *Broker) Capacity(k int) int64 { return b.providers[k].schedule.Frame().Capacity }

// FirstServer returns the number that the Broker gives to server 0 of provider k:
// the servers of the providers before it, as they were from the start. It is 0 for pools.
func (b *Broker) FirstServer(k int) int {
	if len(b.providers[k].numbers) == 0 {
		return 0
	}
	return b.providers[k].numbers[0].first
}

// Place returns where a reservation lies. It returns bookahead.ErrNotFound if the ID
// is not booked, or its reservation has ended. O(1).
func (b *Broker) Place(id bookahead.ID) (Place, error) {
	k, ok := b.booked[id]
	if !ok {
		return Place{}, bookahead.ErrNotFound
	}
	return k.Place, nil
}

// ID returns the reservation that lies at a place. It returns bookahead.ErrNotFound
// if that is none of the Broker's, or it has ended. O(1).
func (b *Broker) ID(at Place) (bookahead.ID, error) {
	id, ok := b.ids[at]
	if !ok {
		return 0, bookahead.ErrNotFound
	}
	return id, nil
}

// enter remembers a reservation.
func (b *Broker) enter(id bookahead.ID, k booking) {
	b.booked[id] = k
	b.ids[k.Place] = id
	b.ends.ReplaceOrInsert(event{k.End, id})
	b.providers[k.Provider].live++
	if b.lie != nil {
		b.lie.add(id, k.Offer)
	}
}

// drop forgets a reservation.
func (b *Broker) drop(id bookahead.ID) {
	k := b.booked[id]
	delete(b.booked, id)
	delete(b.ids, k.Place)
	b.ends.Delete(event{k.End, id})
	b.providers[k.Provider].live--
	if b.lie != nil {
		b.lie.remove(id, k.Offer)
	}
}
