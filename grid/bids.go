package grid

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// Bids is what a Policy chooses from: a request, and what each provider answers.
// It is valid during the call.
type Bids struct {
	broker  *Broker
	request bookahead.Request
	bids    []bid
	own     standing // that a Rebook is about, if it is one
}

// standing is a reservation that a Rebook is about. The zero value is none.
type standing struct {
	Place
	keeper bookahead.Keeper // the provider there
}

type bid struct {
	asked bool
	offer bookahead.Offer
	err   error
}

// Request returns the request, with servers counted as the Broker does. The
// slice must not be changed.
func (b *Bids) Request() bookahead.Request { return b.request }

// Len returns the number of providers.
func (b *Bids) Len() int { return len(b.bids) }

// Offer returns what provider k offers, with servers counted as the provider
// does, and whether it offers anything. A provider is searched when it is first
// asked, and not again. One that the Partition keeps from the request offers
// nothing.
func (b *Bids) Offer(k int) (bookahead.Offer, bool) {
	if k < 0 || k >= len(b.bids) {
		return bookahead.Offer{}, false
	}
	a := &b.bids[k]
	if !a.asked {
		a.asked = true
		a.offer, a.err = b.ask(k)
	}
	return a.offer, a.err == nil
}

// Provider returns provider k, for queries. In a Rebook they count the use of the
// reservation that it is about.
func (b *Bids) Provider(k int) bookahead.Schedule { return b.broker.Provider(k) }

// Capacity returns the number of units, or servers, of provider k.
func (b *Bids) Capacity(k int) int64 { return b.broker.Capacity(k) }

// Live returns how many reservations the Broker has with provider k that have
// not ended. In a Rebook it leaves out the one that is booked anew.
func (b *Bids) Live(k int) int {
	live := b.broker.providers[k].live
	if b.moves(k) {
		live--
	}
	return live
}

// moves reports whether the request is for a Rebook of a reservation at provider k.
func (b *Bids) moves(k int) bool { return b.own.keeper != nil && b.own.Provider == k }

// Made returns how many reservations the Broker has made so far, those included
// that have been released. It is the ID of the last.
func (b *Bids) Made() bookahead.ID { return b.broker.last }

// Earliest returns the first tick at which the request may start: none can offer
// more than that.
func (b *Bids) Earliest() bookahead.Time { return max(b.request.Ready, b.broker.limits.Now) }

// choose returns the provider that is to get r, and its offer.
func (b *Broker) choose(r bookahead.Request) (int, bookahead.Offer, error) {
	return b.chooseBy(b.policy, r, standing{})
}

// chooseBy is choose by another policy, for the own reservation, if there is one. It counts
// the use of that as free.
func (b *Broker) chooseBy(policy Policy, r bookahead.Request, own standing) (int, bookahead.Offer, error) {
	if _, _, err := b.limits.Starts(r); err != nil {
		return 0, bookahead.Offer{}, err
	}
	bids := &Bids{broker: b, request: r, bids: make([]bid, len(b.providers)), own: own}
	k := policy.Choose(bids)
	o, ok := bids.Offer(k)
	if !ok {
		return 0, bookahead.Offer{}, bids.refusal()
	}
	if own.keeper != nil {
		if mine, ok := bids.Offer(own.Provider); ok && mine.Start == o.Start {
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

// refusal says why there is no offer that the policy wants: a provider has failed, or
// there is no place.
func (b *Bids) refusal() error {
	for k := range b.bids {
		b.Offer(k)
		if err := b.bids[k].err; err != nil && err != bookahead.ErrUnavailable {
			return fmt.Errorf("grid: provider %d: %w", k, err)
		}
	}
	return bookahead.ErrUnavailable
}

// ask returns the offer of provider k.
func (b *Bids) ask(k int) (bookahead.Offer, error) {
	r, ok := b.broker.local(k, b.request)
	if !ok || !b.broker.partition.Admits(k, b.request) {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	// A provider whose clock lags behind must not offer time that has passed.
	r.Ready = max(r.Ready, b.broker.limits.Now)
	if b.moves(k) {
		return b.own.keeper.SearchFor(b.own.ID, r)
	}
	return b.broker.providers[k].schedule.Search(r)
}

// local returns r with those of the servers named that provider k has, and false if they
// are too few.
func (b *Broker) local(k int, r bookahead.Request) (bookahead.Request, bool) {
	if r.Servers == nil {
		return r, true
	}
	p := b.providers[k]
	own := make([]int, 0, len(r.Servers))
	for _, s := range r.Servers {
		s -= p.first
		if 0 <= s && s < p.servers {
			own = append(own, s)
		}
	}
	r.Servers = own
	return r, int64(len(own)) >= r.Units
}
