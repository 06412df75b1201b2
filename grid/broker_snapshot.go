package grid

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/snapshot"
)

var _ bookahead.Snapshotter = (*Broker)(nil)

const kindOfBroker = "grid.Broker"

// MarshalBinary implements encoding.BinaryMarshaler: the snapshots of all providers,
// the clock, the ID given last, where each reservation lies until when, and which of
// the policies that have no argument chooses. The error wraps bookahead.ErrInvalid if a
// provider is not a bookahead.Snapshotter, or if one lists its reservations and the
// Broker's are not among them (Release makes it forget what others have released).
// It takes what the providers take, and O(n log n) for n reservations of them all.
func (b *Broker) MarshalBinary() ([]byte, error) { return b.AppendBinary(nil) }

// AppendBinary implements encoding.BinaryAppender. See MarshalBinary.
func (b *Broker) AppendBinary(to []byte) ([]byte, error) {
	if err := b.agrees(); err != nil { // what nobody could read
		return nil, err
	}
	w := snapshot.Begin(to, kindOfBroker)
	b.limits.Write(w)
	w.Uint(b.policy.number())
	w.Uint(b.partition.number())
	w.Uint(uint64(len(b.providers)))
	for k, p := range b.providers {
		inner, err := written(fmt.Sprintf("providers[%d]", k), p.Schedule)
		if err != nil {
			return nil, err
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
		w.Uint(uint64(k.end - b.limits.Now))
		before = id
	}
	w.Uint(0) // no more
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says, but not into a zero value: the receiver must be a Broker of as many
// providers, of the same kinds in the same order, whatever their state and capacity.
// Each must be a bookahead.Cloner, or a Broker, Desk or Binder, or one of these
// Locked. The Broker gets other such providers, which Provider returns, and leaves
// its own alone, for those who share them; but reading counts as a write to them.
//
// Functions cannot be written. The policies MCT, Priority, ShortestQueue and
// LeastLoaded are known by their names, and so is a Partition that is nil. Where
// there was another, the receiver must have one of its own: the same, which for
// Random means the same seed, and for ByDuration the same limits. That it is the
// same cannot be seen.
//
// It takes what the providers take, and O(n log n) for n reservations of them all.
// The memory that few bytes may ask for they may ask for at each provider.
func (b *Broker) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfBroker)
	bounds := limits.Read(r)
	read := newBroker(readPolicy(r, b.policy), readPartition(r, b.partition))
	read.limits = bounds
	if n := r.Uint("providers", math.MaxInt32); r.Err() == nil && n != uint64(len(b.providers)) {
		r.Fail("providers", n, fmt.Sprintf("are not the %d that there are to be read into", len(b.providers)))
	}
	for k, p := range b.providers {
		name := fmt.Sprintf("providers[%d]", k)
		inner := r.Bytes(name)
		if r.Err() != nil {
			break
		}
		s, err := readLike(name, p.Schedule, inner)
		if err == nil {
			err = read.enlist(s)
		}
		r.Check(err)
	}
	if most := read.greatest(); r.Err() == nil && bounds.Capacity != most {
		r.Fail("capacity", bounds.Capacity, fmt.Sprintf("is not that of the greatest provider, %d", most))
	}
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

// book reads the reservations of a broker that has its providers.
func (b *Broker) book(r *snapshot.Reader) {
	b.last = bookahead.ID(r.Uint("last ID", snapshot.MaxID))
	id, now := bookahead.ID(0), b.limits.Now
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
			r.Fail("time to the end", left, fmt.Sprintf("is over, of reservation %d", id))
		}
		if other, ok := b.ids[at]; ok {
			r.Fail("place", at, fmt.Sprintf("is that of reservations %d and %d", other, id))
		}
		if r.Err() != nil {
			return
		}
		b.enter(id, booking{at, now + left})
	}
}

// knownPolicies are those that a snapshot can name, counted from 1. 0 is any other.
var knownPolicies = []Policy{MCT, Priority, ShortestQueue, LeastLoaded}

// number returns what a snapshot calls the policy.
func (p Policy) number() uint64 {
	for i, known := range knownPolicies {
		if reflect.ValueOf(p).Pointer() == reflect.ValueOf(known).Pointer() {
			return uint64(i) + 1
		}
	}
	return 0
}

// readPolicy returns the policy that the snapshot names, or else the receiver's.
func readPolicy(r *snapshot.Reader, own Policy) Policy {
	if n := r.Uint("policy", uint64(len(knownPolicies))); n > 0 {
		return knownPolicies[n-1]
	}
	if own == nil || own.number() > 0 {
		r.Fail("policy", 0, "is of the caller: read it into a Broker with the same Config.Policy")
	}
	return own
}

// number returns what a snapshot says of the partition: whether there is one.
func (p Partition) number() uint64 {
	if p == nil {
		return 0
	}
	return 1
}

// readPartition returns the receiver's partition, if there was one.
func readPartition(r *snapshot.Reader, own Partition) Partition {
	if r.Uint("partition", 1) == 0 {
		return nil
	}
	if own == nil {
		r.Fail("partition", 1, "is of the caller: read it into a Broker with the same Config.Partition")
	}
	return own
}
