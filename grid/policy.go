package grid

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead"
)

// Policy chooses the provider for a request: it returns the index of one that
// makes an offer. Any other number turns the request away.
//
// It must not change anything, and return the same for the same bids: Search asks
// it, and Reserve asks it again. If it finds a provider whenever one makes an
// offer, as all policies here do, the Broker takes every request that some
// provider can.
type Policy func(b *Bids) int

var _ = []Policy{MCT, Priority, ShortestQueue, LeastLoaded}

// MCT takes the offer that is complete first; of several, that of the provider
// with the lowest index (minimum completion time; Kurowski et al., §4.4.2). With
// it, and no other policy, the Broker's offer is the earliest there is. It asks
// all providers, unless one can start at once. O(p) for p providers, and a Search at
// each that is asked.
func MCT(b *Bids) int {
	best, end := -1, bookahead.Time(0)
	for k := range b.Len() {
		o, ok := b.Offer(k)
		if !ok || best >= 0 && o.End >= end {
			continue
		}
		if best, end = k, o.End; o.Start <= b.Earliest() {
			break
		}
	}
	return best
}

// Priority takes the first provider that offers anything, in the order in which
// NewBroker got them, even if a later one could start earlier. So reservations
// gather where they are wanted, and the others are left to tasks without
// (AR resource priority; Kurowski et al., §4.4.2). It asks no more providers than
// it needs. O(p) for p providers, and a Search at each that is asked.
func Priority(b *Bids) int {
	for k := range b.Len() {
		if _, ok := b.Offer(k); ok {
			return k
		}
	}
	return -1
}

// ShortestQueue takes the provider with the fewest reservations of the Broker
// that have not ended; of several, the one with the lowest index (load balancing
// by the number of tasks; Kurowski et al., §4.4.2). It asks no more providers
// than it needs. O(p log p) for p providers, and a Search at each that is asked.
func ShortestQueue(b *Bids) int {
	return inOrder(b, func(x, y int) int { return cmp.Compare(b.Live(x), b.Live(y)) })
}

// LeastLoaded takes the provider that has the largest share of its capacity free
// throughout the first window that the request allows, whether or not it can be
// had there; of several, the one that is complete first, and then the one with the
// lowest index. It asks all providers. O(p) for p providers, a Search at each, and a
// RangeQuery at each that makes an offer.
func LeastLoaded(b *Bids) int {
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
		if free := float64(a.Free) / float64(b.Capacity(k)); best < 0 || free > most || free == most && o.End < end {
			best, most, end = k, free, o.End
		}
	}
	return best
}

// Random takes one of the providers that offer anything, each as likely as the
// others. The choice depends on the seed and on how many reservations the Broker
// has made, so that Search does not draw a new one, and a replay draws the same.
// It asks no more providers than it needs. O(p log p) for p providers, and a Search at
// each that is asked.
func Random(seed uint64) Policy {
	return func(b *Bids) int {
		rng := rand.NewPCG(seed, uint64(b.Made()))
		lot := make([]uint64, b.Len())
		for k := range lot {
			lot[k] = rng.Uint64()
		}
		return inOrder(b, func(x, y int) int { return cmp.Compare(lot[x], lot[y]) })
	}
}

// inOrder takes the first provider in that order that offers anything.
func inOrder(b *Bids, compare func(x, y int) int) int {
	order := make([]int, b.Len())
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, compare)
	for _, k := range order {
		if _, ok := b.Offer(k); ok {
			return k
		}
	}
	return -1
}
