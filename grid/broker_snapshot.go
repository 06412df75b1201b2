package grid

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Kinds of brokers: one that has never passed on a closure or an extension, and one that has.
const (
	kindOfBroker       = "grid.Broker"
	kindOfClosedBroker = "grid.Broker with closures"
)

// MarshalBinary implements encoding.BinaryMarshaler: the snapshots of all providers,
// the clock, the ID given last, where each reservation lies until when, the closures, and the Policy
// and Partition, if they are of this package. The error wraps bookahead.ErrInvalid if a
// provider is not a bookahead.Snapshotter, or was extended elsewhere, or if one lists its reservations and the
// Broker's are not among them (Release makes it forget what others have released).
// It takes what the providers take, and O(n log n) for n reservations of them all.
func (b *Broker) MarshalBinary() ([]byte, error) {
	if err := b.agrees(); err != nil { // what nobody could read
		return nil, err
	}
	kind := kindOfBroker
	if b.closings.last > 0 {
		kind = kindOfClosedBroker
	}
	w := snapshot.Begin(kind)
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
	if kind == kindOfClosedBroker {
		b.writeClosings(w)
	}
	w.Uint(uint64(b.last))
	before := bookahead.ID(0)
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		k := b.booked[id]
		w.Uint(uint64(id - before))
		w.Uint(uint64(k.Provider))
		w.Uint(uint64(k.ID))
		w.Uint(uint64(k.End - b.limits.Now))
		before = id
	}
	w.Uint(0) // no more
	return w.End()
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter
// says, but not into a zero value: the receiver must be a Broker of as many
// providers, of the same kinds in the same order, whatever their state and capacity.
// Each must be a bookahead.Cloner and a bookahead.Keeper. The Broker gets other such
// providers, which Provider returns, and leaves its own alone, for those who share them.
//
// The policies and partitions of this package are read with their arguments, whatever
// the receiver has. Functions cannot be written: for PolicyFunc and PartitionFunc the
// receiver must have one too. That it is the same function cannot be seen.
//
// It takes what the providers take, and O(n log n) for n reservations of them all.
// The memory that few bytes may ask for they may ask for at each provider.
func (b *Broker) UnmarshalBinary(data []byte) error {
	r := snapshot.Open(data, kindOfBroker, kindOfClosedBroker)
	now := r.Time("now")
	read := newBroker(readPolicy(r, b.policy), readPartition(r, b.partition))
	if n := r.Uint("providers", math.MaxInt32); r.Err() == nil && n != uint64(len(b.providers)) {
		r.Fail("providers", n, fmt.Sprintf("are not the %d that there are to be read into", len(b.providers)))
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
	if r.Err() == nil && r.Kind() == kindOfClosedBroker {
		read.readClosings(r)
	}
	read.book(r)
	if r.Err() == nil {
		r.Check(read.agrees())
	}
	if err := r.Close(); err != nil {
		return err
	}
	read.Track(b.lie != nil)
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
		if r.Err() != nil {
			return
		}
		res, err := b.adopt(id, at)
		r.Check(err)
		if err == nil && res.End != now+left {
			r.Fail("time to the end", left, fmt.Sprintf("of reservation %d is %d at provider %d", id, res.End-now, at.Provider))
		}
		if r.Err() != nil {
			return
		}
	}
}

// write writes which policy it is, and the seed of Random.
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

// write writes which partition it is, and the arguments of Dedicated and ByDuration.
func (p Partition) write(w *snapshot.Writer) {
	w.Uint(p.number)
	if p.number == partitionDedicated || p.number == partitionByDuration {
		w.Uint(uint64(len(p.arguments)))
		for _, n := range p.arguments {
			w.Int(n)
		}
	}
}

// readPartition returns the partition that the snapshot names, or else the receiver's.
func readPartition(r *snapshot.Reader, own Partition) Partition {
	switch r.Uint("partition", partitionByDuration) {
	case partitionDedicated:
		return dedicated(readArguments(r))
	case partitionByDuration:
		return byDuration(readArguments(r))
	case callersPartition:
		if own.number != callersPartition {
			r.Fail("partition", callersPartition, "is of the caller: read it into a Broker with the same Config.Partition")
		}
		return own
	}
	return Partition{}
}

// readArguments reads the arguments of a partition.
func readArguments(r *snapshot.Reader) []int64 {
	list := make([]int64, r.Uint("arguments of the partition", uint64(r.Left())))
	for i := range list {
		list[i] = r.Int("argument of the partition")
	}
	return list
}
