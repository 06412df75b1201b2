package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// Two pools, of which the second reaches farther and is nearly full there. Behind locks the
// Broker must still see that the first one's horizon is near: law 4.
//
//	near  ▕4 free          ▏
//	far   ▕4 free      ▕1 free      ▏
//	      0            90  100      150     200
func TestLockedProvidersKeepTheirHorizon(t *testing.T) {
	near, err := carts.NewIndexed(4, carts.Config{Horizon: 100})
	require.NoError(t, err)
	far, err := carts.NewIndexed(4, carts.Config{Horizon: 200})
	require.NoError(t, err)
	reserve(t, far, 90, 60, 3)
	b := brokerOf(t, Config{}, bookahead.Locked(near), bookahead.Locked(far))
	a, err := b.RangeQuery(span(90, 150))
	require.NoError(t, err)
	require.Equal(t, int64(1), a.Free) // 4 when the near provider's horizon was not seen through its lock
	_, err = b.Reserve(bookahead.At(90, 60, a.Free))
	require.NoError(t, err)
	require.Equal(t, bookahead.Frame{Horizon: 200, Capacity: 4}, b.Frame())
}

// wrong is a pool that finds a fault in itself.
type wrong struct{ bookahead.Keeper }

func (wrong) Verify() error { return errInjected }

// The faults that a member finds in itself are seen through its lock.
func TestVerifySeesThroughLocks(t *testing.T) {
	broken := bookahead.Locked(wrong{newPool(t, 4)})
	binder, err := NewBinder(broken)
	require.NoError(t, err)
	for _, v := range []interface{ Verify() error }{
		binder, brokerOf(t, Config{}, newPool(t, 1), broken), brokerOf(t, Config{}, bookahead.Locked(binder)),
	} {
		require.ErrorIs(t, v.Verify(), errInjected, "%T", v)
	}
	b := brokerOf(t, Config{}, bookahead.Locked(newPool(t, 4)))
	res := reserve(t, b, 5, 5, 1)
	require.NoError(t, b.Verify())
	_, err = b.Provider(0).(bookahead.Keeper).Rebook(1, bookahead.At(6, 4, 1))
	require.NoError(t, err)
	require.ErrorContains(t, b.Verify(), "reservation 1 [5, 10) 1 is [6, 10) 1 at provider 0")
	require.NoError(t, b.Provider(0).Release(1))
	require.ErrorContains(t, b.Verify(), "reservation 1: place {0 1} is not booked there")
	require.Equal(t, bookahead.ErrNotFound, b.Release(res.ID))
	require.NoError(t, b.Verify())
}

// The clock of a locked member is seen: a clock that is ahead is a fault.
func TestLockedClocksAreSeen(t *testing.T) {
	p := bookahead.Locked(newPool(t, 4))
	b := brokerOf(t, Config{}, p)
	require.NoError(t, p.Advance(3))
	require.EqualError(t, b.Verify(), "bookahead: providers[0]: now 3 is ahead of the Broker's, 0")
	_, err := b.MarshalBinary()
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = NewBroker(Config{Origin: 2}, newPool(t, 4), p)
	require.EqualError(t, err, "bookahead: providers[1]: now 3 is ahead of the Broker's, 2")
}

// A locked member has the frame of the schedule inside.
func TestFramesOfLockedMembers(t *testing.T) {
	open := func() bookahead.Keeper {
		p, err := carts.NewIndexed(4, carts.Config{Origin: 2, Horizon: 50})
		require.NoError(t, err)
		return bookahead.Locked(p)
	}
	want := bookahead.Frame{Now: 2, Horizon: 52, Capacity: 4}
	binder, err := NewBinder(open())
	require.NoError(t, err)
	for _, k := range []bookahead.Keeper{binder, brokerOf(t, Config{Origin: 2}, open()), brokerOf(t, Config{Origin: 2}, bookahead.Locked(binder))} {
		require.Equal(t, want, k.Frame(), "%T", k)
	}
}

// A schedule made of locked members is written and read, and they stay locked.
func TestLockedMembersAreRead(t *testing.T) {
	binder, err := NewBinder(bookahead.Locked(newPool(t, 4)))
	require.NoError(t, err)
	broker := brokerOf(t, Config{Policy: ShortestQueue}, bookahead.Locked(newServers(t, 2)), bookahead.Locked(newServers(t, 3)))
	for _, s := range []bookahead.Keeper{binder, broker, bookahead.Locked(broker)} {
		clone, ok := bookahead.Clone(s) // as the model, with another past
		require.True(t, ok)
		reserve(t, clone, 1, 2, 1)
		for range 3 {
			_, err := s.Reserve(bookahead.Request{Duration: 5, Units: 2})
			require.NoError(t, err)
		}
		require.NoError(t, s.Advance(1))
		data, err := bookahead.Snapshot(s)
		require.NoError(t, err)
		require.NoError(t, bookahead.Restore(clone, data))
		require.NoError(t, verify(clone))
		require.Equal(t, booked(s), booked(clone))
		again, err := bookahead.Snapshot(clone)
		require.NoError(t, err)
		require.Equal(t, data, again)
	}
	require.IsType(t, bookahead.Locked(nil), binder.pool)
	require.IsType(t, bookahead.Locked(nil), broker.Provider(1))
}

// The parts of a job see through locks: parts on one member that overlap are added up, or
// matched to servers; parts on a Broker start first; and a schedule that two share is found.
func TestPartsOnLockedMembers(t *testing.T) {
	pool, tree := bookahead.Locked(newPool(t, 4)), bookahead.Locked(newServers(t, 3))
	busy := newPool(t, 2)
	reserve(t, busy, 0, 50, 2)
	broker := bookahead.Locked(brokerOf(t, Config{Policy: Priority}, busy, newPool(t, 2)))
	a, err := CoAllocate(Job{Parts: []Part{
		{On: pool, Duration: 5, Units: 3}, {On: pool, Offset: 2, Duration: 5, Units: 1},
		{On: tree, Duration: 5, Units: 1}, {On: tree, Duration: 9, Units: 2, Servers: []int{0, 1}},
		{On: broker, Duration: 5, Units: 2},
	}})
	require.NoError(t, err)
	require.Zero(t, a.Start)
	require.Equal(t, []int{2}, a.Parts[2].Servers)
	require.Equal(t, []int{0, 1}, a.Parts[3].Servers)
	require.Zero(t, freeIn(t, pool, 2, 5))
	require.NoError(t, a.Release())
	require.EqualValues(t, 4, freeIn(t, pool, 0, 9))
	for want, parts := range map[string][]Part{
		"Job.Parts[1].Servers 3 is not below the 3 servers of the member":                    {{On: tree, Duration: 5, Units: 3}, {On: tree, Duration: 5, Units: 1, Servers: []int{3}}},
		"Job.Parts[1] on *bookahead.locked overlaps Parts[0], and a Broker may":              {{On: broker, Duration: 5, Units: 1}, {On: broker, Duration: 5, Units: 1}},
		"Job.Parts[1] on *carts.Indexed shares a schedule with Parts[0], which is on *booka": {{On: broker, Duration: 5, Units: 1}, {On: busy, Duration: 5, Units: 1}},
	} {
		_, err := CoSearch(Job{Parts: parts})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}
