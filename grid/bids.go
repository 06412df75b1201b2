package grid

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// Bids is the view that a Policy has of a request and of the providers. A Broker has its
// own implementation. A simulator that sends tasks to queues brings another, and so uses
// the same policies. Bids are valid during the call.
type Bids interface {
	// Request returns the request, with the Broker's numbers of servers. The slice
	// must not be changed.
	Request() bookahead.Request
	// Earliest returns the first tick at which the request may start: no offer is
	// better than an offer at this tick.
	Earliest() bookahead.Time
	// Made returns how many requests have been given to a provider so far, also those
	// released since. For a Broker it is the ID of the last reservation.
	Made() bookahead.ID
	// Len returns the number of providers.
	Len() int
	// Takes reports whether provider k takes the request. A Broker's provider takes
	// the request if it makes an offer; a queue may take a request without a search.
	Takes(k int) bool
	// Offer returns the offer of provider k, with the provider's own numbers of
	// servers, and whether there is an offer. A provider is searched when it is first
	// asked, and not again. A provider that the Partition does not admit makes no
	// offer.
	Offer(k int) (bookahead.Offer, bool)
	// Queue returns the length of the queue at provider k. A Broker counts its
	// reservations that have not ended, and in a Rebook leaves out the reservation
	// that is booked anew. A simulator counts the tasks that wait.
	Queue(k int) int
	// Provider returns provider k, for queries. In a Rebook, queries count the
	// reservation that is booked anew as booked.
	Provider(k int) bookahead.Schedule
	// Capacity returns the number of units, or open servers, of provider k now. It may
	// be 0, and Provider(k) may offer more later.
	Capacity(k int) int64
}

// bids are the Bids of a Broker.
type bids struct {
	broker  *Broker
	request bookahead.Request
	asked   []bid
	own     standing // the reservation of a Rebook
}

// standing is the reservation that a Rebook is about. The zero value stands for no
// reservation.
type standing struct {
	Place
	keeper bookahead.Keeper // the provider of the Place
}

type bid struct {
	asked bool
	offer bookahead.Offer
	err   error
}

func (b *bids) Request() bookahead.Request        { return b.request }
func (b *bids) Earliest() bookahead.Time          { return max(b.request.Ready, b.broker.limits.Now) }
func (b *bids) Made() bookahead.ID                { return b.broker.last }
func (b *bids) Len() int                          { return len(b.asked) }
func (b *bids) Provider(k int) bookahead.Schedule { return b.broker.Provider(k) }
func (b *bids) Capacity(k int) int64              { return b.broker.providers[k].schedule.Frame().Capacity }

func (b *bids) Takes(k int) bool {
	_, ok := b.Offer(k)
	return ok
}

func (b *bids) Offer(k int) (bookahead.Offer, bool) {
	if k < 0 || k >= len(b.asked) {
		return bookahead.Offer{}, false
	}
	a := &b.asked[k]
	if !a.asked {
		a.asked = true
		a.offer, a.err = b.ask(k)
	}
	return a.offer, a.err == nil
}

func (b *bids) Queue(k int) int {
	live := b.broker.providers[k].live
	if b.moves(k) {
		live--
	}
	return live
}

// moves reports whether the request is for a Rebook of a reservation at provider k.
func (b *bids) moves(k int) bool { return b.own.keeper != nil && b.own.Provider == k }

// choose returns the provider that gets r, and its offer.
func (b *Broker) choose(r bookahead.Request) (int, bookahead.Offer, error) {
	return b.chooseBy(b.policy, r, standing{})
}

// chooseBy is choose by another policy. If there is an own reservation, its use counts as
// free, and at equal starts its provider is chosen.
func (b *Broker) chooseBy(policy Policy, r bookahead.Request, own standing) (int, bookahead.Offer, error) {
	if _, _, err := b.limits.Starts(r); err != nil {
		return 0, bookahead.Offer{}, err
	}
	view := &bids{broker: b, request: r, asked: make([]bid, len(b.providers)), own: own}
	k := policy.Choose(view)
	o, ok := view.Offer(k)
	if !ok {
		return 0, bookahead.Offer{}, view.refusal()
	}
	if own.keeper != nil {
		mine, ok := view.Offer(own.Provider)
		if ok && mine.Start == o.Start {
			return own.Provider, mine, nil
		}
	}
	return k, o, nil
}

// earliest is Search by MCT.
func (b *Broker) earliest(r bookahead.Request) (bookahead.Offer, error) {
	k, o, err := b.chooseBy(MCT, r, standing{})
	if err != nil {
		return bookahead.Offer{}, err
	}
	return b.global(k, o), nil
}

// refusal returns the error if the policy has chosen no offer: the error of a provider that
// has failed, or bookahead.ErrUnavailable.
func (b *bids) refusal() error {
	for k := range b.asked {
		b.Offer(k)
		if err := b.asked[k].err; err != nil && err != bookahead.ErrUnavailable {
			return fmt.Errorf("grid: provider %d: %w", k, err)
		}
	}
	return bookahead.ErrUnavailable
}

// ask returns the offer of provider k.
func (b *bids) ask(k int) (bookahead.Offer, error) {
	r, ok := b.broker.local(k, b.request)
	if !ok || !b.broker.partition.Admits(k) {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	// A provider whose clock lags behind must not offer time that has passed.
	r.Ready = max(r.Ready, b.broker.limits.Now)
	o, err := bookahead.Offer{}, error(nil)
	if b.moves(k) {
		o, err = b.own.keeper.SearchFor(b.own.ID, r)
	} else {
		o, err = b.broker.providers[k].schedule.Search(r)
	}
	if err == nil {
		err = b.broker.knows(k, o.Servers)
	}
	return o, err
}
