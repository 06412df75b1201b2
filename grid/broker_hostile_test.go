package grid

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// brokerBytes are those of a snapshot of a broker of pools: its numbers in front of
// the providers, the providers, and its numbers behind.
func brokerBytes(t require.TestingT, front []uint64, providers [][]byte, behind ...uint64) []byte {
	w := snapshot.Begin(nil, kindOfBroker)
	for _, n := range front {
		w.Uint(n)
	}
	w.Uint(uint64(len(providers)))
	for _, p := range providers {
		w.Bytes(p)
	}
	for _, n := range behind {
		w.Uint(n)
	}
	data, err := w.End()
	require.NoError(t, err)
	return data
}

// wrongBrokers are snapshots of one provider that nothing has written, and what their
// errors say. The provider is that of inner: #1 from tick 4 to 8, at tick 5.
func wrongBrokers(t require.TestingT) map[string][]byte {
	pool := inner(t)
	one, front := [][]byte{pool}, []uint64{4, 5, 60, 1, 0} // capacity, now, horizon, policy, partition
	truncated := snapshot.Seal(slices.Clone(pool[:len(pool)-1]))
	return map[string][]byte{
		"capacity 0 is less than 1":                        brokerBytes(t, []uint64{0, 5, 60, 1, 0}, one, 1, 1, 0, 1, 3, 0),
		"5 is not that of the greatest provider, 4":        brokerBytes(t, []uint64{5, 5, 60, 1, 0}, one, 1, 1, 0, 1, 3, 0),
		"providers[0]: now 5 is ahead of the Broker's, 4":  brokerBytes(t, []uint64{4, 4, 60, 1, 0}, one, 1, 1, 0, 1, 4, 0),
		"9 is more than 4":                                 brokerBytes(t, []uint64{4, 5, 60, 9, 0}, one, 1, 1, 0, 1, 3, 0),
		"policy, before byte 21, 0 is of the caller":       brokerBytes(t, []uint64{4, 5, 60, 0, 0}, one, 1, 1, 0, 1, 3, 0),
		"partition, before byte 22, 1 is of the caller":    brokerBytes(t, []uint64{4, 5, 60, 1, 1}, one, 1, 1, 0, 1, 3, 0),
		"providers, before byte 23, 0 are not the 1":       brokerBytes(t, front, nil, 1, 0),
		"providers, before byte 23, 2 are not the 1":       brokerBytes(t, front, [][]byte{pool, pool}, 1, 1, 0, 1, 3, 0),
		"providers[0]: bookahead: snapshot: length":        brokerBytes(t, front, [][]byte{nil}, 1, 1, 0, 1, 3, 0),
		"providers[0]: bookahead: snapshot: ID":            brokerBytes(t, front, [][]byte{truncated}, 1, 1, 0, 1, 3, 0),
		"providers[0]: bookahead: snapshot: kind":          brokerBytes(t, front, [][]byte{brokerBytes(t, front, one, 0, 0)}, 0, 0),
		"2 is more than 1":                                 brokerBytes(t, front, one, 1, 2, 0, 1, 3, 0),
		"last ID":                                          brokerBytes(t, front, one, math.MaxUint64, 1, 0, 1, 3, 0),
		"provider, before":                                 brokerBytes(t, front, one, 1, 1, 1, 1, 3, 0),
		"time to the end":                                  brokerBytes(t, front, one, 1, 1, 0, 1, math.MaxInt64-4, 0),
		"0 is over, of reservation 1":                      brokerBytes(t, front, one, 1, 1, 0, 1, 0, 0),
		"place, before byte 56, {0 1} is that of reservat": brokerBytes(t, front, one, 2, 1, 0, 1, 3, 1, 0, 1, 3, 0),
		"reservation 1: place {0 2} is not booked":         brokerBytes(t, front, one, 1, 1, 0, 2, 3, 0),
		"reservation 1: end 9 is 8 at provider 0":          brokerBytes(t, front, one, 1, 1, 0, 1, 4, 0),
		"ID at the provider, before":                       brokerBytes(t, front, one, 1, 1, 0),
		"ID, before byte 52, [] is no whole number":        brokerBytes(t, front, one, 1, 1, 0, 1, 3),
		"1 bytes are left over":                            brokerBytes(t, front, one, 1, 1, 0, 1, 3, 0, 0),
	}
}

func hostileBrokers(t require.TestingT) map[string][]byte {
	all := wrongBrokers(t)
	deep := inner(t)
	for range 50 {
		deep = brokerBytes(t, []uint64{4, 5, 60, 1, 0}, [][]byte{deep}, 0, 0)
	}
	all["kind"] = deep // a broker of a broker, 50 deep
	return all
}

func TestHostileBrokersAreRefused(t *testing.T) {
	b, err := NewBroker(Config{}, newPool(t, 3))
	require.NoError(t, err)
	_, err = b.Reserve(bookahead.Request{Duration: 9, Units: 2})
	require.NoError(t, err)
	before, err := b.MarshalBinary()
	require.NoError(t, err)
	for want, data := range hostileBrokers(t) {
		err := b.UnmarshalBinary(data)
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
		after, err := b.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, before, after, want)
	}
	// What differs from them is good, and the reservations of others are.
	good := brokerBytes(t, []uint64{4, 5, 60, 1, 0}, [][]byte{inner(t)}, 7, 3, 0, 1, 3, 0)
	require.NoError(t, b.UnmarshalBinary(good))
	at, err := b.Place(3)
	require.NoError(t, err)
	require.Equal(t, Place{0, 1}, at)
	require.NoError(t, b.UnmarshalBinary(brokerBytes(t, []uint64{4, 5, 60, 1, 0}, [][]byte{inner(t)}, 7, 0)))
	require.Empty(t, slices.Collect(b.Reservations()))
	res, err := b.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.NoError(t, err)
	require.EqualValues(t, 8, res.ID)
}

// Without providers of a kind that can be read there is nothing to read into.
func TestABrokerNeedsProviders(t *testing.T) {
	b, err := NewBroker(Config{}, newPool(t, 1))
	require.NoError(t, err)
	data, err := b.MarshalBinary()
	require.NoError(t, err)
	require.ErrorContains(t, new(Broker).UnmarshalBinary(data), "1 are not the 0 that there are")
	bare := struct{ bookahead.Schedule }{newPool(t, 1)}
	for _, p := range []bookahead.Schedule{bare, bookahead.Locked(bare)} {
		b, err := NewBroker(Config{}, p)
		require.NoError(t, err)
		_, err = b.MarshalBinary()
		require.ErrorContains(t, err, "providers[0] struct { bookahead.Schedule } cannot be written")
		require.ErrorContains(t, b.UnmarshalBinary(data), "providers[0] struct { bookahead.Schedule } is no model")
		_, err = b.Reserve(bookahead.Request{Duration: 5, Units: 1})
		require.NoError(t, err)
		require.NoError(t, b.Verify(), "what cannot be listed is not missed")
		_, all := b.reservations()
		require.False(t, all)
		_, err = b.Reservation(1)
		require.Equal(t, bookahead.ErrNotFound, err)
	}
	copies, err := NewBroker(Config{}, copied{newPool(t, 1)})
	require.NoError(t, err)
	require.ErrorContains(t, copies.UnmarshalBinary(data), "providers[0] grid.copied cannot be read")
}

// copied is a Cloner and no Snapshotter.
type copied struct{ bookahead.Schedule }

func (c copied) Clone() bookahead.Schedule {
	return copied{c.Schedule.(bookahead.Cloner).Clone()}
}

// What cannot be written is the caller's to supply.
func TestPoliciesOfASnapshot(t *testing.T) {
	open := func(p Policy, q Partition) *Broker {
		b, err := NewBroker(Config{Policy: p, Partition: q}, newPool(t, 2), newPool(t, 2))
		require.NoError(t, err)
		return b
	}
	own := func(b *Bids) int { return Priority(b) }
	for name, p := range policies {
		data, err := open(p, nil).MarshalBinary()
		require.NoError(t, err)
		for _, other := range []*Broker{open(own, nil), open(nil, nil), open(own, Dedicated(1))} {
			was := other.policy
			err := other.UnmarshalBinary(data)
			switch {
			case name != "Random": // it is named
				require.NoError(t, err)
				require.Equal(t, p.number(), other.policy.number())
			case was.number() == 0: // it is the receiver's
				require.NoError(t, err)
				require.Zero(t, other.policy.number())
			default:
				require.ErrorContains(t, err, "0 is of the caller: read it into a Broker with the same Config.Policy")
				continue
			}
			require.Nil(t, other.partition)
		}
	}
	data, err := open(nil, Dedicated(1)).MarshalBinary()
	require.NoError(t, err)
	require.ErrorContains(t, open(nil, nil).UnmarshalBinary(data), "with the same Config.Partition")
	read := open(own, Dedicated(1))
	require.NoError(t, read.UnmarshalBinary(data))
	res, err := read.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.NoError(t, err)
	at, err := read.Place(res.ID)
	require.NoError(t, err)
	require.Equal(t, 1, at.Provider)
}
