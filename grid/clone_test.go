package grid

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// composed are schedules that are made of others, each with a past: one reservation runs, and
// one has not begun.
func composed(t require.TestingT) map[string]bookahead.Keeper {
	binder := newBinder(t, 4)
	all := map[string]bookahead.Keeper{
		"binder":          binder,
		"broker, servers": brokerOf(t, Config{Policy: Random(4)}, newServers(t, 2), bookahead.Locked(newServers(t, 3))),
		"broker":          brokerOf(t, Config{Policy: LeastLoaded, Partition: Dedicated(1)}, newPool(t, 3), newPool(t, 4)),
		"broker, mixed":   brokerOf(t, Config{Policy: ShortestQueue}, newBinder(t, 3), bookahead.Locked(newPool(t, 4)), brokerOf(t, Config{}, newPool(t, 2))),
		"locked":          bookahead.Locked(brokerOf(t, Config{}, bookahead.Locked(newPool(t, 4)))),
	}
	for name, k := range all {
		for _, ready := range []bookahead.Time{0, 6} {
			_, err := k.Reserve(bookahead.Request{Ready: ready, Duration: 8, Units: 2})
			require.NoError(t, err, name)
		}
		require.NoError(t, k.Advance(2))
	}
	return all
}

// answers lists the answers of a schedule to some queries and requests.
func answers(t require.TestingT, k bookahead.Keeper) (all []any) {
	all = append(all, k.Frame(), booked(k))
	for at := bookahead.Time(0); at < 40; at++ {
		a, err := k.RangeQuery(span(at, at+3))
		require.NoError(t, err)
		o, errSearch := k.Search(bookahead.Request{Ready: at, Duration: 5, Units: 2})
		anew, errAnew := k.SearchFor(1, bookahead.Request{Ready: at, Duration: 9, Units: 1})
		all = append(all, a, o, errSearch, anew, errAnew)
	}
	for starts := range bookahead.Openings(k, bookahead.Request{Deadline: 60, Duration: 5, Units: 2}) {
		all = append(all, starts)
	}
	if b, ok := k.(*Binder); ok {
		all = append(all, slices.Collect(b.Running()))
	}
	return all
}

// A clone is of the same type, answers as the original does, numbers the next reservation
// alike, and neither sees a change of the other.
func TestClonesAreIndependent(t *testing.T) {
	for name, k := range composed(t) {
		t.Run(name, func(t *testing.T) {
			clone, ok := bookahead.Clone(k)
			require.True(t, ok)
			require.IsType(t, k, clone)
			require.NotSame(t, k, clone)
			before := answers(t, k)
			require.Equal(t, before, answers(t, clone))
			require.NoError(t, verify(clone))
			write := func(k bookahead.Keeper) []any {
				res, err := k.Reserve(bookahead.Request{Ready: 3, Duration: 4, Units: 1})
				require.NoError(t, err)
				anew, err := k.Rebook(1, bookahead.Request{Duration: 9, Units: 1})
				require.NoError(t, err)
				require.NoError(t, k.Release(2))
				require.NoError(t, k.Advance(9))
				require.NoError(t, verify(k))
				return append(answers(t, k), res, anew)
			}
			first := write(clone)
			require.Equal(t, before, answers(t, k), "it is as it was")
			require.NoError(t, verify(k))
			second, ok := bookahead.Clone(k)
			require.True(t, ok)
			require.Equal(t, first, write(k))
			require.Equal(t, before, answers(t, second))
		})
	}
}

// Who is made of a schedule that cannot be cloned cannot be either, and says so.
func TestClonesNeedCloners(t *testing.T) {
	binder, err := NewBinder(plain{newPool(t, 2)})
	require.NoError(t, err)
	for _, k := range []bookahead.Keeper{
		binder, brokerOf(t, Config{}, newPool(t, 1), plain{newPool(t, 2)}), brokerOf(t, Config{}, newPool(t, 1), five{newPool(t, 2)}),
		brokerOf(t, Config{}, bookahead.Locked(binder)), bookahead.Locked(binder),
	} {
		clone, ok := bookahead.Clone(k)
		require.False(t, ok, "%T", k)
		require.Nil(t, clone, "%T", k)
	}
}

// Clones may be made while others ask, and each be used at once: run with -race.
func TestClonesBesideQueries(t *testing.T) {
	for name, k := range composed(t) {
		t.Run(name, func(t *testing.T) {
			before := answers(t, k)
			var all sync.WaitGroup
			same := make(chan bool, 100)
			for range 3 {
				all.Add(2)
				go func() {
					defer all.Done()
					for range 5 {
						clone, ok := bookahead.Clone(k)
						same <- ok && assert.ObjectsAreEqual(before, answers(t, clone))
						_, err := clone.Reserve(bookahead.Request{Ready: 3, Duration: 4, Units: 1})
						same <- err == nil && clone.Advance(9) == nil && verify(clone) == nil
					}
				}()
				go func() {
					defer all.Done()
					for range 5 {
						same <- assert.ObjectsAreEqual(before, answers(t, k))
					}
				}()
			}
			all.Wait()
			close(same)
			for ok := range same {
				require.True(t, ok)
			}
			require.NoError(t, verify(k))
		})
	}
}
