package grid

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead"
)

// Policy chooses the provider for a request. The zero value is MCT; PolicyFunc makes a
// policy of the caller's own.
type Policy struct {
	number uint64 // in a snapshot
	seed   uint64 // of Random
	choose func(b Bids) int
}

// Policies, as a snapshot numbers them.
const (
	callersPolicy = iota
	policyMCT
	policyPriority
	policyShortestQueue
	policyLeastLoaded
	policyRandom // followed by its seed
)

var (
	// MCT takes the offer that ends first (minimum completion time; Kurowski et al.,
	// §4.4.2). Ties go to the lowest index. MCT is the only policy with which the offer of
	// the Broker is the earliest possible. It asks all providers, unless one can start at
	// once. O(p) for p providers, and a Search at each provider asked.
	MCT = Policy{number: policyMCT, choose: earliestEnd}

	// Priority takes the first provider that takes the request, in the order of NewBroker,
	// even if another provider could start earlier. So reservations gather at the first
	// providers, and the others are left to tasks without reservations (AR resource
	// priority; Kurowski et al., §4.4.2). It asks no more providers than it needs. O(p) for
	// p providers, and a Search at each provider asked.
	Priority = Policy{number: policyPriority, choose: firstTaker}

	// ShortestQueue takes the provider with the shortest queue among those that take the
	// request (load balancing by the number of tasks; Kurowski et al., §4.4.2). The queue
	// at a provider of a Broker is the Broker's reservations there that have not ended.
	// Ties go to the lowest index. It asks no more providers than it needs. O(p log p) for
	// p providers, and a Search at each provider asked.
	ShortestQueue = Policy{number: policyShortestQueue, choose: shortestQueue}

	// LeastLoaded takes the provider that has the largest share of its capacity free
	// throughout the first window that the request allows, even if the offer is later. Ties
	// go to the offer that ends first, and then to the lowest index. It asks all providers.
	// O(p) for p providers, a Search at each, and a RangeQuery at each that makes an offer.
	LeastLoaded = Policy{number: policyLeastLoaded, choose: largestShare}
)

// Random takes one of the providers that take the request, each with the same
// probability. The choice depends on the seed and on how many reservations the Broker
// has made, so that Search and Reserve make the same choice, and so does a replay. It
// asks no more providers than it needs. O(p log p) for p providers, and a Search at each
// provider asked.
func Random(seed uint64) Policy {
	return Policy{policyRandom, seed, func(b Bids) int { return byLot(b, seed) }}
}

// PolicyFunc returns a policy of the caller's own. The function returns the index of a
// provider that takes the request; any other number turns the request away. If the function
// is nil, the result is the zero value.
//
// The function must not change anything, and must return the same for the same bids,
// because Search calls it, and Reserve calls it again. If it returns a provider whenever
// some provider makes an offer, as all policies here do, the Broker takes every request
// that some provider can take.
func PolicyFunc(choose func(b Bids) int) Policy { return Policy{choose: choose} }

// Choose returns the index of the provider that the policy chooses, or a number that is no
// provider's index. With Choose, a policy of the caller's own can be built on another policy.
func (p Policy) Choose(b Bids) int {
	if p.choose == nil {
		return earliestEnd(b)
	}
	return p.choose(b)
}

func earliestEnd(b Bids) int {
	best, end := -1, bookahead.Time(0)
	for k := range b.Len() {
		o, ok := b.Offer(k)
		if !ok || best >= 0 && o.End >= end {
			continue
		}
		best, end = k, o.End
		if o.Start <= b.Earliest() {
			break
		}
	}
	return best
}

func firstTaker(b Bids) int {
	for k := range b.Len() {
		if b.Takes(k) {
			return k
		}
	}
	return -1
}

func shortestQueue(b Bids) int {
	return inOrder(b, func(x, y int) int { return cmp.Compare(b.Queue(x), b.Queue(y)) })
}

func largestShare(b Bids) int {
	best, most, end := -1, 0.0, bookahead.Time(0)
	for k := range b.Len() {
		o, ok := b.Offer(k)
		if !ok {
			continue
		}
		wanted := bookahead.Interval{Start: b.Earliest(), End: b.Earliest() + bookahead.Time(b.Request().Duration)} // no later than o
		a, err := b.Provider(k).RangeQuery(wanted)
		if err != nil {
			continue
		}
		free := share(a.Free, b.Capacity(k))
		if best < 0 || free > most || free == most && o.End < end {
			best, most, end = k, free, o.End
		}
	}
	return best
}

// share returns the free part of a capacity, at most 1: the capacity is that of now, and more may
// be free later.
func share(free, capacity int64) float64 {
	if free >= capacity {
		return 1
	}
	return float64(free) / float64(capacity)
}

func byLot(b Bids, seed uint64) int {
	rng := rand.NewPCG(seed, uint64(b.Made()))
	lot := make([]uint64, b.Len())
	for k := range lot {
		lot[k] = rng.Uint64()
	}
	return inOrder(b, func(x, y int) int { return cmp.Compare(lot[x], lot[y]) })
}

// inOrder returns the first provider, in the order of compare, that takes the request.
func inOrder(b Bids, compare func(x, y int) int) int {
	order := make([]int, b.Len())
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, compare)
	for _, k := range order {
		if b.Takes(k) {
			return k
		}
	}
	return -1
}
