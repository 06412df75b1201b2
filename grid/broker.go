package grid

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/google/btree"
)

// Broker is one schedule made of several providers. Each reservation lies at one
// provider, which a Policy chooses.
//
// Providers are all pools, or all have servers. The Broker numbers the servers of
// provider 0 first, then those of provider 1, and so on. A reservation is not divided among
// providers, so the free units of a Broker are those of the provider with the most;
// CoAllocate can use several.
//
// With one provider, or with the policy MCT, a Broker keeps all laws of
// bookahead.Schedule. Other policies accept every request that some provider can take,
// but do not look for the earliest start (law 2). Their choice of the provider may
// depend on reservations that have been released or have ended (laws 5 and 7).
//
// Others may book at a provider too, and close it, and the Broker's searches see that. They
// must not touch the Broker's reservations, and must not add servers to a provider. Only the
// Broker may move the clock of a provider.
type Broker struct {
	providers []provider
	policy    Policy
	partition Partition
	limits    limits.Limits // the servers are those of all providers
	last      bookahead.ID
	booked    map[bookahead.ID]booking
	ends      *btree.BTreeG[event] // of all reservations
}

var _ interface {
	bookahead.Keeper
	bookahead.Opener
	bookahead.Cloner
	bookahead.Snapshotter
} = (*Broker)(nil)

// Place says where a reservation of a Broker lies.
type Place struct {
	Provider int          // the index of the provider
	ID       bookahead.ID // the reservation's ID at the provider
}

// booking is a reservation in the books of a Broker, with the Broker's numbers of servers.
type booking struct {
	Place
	Offer bookahead.Offer
}

// Config holds the settings of NewBroker. The zero value is a broker that begins
// at tick 0 and takes the earliest offer.
type Config struct {
	// Origin is the first time that the clock shows.
	Origin bookahead.Time
	// Policy chooses the provider; the zero value is MCT.
	Policy Policy
	// Partition decides which providers may get requests; the zero value admits all.
	Partition Partition
}

// NewBroker returns a broker of the providers, and moves their clocks to the Origin. Each
// provider must have a Frame, as a bookahead.Keeper has. The error wraps bookahead.ErrInvalid
// if there is no provider, if a provider is nil or shares a schedule with another, if some are
// pools and others have servers, or if a clock is ahead of the Origin. It takes a Frame and an
// Advance of each provider.
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
	if err := b.agrees(); err != nil { // before any clock is moved
		return nil, err
	}
	if err := b.Advance(c.Origin); err != nil {
		return nil, err
	}
	return b, nil
}

// newBroker returns a broker without providers and reservations.
func newBroker(policy Policy, partition Partition) *Broker {
	if policy.choose == nil {
		policy = MCT
	}
	return &Broker{
		policy:    policy,
		partition: partition,
		booked:    map[bookahead.ID]booking{},
		ends:      btree.NewG(32, earlier),
	}
}

// Search implements bookahead.Schedule: it returns the offer of the provider that the
// policy chooses. It takes a Search for each provider that the policy asks.
func (b *Broker) Search(r bookahead.Request) (bookahead.Offer, error) {
	k, o, err := b.choose(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	return b.global(k, o), nil
}

// Reserve implements bookahead.Schedule. It takes a Search, a Reserve of the provider,
// and O(log n) for n reservations.
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

// Release implements bookahead.Schedule. It takes a Release of the provider, and
// O(log n) for n reservations.
func (b *Broker) Release(id bookahead.ID) error {
	k, ok := b.booked[id]
	if !ok {
		return bookahead.ErrNotFound
	}
	err := b.providers[k.Provider].schedule.Release(k.ID)
	if err == nil || err == bookahead.ErrNotFound { // ErrNotFound: others have released it
		b.drop(id)
	}
	return err
}

// RangeQuery implements bookahead.Schedule: it returns the most units that one provider
// has free throughout w, which is cut at the latest horizon of a provider. Providers count
// if the partition admits them, and their own horizon is not before the end of w. It takes a RangeQuery of each provider.
func (b *Broker) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return b.Among(nil, w)
}

// Among is RangeQuery for a request that names servers: it returns the free servers among the named at
// the provider that has the most of them. Nil names all servers. bookahead.Explain and Openings call
// Among. The error wraps bookahead.ErrInvalid if w is empty, or if a request could not name these servers.
// It takes a RangeQuery of each provider that has one of them.
func (b *Broker) Among(named []int, w bookahead.Interval) (bookahead.Availability, error) {
	w, err := b.limits.Window(w)
	if err == nil && named != nil {
		_, _, err = b.limits.Starts(bookahead.Request{Duration: 1, Units: 1, Servers: named})
		if errors.Is(err, bookahead.ErrUnavailable) { // the names are valid, and only the clock is in the way
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
		if !ok || !b.partition.Admits(k) {
			continue
		}
		a, err := among(p.schedule, mine.Servers, w)
		if err != nil {
			return bookahead.Availability{}, err
		}
		if a.Window == w && a.Free > most.Free { // the window is shorter if the provider's horizon is before w.End
			err = b.knows(k, a.Servers)
			if err != nil {
				return bookahead.Availability{}, err
			}
			most.Free, most.Servers = a.Free, b.shift(k, a.Servers)
		}
	}
	return most, nil
}

// Advance implements bookahead.Schedule: it moves all clocks, or none. The Broker first
// checks that no horizon that moves with its clock would leave the axis; a horizon that was
// the end of the axis when the provider joined the Broker does not move. A provider that
// fails nevertheless has been used elsewhere, or breaks its contract. If provider 0 fails,
// no clock moves. If another provider fails, the other clocks have moved, and the error
// names the provider. The Broker goes on asking it, for times from now on, and moves its
// clock with the others the next time. It takes O(log n) for each of n reservations that
// ends, and an Advance of each provider.
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
	for {
		e, ok := b.ends.Min()
		if !ok || e.Time > now {
			break
		}
		b.ends.DeleteMin()
		b.drop(e.id)
	}
	return errors.Join(failed...)
}

// Providers returns the number of providers.
func (b *Broker) Providers() int { return len(b.providers) }

// Provider returns provider k. The caller may query it, and book there.
func (b *Broker) Provider(k int) bookahead.Schedule { return b.providers[k].schedule }

// Place returns where a reservation lies. It returns bookahead.ErrNotFound if the ID
// is not booked, or its reservation has ended. O(1).
func (b *Broker) Place(id bookahead.ID) (Place, error) {
	k, ok := b.booked[id]
	if !ok {
		return Place{}, bookahead.ErrNotFound
	}
	return k.Place, nil
}

// enter adds a reservation to the books.
func (b *Broker) enter(id bookahead.ID, k booking) {
	b.booked[id] = k
	b.ends.ReplaceOrInsert(event{k.Offer.End, id})
	b.providers[k.Provider].live++
}

// drop takes a reservation out of the books.
func (b *Broker) drop(id bookahead.ID) {
	k := b.booked[id]
	delete(b.booked, id)
	b.ends.Delete(event{k.Offer.End, id})
	b.providers[k.Provider].live--
}

func (b *Broker) members() []bookahead.Schedule {
	all := make([]bookahead.Schedule, len(b.providers))
	for k, p := range b.providers {
		all[k] = p.schedule
	}
	return all
}
