package grid

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

const kindOfBroker = "grid.Broker"

// MarshalBinary implements encoding.BinaryMarshaler. It writes the snapshots of all providers,
// the clock, the last ID, the place and the end of each reservation, and the
// Policy and the Partition if they are of this package. The error wraps bookahead.ErrInvalid if
// a provider is not a bookahead.Snapshotter, if servers were added to a provider, or
// if a provider no longer has a reservation of the Broker (a Release of this reservation mends
// that). It takes a snapshot of each provider, and O(n log n) for n reservations of all
// providers.
func (b *Broker) MarshalBinary() ([]byte, error) {
	if err := b.agrees(); err != nil { // such a snapshot could not be read
		return nil, err
	}
	w := snapshot.Begin(kindOfBroker)
	w.Uint(uint64(b.limits.Now))
	b.policy.write(w)
	b.partition.write(w)
	w.Uint(uint64(len(b.providers)))
	for k, p := range b.providers {
		inner, err := bookahead.Snapshot(p.schedule)
		if err != nil {
			return nil, fmt.Errorf("grid: providers[%d]: %w", k, err)
		}
		w.Bytes(inner)
	}
	w.Uint(uint64(b.last))
	before := bookahead.ID(0)
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		k := b.booked[id]
		w.Uint(uint64(id - before))
		w.Uint(uint64(k.Provider))
		w.Uint(uint64(k.ID))
		w.Uint(uint64(k.Offer.End - b.limits.Now))
		before = id
	}
	w.Uint(0) // no more
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter says, but
// not for a zero value: the receiver must be a Broker of as many providers, of the same kinds
// in the same order, with any state and capacity. Each provider must be a bookahead.Cloner and
// a bookahead.Keeper. The Broker gets new providers, which Provider returns, and leaves its
// old ones unchanged, because others may share them.
//
// The policies and partitions of this package are read with their arguments, and replace those
// of the receiver. A function cannot be written: for a PolicyFunc the receiver must have one too,
// and the caller must see to it that the function is the same.
//
// It takes an UnmarshalBinary of each provider, and O(n log n) for n reservations of all
// providers. The bound on memory holds for each provider.
func (b *Broker) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfBroker)
	now := r.Time("now")
	read := newBroker(readPolicy(r, b.policy), readPartition(r))
	n := r.Uint("providers", math.MaxInt32)
	if r.Err() == nil && n != uint64(len(b.providers)) {
		r.Fail("providers", n, fmt.Sprintf("is not the number of providers of the receiver, %d", len(b.providers)))
	}
	for k, p := range b.providers {
		name := fmt.Sprintf("providers[%d]", k)
		inner := r.Bytes(name)
		if r.Err() != nil {
			break
		}
		s, err := readLike(name, p.schedule, inner)
		if err == nil {
			err = read.enlist(s)
		}
		r.Check(err)
	}
	r.Check(read.limits.Advance(now))
	read.book(r)
	if r.Err() == nil {
		r.Check(read.agrees())
	}
	if err := r.Close(); err != nil {
		return err
	}
	*b = *read
	return nil
}

// book reads the reservations, when the broker has its providers already.
func (b *Broker) book(r *snapshot.Reader) {
	b.last = bookahead.ID(r.Uint("last ID", snapshot.MaxID))
	id, now, taken := bookahead.ID(0), b.limits.Now, map[Place]bookahead.ID{}
	for {
		step := r.Uint("ID", uint64(b.last-id))
		if step == 0 {
			return
		}
		id += bookahead.ID(step)
		at := Place{Provider: int(r.Uint("provider", uint64(len(b.providers)-1)))}
		at.ID = bookahead.ID(r.Uint("ID at the provider", math.MaxUint64))
		left := bookahead.Time(r.Uint("time to the end", uint64(bookahead.MaxTime-now)))
		if left == 0 {
			r.Fail("time to the end", left, fmt.Sprintf("of reservation %d is less than 1", id))
		}
		if r.Err() != nil {
			return
		}
		other, ok := taken[at]
		if ok {
			r.Fail("place", at, fmt.Sprintf("of reservation %d is also that of reservation %d", id, other))
		}
		taken[at] = id
		res, err := b.at(id, at)
		r.Check(err)
		if err == nil && res.End != now+left {
			r.Fail("time to the end", left, fmt.Sprintf("of reservation %d is %d at provider %d", id, res.End-now, at.Provider))
		}
		if r.Err() != nil {
			return
		}
		b.enter(id, booking{at, b.global(at.Provider, res.Offer)})
	}
}

// write writes the number of the policy, and the seed of Random.
func (p Policy) write(w *snapshot.Writer) {
	w.Uint(p.number)
	if p.number == policyRandom {
		w.Uint(p.seed)
	}
}

// readPolicy returns the policy that the snapshot names, or else the receiver's.
func readPolicy(r *snapshot.Reader, own Policy) Policy {
	switch r.Uint("policy", policyRandom) {
	case policyMCT:
		return MCT
	case policyPriority:
		return Priority
	case policyShortestQueue:
		return ShortestQueue
	case policyLeastLoaded:
		return LeastLoaded
	case policyRandom:
		return Random(r.Uint("seed", math.MaxUint64))
	}
	if own.choose == nil || own.number != callersPolicy {
		r.Fail("policy", callersPolicy, "is of the caller: read it into a Broker with the same Config.Policy")
	}
	return own
}

// write writes the number of the partition, and the providers of Dedicated.
func (p Partition) write(w *snapshot.Writer) {
	if !p.dedicated {
		w.Uint(noPartition)
		return
	}
	w.Uint(partitionDedicated)
	w.Uint(uint64(len(p.providers)))
	for _, k := range p.providers {
		w.Int(k)
	}
}

// readPartition reads what write has written.
func readPartition(r *snapshot.Reader) Partition {
	switch n := r.Uint("partition", partitionDedicated); n {
	case noPartition:
		return Partition{}
	case partitionDedicated:
		list := make([]int64, r.Uint("providers of the partition", uint64(r.Left())))
		for i := range list {
			list[i] = r.Int("provider of the partition")
		}
		return Partition{true, list}
	default:
		r.Fail("partition", n, "is of no known kind")
		return Partition{}
	}
}
