package grid

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Bids is what a Policy chooses from: a request, and what each provider answers.
// It is valid during the call.
type Bids struct {
	broker  *Broker
	request bookahead.Request
	bids    []bid
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
		a.offer, a.err = b.broker.ask(k, b.request)
	}
	return a.offer, a.err == nil
}

// Provider returns provider k, for queries.
func (b *Bids) Provider(k int) bookahead.Schedule { return b.broker.Provider(k) }

// Capacity returns the number of units, or servers, of provider k.
func (b *Bids) Capacity(k int) int64 { return b.broker.Capacity(k) }

// Live returns how many reservations the Broker has with provider k that have
// not ended.
func (b *Bids) Live(k int) int { return b.broker.providers[k].live }

// Made returns how many reservations the Broker has made so far, those included
// that have been released. It is the ID of the last.
func (b *Bids) Made() bookahead.ID { return b.broker.last }

// Earliest returns the first tick at which the request may start: none can offer
// more than that.
func (b *Bids) Earliest() bookahead.Time { return max(b.request.Ready, b.broker.limits.Now) }

// choose returns the provider that is to get r, and its offer.
func (b *Broker) choose(r bookahead.Request) (int, bookahead.Offer, error) {
	return b.chooseBy(b.policy, r)
}

func (b *Broker) chooseBy(policy Policy, r bookahead.Request) (int, bookahead.Offer, error) {
	if err := r.Validate(); err != nil {
		return 0, bookahead.Offer{}, err
	}
	if r.Servers != nil && b.servers >= 0 {
		if k := slices.Max(r.Servers); k >= b.servers {
			return 0, bookahead.Offer{}, limits.Invalid("Request.Servers", k, fmt.Sprintf("is not below the %d of all providers", b.servers))
		}
	}
	bids := &Bids{broker: b, request: r, bids: make([]bid, len(b.providers))}
	k := policy(bids)
	if o, ok := bids.Offer(k); ok {
		return k, o, nil
	}
	return 0, bookahead.Offer{}, bids.refusal()
}

// earliest is Search by MCT.
func (b *Broker) earliest(r bookahead.Request) (bookahead.Offer, error) {
	k, o, err := b.chooseBy(MCT, r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	return b.global(k, o), nil
}

// refusal says why there is no offer that the policy wants. A provider that fails
// comes first; a request is invalid only if it is so at each that may get it.
func (b *Bids) refusal() error {
	var invalid error
	most, full := int64(0), false
	for k := range b.bids {
		_, ok := b.Offer(k)
		switch err := b.bids[k].err; {
		case ok || err == bookahead.ErrUnavailable:
			full = true
		case err == errKept:
		case !errors.Is(err, bookahead.ErrInvalid):
			return fmt.Errorf("grid: provider %d: %w", k, err)
		case b.Capacity(k) > most:
			invalid, most = err, b.Capacity(k)
		}
	}
	if full || invalid == nil {
		return bookahead.ErrUnavailable
	}
	return invalid
}

// errKept is the bid of a provider that the partition keeps from the request.
var errKept = errors.New("grid: kept from the request")

// ask returns what provider k offers.
func (b *Broker) ask(k int, r bookahead.Request) (bookahead.Offer, error) {
	if !b.admits(k, r) {
		return bookahead.Offer{}, errKept
	}
	p := b.providers[k]
	if r.Servers != nil && b.servers >= 0 {
		var own []int
		for _, s := range r.Servers {
			if s -= p.first; 0 <= s && s < p.servers {
				own = append(own, s)
			}
		}
		if int64(len(own)) < r.Units {
			return bookahead.Offer{}, limits.Invalid("Request.Servers", r.Servers, fmt.Sprintf("are not %d at one provider", r.Units))
		}
		r.Servers = own
	}
	// A provider whose clock could not be moved must not offer what has passed.
	now := b.limits.Now
	if end, err := now.Add(r.Duration); err == nil && (r.Deadline == 0 || end <= r.Deadline) {
		r.Ready = max(r.Ready, now)
	}
	o, err := p.Search(r)
	if err == nil && o.Start < now {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return o, err
}
