package grid

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// brokerBytes are those of a snapshot of a broker of pools: its numbers in front of
// the providers, the providers, and its numbers behind.
func brokerBytes(t require.TestingT, front []uint64, providers [][]byte, behind ...uint64) []byte {
	w := snapshot.Begin(kindOfBroker)
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

// wrongBrokers are snapshots of one provider that nothing has written, with their errors. The
// provider is the one of inner: #1 from tick 4 to 8, at tick 5.
func wrongBrokers(t require.TestingT) map[string][]byte {
	pool := inner(t)
	one, front := [][]byte{pool}, []uint64{5, 1, 0} // now, policy, partition
	truncated := snapshot.Seal(slices.Clone(pool[:len(pool)-1]))
	return map[string][]byte{
		"providers[0]: now 5 is ahead of the Broker's, 4":   brokerBytes(t, []uint64{4, 1, 0}, one, 1, 1, 0, 1, 4, 0),
		"policy, before byte 19, 0 is of the caller":        brokerBytes(t, []uint64{5, 0, 0}, one, 1, 1, 0, 1, 3, 0),
		"policy, before byte 19, 6 is more than 5":          brokerBytes(t, []uint64{5, 6, 0}, one, 1, 1, 0, 1, 3, 0),
		"partition, before byte 20, 1 is of no known kind":  brokerBytes(t, []uint64{5, 1, 1}, one, 1, 1, 0, 1, 3, 0),
		"partition, before byte 20, 3 is more than 2":       brokerBytes(t, []uint64{5, 1, 3}, one, 1, 1, 0, 1, 3, 0),
		"providers of the partition, before byte 29, 1152":  brokerBytes(t, []uint64{5, 1, 2, 1 << 60}, one, 1, 1, 0, 1, 3, 0),
		"provider of the partition, before byte 21, [] is":  snapshot.Numbers(kindOfBroker, 5, 1, 2, 1),
		"providers, before byte 21, 0 is not the number of": brokerBytes(t, front, nil, 1, 0),
		"providers, before byte 21, 2 is not the number of": brokerBytes(t, front, [][]byte{pool, pool}, 1, 1, 0, 1, 3, 0),
		"providers[0]: bookahead: snapshot: length":         brokerBytes(t, front, [][]byte{nil}, 1, 1, 0, 1, 3, 0),
		"providers[0]: bookahead: snapshot: ID":             brokerBytes(t, front, [][]byte{truncated}, 1, 1, 0, 1, 3, 0),
		"providers[0]: bookahead: snapshot: kind":           brokerBytes(t, front, [][]byte{brokerBytes(t, front, one, 0, 0)}, 0, 0),
		"2 is more than 1":             brokerBytes(t, front, one, 1, 2, 0, 1, 3, 0),
		"last ID":                      brokerBytes(t, front, one, math.MaxUint64, 1, 0, 1, 3, 0),
		"provider, before":             brokerBytes(t, front, one, 1, 1, 1, 1, 3, 0),
		"time to the end":              brokerBytes(t, front, one, 1, 1, 0, 1, math.MaxInt64-4, 0),
		"0 of reservation 1 is less t": brokerBytes(t, front, one, 1, 1, 0, 1, 0, 0),
		"{0 1} of reservation 2 is also that of reserva": brokerBytes(t, front, one, 2, 1, 0, 1, 3, 1, 0, 1, 3, 0),
		"reservation 1: place {0 2} is not booked":       brokerBytes(t, front, one, 1, 1, 0, 2, 3, 0),
		"4 of reservation 1 is 3 at provider 0":          brokerBytes(t, front, one, 1, 1, 0, 1, 4, 0),
		"ID at the provider, before":                     brokerBytes(t, front, one, 1, 1, 0),
		"ID, before byte 50, [] is no whole number":      brokerBytes(t, front, one, 1, 1, 0, 1, 3),
		"1 bytes are left over":                          brokerBytes(t, front, one, 1, 1, 0, 1, 3, 0, 0),
	}
}

// A Broker with a desk among its providers was once written. Such bytes are refused: the kind is not read
// any more, and the provider at hand is of another.
func TestSnapshotsOfDesksAreRefused(t *testing.T) {
	w := snapshot.Begin("grid.Desk")
	w.Bytes(inner(t))
	w.Uint(5) // now
	w.Uint(0) // no holds
	desk, err := w.End()
	require.NoError(t, err)
	p := newPool(t, 3)
	b := brokerOf(t, Config{}, p)
	err = b.UnmarshalBinary(brokerBytes(t, []uint64{5, 1, 0}, [][]byte{desk}, 0, 0))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, `providers[0]: bookahead: snapshot: kind, before byte 0, "grid.Desk" is not`)
	require.Same(t, p, b.Provider(0))
	require.Zero(t, b.Frame().Now)
}

func hostileBrokers(t require.TestingT) map[string][]byte {
	all := wrongBrokers(t)
	deep := inner(t)
	for range 50 {
		deep = brokerBytes(t, []uint64{5, 1, 0}, [][]byte{deep}, 0, 0)
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
	// Snapshots that differ from them are good, also with reservations of others.
	good := brokerBytes(t, []uint64{5, 1, 0}, [][]byte{inner(t)}, 7, 3, 0, 1, 3, 0)
	require.NoError(t, b.UnmarshalBinary(good))
	at, err := b.Place(3)
	require.NoError(t, err)
	require.Equal(t, Place{0, 1}, at)
	require.NoError(t, b.UnmarshalBinary(brokerBytes(t, []uint64{5, 1, 0}, [][]byte{inner(t)}, 7, 0)))
	require.Empty(t, booked(b))
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
	require.ErrorContains(t, new(Broker).UnmarshalBinary(data), "1 is not the number of providers of the receiver, 0")
	for name, p := range map[string]bookahead.Schedule{
		"grid.plain": plain{newPool(t, 1)}, "*bookahead.locked": bookahead.Locked(plain{newPool(t, 1)}), "grid.five": five{newPool(t, 1)},
	} {
		b, err := NewBroker(Config{}, p)
		require.NoError(t, err)
		_, err = b.MarshalBinary()
		require.EqualError(t, err, "grid: providers[0]: bookahead: schedule "+name+" cannot be written")
		require.ErrorContains(t, b.UnmarshalBinary(data), "providers[0] "+name+" cannot be cloned, and so is no model")
		res, err := b.Reserve(bookahead.Request{Duration: 5, Units: 1})
		require.NoError(t, err)
		require.NoError(t, b.Verify(), "what cannot be listed is not missed")
		require.Equal(t, []bookahead.Reservation{res}, booked(b), "the Broker has books of its own")
		one, err := b.Reservation(1)
		require.NoError(t, err)
		require.Equal(t, res, one)
	}
	copies, err := NewBroker(Config{}, copied{newPool(t, 1)})
	require.NoError(t, err)
	require.ErrorContains(t, copies.UnmarshalBinary(data), "providers[0]: bookahead: schedule grid.copied cannot be read")
	_, err = NewBroker(Config{}, newPool(t, 1), struct{ bookahead.Schedule }{newPool(t, 1)})
	require.EqualError(t, err, "bookahead: providers[1] struct { bookahead.Schedule } does not tell its Frame")
}

// plain is a Keeper with no ability besides, and five a Schedule that tells its Frame and
// nothing else.
type (
	plain struct{ bookahead.Keeper }
	five  struct{ framed }
)

// A provider that can be written and cloned, and is no Keeper, does not tell its reservations:
// the Broker's reservations cannot be read.
func TestReadingNeedsKeepers(t *testing.T) {
	b := brokerOf(t, Config{}, unkept{newPool(t, 4)})
	data, err := b.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, b.UnmarshalBinary(data), "nothing is booked")
	reserve(t, b, 0, 5, 1)
	data, err = b.MarshalBinary()
	require.NoError(t, err)
	require.ErrorContains(t, b.UnmarshalBinary(data), "providers[0] grid.unkept is no bookahead.Keeper")
	require.NoError(t, b.Verify())
}

// unkept is a Snapshotter and a Cloner, and no Keeper.
type unkept struct{ framed }

func (u unkept) inner() *carts.Indexed          { return u.framed.(*carts.Indexed) }
func (u unkept) Clone() bookahead.Schedule      { return unkept{u.inner().Clone().(*carts.Indexed)} }
func (u unkept) MarshalBinary() ([]byte, error) { return u.inner().MarshalBinary() }
func (u unkept) UnmarshalBinary(b []byte) error { return u.inner().UnmarshalBinary(b) }

// copied is a Cloner and no Snapshotter.
type copied struct{ bookahead.Keeper }

func (c copied) Clone() bookahead.Schedule {
	k, _ := bookahead.Clone(c.Keeper)
	return copied{k}
}

// Policies and partitions of this package are read from the snapshot, with their arguments,
// and replace those of the receiver.
func TestPoliciesAreWritten(t *testing.T) {
	owns := Config{Policy: PolicyFunc(Priority.Choose), Partition: Dedicated()}
	partitions := map[string]Partition{
		"": {}, "none dedicated": Dedicated(), "dedicated": Dedicated(1, -1, math.MaxInt32),
	}
	for name, p := range policies {
		for kind, q := range partitions {
			written := openTwo(t, Config{Policy: p, Partition: q})
			data, err := written.MarshalBinary()
			require.NoError(t, err)
			for _, config := range []Config{{}, owns, {Policy: Random(3), Partition: Dedicated(0)}} {
				read := openTwo(t, config)
				require.NoError(t, read.UnmarshalBinary(data), name, kind)
				require.Equal(t, p.number, read.policy.number, name)
				require.Equal(t, p.seed, read.policy.seed, name)
				require.Equal(t, q, read.partition, kind)
				again, err := read.MarshalBinary()
				require.NoError(t, err)
				require.Equal(t, data, again)
				for d := range bookahead.Duration(12) {
					r := bookahead.Request{Duration: d + 1, Units: 1}
					x, errWritten := written.Search(r)
					y, errRead := read.Search(r)
					require.Equal(t, errWritten, errRead)
					require.Equal(t, x, y)
				}
			}
		}
	}
}

// openTwo returns a broker of two pools.
func openTwo(t require.TestingT, c Config) *Broker {
	b, err := NewBroker(c, newPool(t, 2), newPool(t, 2))
	require.NoError(t, err)
	return b
}

// A function of the caller's own is the receiver's, which must have one.
func TestFunctionsAreTheReceivers(t *testing.T) {
	policy := PolicyFunc(Policy{}.Choose)
	data, err := openTwo(t, Config{Policy: policy}).MarshalBinary()
	require.NoError(t, err)
	for name, config := range map[string]Config{
		"none": {}, "a nil function": {Policy: PolicyFunc(nil)}, "MCT": {Policy: MCT}, "Random": {Policy: Random(1)},
	} {
		err := openTwo(t, config).UnmarshalBinary(data)
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.ErrorContains(t, err, "0 is of the caller: read it into a Broker with the same Config.Policy", name)
	}
	read := openTwo(t, Config{Policy: policy})
	require.NoError(t, read.UnmarshalBinary(data))
	_, err = read.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.NoError(t, err)
}
