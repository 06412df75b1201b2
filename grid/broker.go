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
// first, those of the next are counted on from there. What is free is what is
// free at the provider with the most, as a reservation is not divided: it takes
// CoAllocate to use several.
//
// With one provider, or the policy MCT, a Broker keeps all laws of
// bookahead.Schedule. Other policies do not look for the earliest start (law 2),
// but take whatever can be taken; which provider gets it may depend on what has
// been released or has ended meanwhile (laws 5 and 7).
//
// Others may book at a provider too. Its clock is moved by the Broker alone.
type Broker struct {
	providers []provider
	servers   int // of all providers; -1 for pools
	policy    Policy
	partition Partition
	limits    limits.Limits
	last      bookahead.ID
	booked    map[bookahead.ID]booking
	ids       map[Place]bookahead.ID
	ends      *btree.BTreeG[event] // of all that is booked
}

var _ bookahead.Schedule = (*Broker)(nil)

// Place says where a reservation of a Broker lies.
type Place struct {
	Provider int          // its index
	ID       bookahead.ID // the reservation's there
}

type booking struct {
	Place
	end bookahead.Time
}

// Config holds the settings of NewBroker. The zero value is a broker that begins
// at tick 0 and takes the earliest offer.
type Config struct {
	// Origin is the time at which the clock stands at first.
	Origin bookahead.Time
	// Horizon is the longest of the providers' horizons, in ticks; 0 if none has
	// one. With it Advance finds out that a clock cannot be moved before it moves
	// any.
	Horizon bookahead.Duration
	// Policy chooses the provider; nil is MCT.
	Policy Policy
	// Partition keeps providers from requests; nil lets all have all.
	Partition Partition
}

// NewBroker returns a broker of those providers, and moves their clocks to the
// Origin. The error wraps bookahead.ErrInvalid if there are none, if one is nil or shares
// a schedule with another, if some are pools and others have servers, or if a clock is
// ahead of the Origin: those before it have been moved then. O(p log c) searches for p
// providers of capacity c, none of which looks at the axis.
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
	var err error
	if b.limits, err = limits.New(b.greatest(), c.Origin, c.Horizon); err != nil {
		return nil, err
	}
	for k, s := range providers {
		if err := s.Advance(c.Origin); err != nil {
			return nil, fmt.Errorf("grid: providers[%d]: %w", k, err)
		}
	}
	return b, nil
}

// newBroker returns a broker without providers, that has booked nothing.
func newBroker(policy Policy, partition Partition) *Broker {
	if policy == nil {
		policy = MCT
	}
	return &Broker{
		policy:    policy,
		partition: partition,
		booked:    map[bookahead.ID]booking{},
		ids:       map[Place]bookahead.ID{},
		ends:      btree.NewG(32, earlier),
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
	res, err := b.providers[k].Reserve(o.Request())
	if err != nil {
		return bookahead.Reservation{}, err
	}
	b.last++
	b.enter(b.last, booking{Place{k, res.ID}, res.End})
	return bookahead.Reservation{ID: b.last, Offer: b.global(k, res.Offer)}, nil
}

// Release implements bookahead.Schedule. It takes what the provider takes, and
// O(log n) for n reservations.
func (b *Broker) Release(id bookahead.ID) error {
	k, ok := b.booked[id]
	if !ok {
		return bookahead.ErrNotFound
	}
	err := b.providers[k.Provider].Release(k.ID)
	if err == nil || err == bookahead.ErrNotFound { // not if others have released it
		b.drop(id)
	}
	return err
}

// RangeQuery implements bookahead.Schedule: it returns what is free at the
// provider that has the most, of those whom the partition lets have a reservation
// of that time, and whose horizons lie behind it. The longest of these is the
// Broker's, so far as they are known (bookahead.Framer). A RangeQuery for each.
func (b *Broker) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	var most bookahead.Availability
	if b.servers >= 0 {
		most.Servers = []int{}
	}
	w, err := b.limits.Window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	if w.End = min(w.End, b.horizon()); w.Empty() {
		return most, nil
	}
	r := bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: w.Len(), Units: 1}
	for k, p := range b.providers {
		if !b.admits(k, r) || p.horizon() < w.End {
			continue
		}
		a, err := p.RangeQuery(w)
		if err != nil {
			return bookahead.Availability{}, err
		}
		if a.Free > most.Free {
			most = bookahead.Availability{Free: a.Free, Servers: b.shift(k, a.Servers)}
		}
	}
	return most, nil
}

// Advance implements bookahead.Schedule: it moves all clocks, or none. What would
// stop one is found out before. A provider that fails nevertheless has been used
// elsewhere, or does not keep its contract; unless it is the first, the others
// have moved on then, and the error says which one has not. It is still asked, from
// now on, and moved with the others the next time. O(log n) for each of n
// reservations that ends, and what the providers take.
func (b *Broker) Advance(now bookahead.Time) error {
	next := b.limits
	if err := next.Advance(now); err != nil {
		return err
	}
	var failed []error
	for k, p := range b.providers {
		if err := p.Advance(now); err != nil {
			if err = fmt.Errorf("grid: provider %d: %w", k, err); k == 0 {
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
	return errors.Join(failed...)
}

// Providers returns the number of providers.
func (b *Broker) Providers() int { return len(b.providers) }

// Provider returns provider k. It may be queried, and booked by others.
func (b *Broker) Provider(k int) bookahead.Schedule { return b.providers[k].Schedule }

// Capacity returns the number of units, or servers, of provider k.
func (b *Broker) Capacity(k int) int64 { return b.providers[k].capacity }

// FirstServer returns the number that the Broker gives to server 0 of provider k:
// the servers of the providers before it. It is 0 for pools.
func (b *Broker) FirstServer(k int) int { return b.providers[k].first }

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

func (b *Broker) admits(k int, r bookahead.Request) bool {
	return b.partition == nil || b.partition(k, r)
}

// global counts the servers of provider k as the Broker does.
func (b *Broker) global(k int, o bookahead.Offer) bookahead.Offer {
	o.Servers = b.shift(k, o.Servers)
	return o
}

func (b *Broker) shift(k int, servers []int) []int {
	for i := range servers {
		servers[i] += b.providers[k].first
	}
	return servers
}

// enter remembers a reservation.
func (b *Broker) enter(id bookahead.ID, k booking) {
	b.booked[id] = k
	b.ids[k.Place] = id
	b.ends.ReplaceOrInsert(event{k.end, id})
	b.providers[k.Provider].live++
}

// drop forgets a reservation.
func (b *Broker) drop(id bookahead.ID) {
	k := b.booked[id]
	delete(b.booked, id)
	delete(b.ids, k.Place)
	b.ends.Delete(event{k.end, id})
	b.providers[k.Provider].live--
}
