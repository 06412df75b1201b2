package grid

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/scheduletest"
	"github.com/bookahead/bookahead/slotted"
)

var binders = []scheduletest.Target{
	{Name: "grid.Binder-carts.Flat", MaxCapacity: 1000, Made: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return bind(carts.NewFlat(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon}))
	}},
	{Name: "grid.Binder-slotted.Indexed", Bounded: true, Slot: 4, MaxCapacity: 1000, Made: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		return bind(slotted.NewIndexed(c.Capacity, slotted.Config{Origin: c.Origin, Horizon: c.Horizon, Slot: 4}))
	}},
}

// bind puts a pool that has been made into a binder.
func bind[S bookahead.Schedule](pool S, err error) (bookahead.Schedule, error) {
	if err != nil {
		return nil, err
	}
	return NewBinder(pool)
}

func TestBinderConformance(t *testing.T) {
	for _, target := range binders {
		t.Run(target.Name, func(t *testing.T) { scheduletest.Run(t, target) })
	}
}

func FuzzBinder(f *testing.F) { scheduletest.Fuzz(f, binders[0]) }

func newBinder(t require.TestingT, capacity int64) *Binder {
	pool, err := carts.NewFlat(capacity, carts.Config{})
	require.NoError(t, err)
	b, err := NewBinder(pool)
	require.NoError(t, err)
	return b
}

// Kurowski et al., §3.2, Proposition 1: what the number allows can be bound, and
// what runs is never moved.
func TestProposition1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
		b := newBinder(t, int64(draw("capacity", 1, 8)))
		bound := map[bookahead.ID][]int{}
		var last bookahead.ID
		for range draw("steps", 1, 60) {
			resized := bookahead.ID(0)
			switch draw("step", 0, 5) {
			case 0:
				_ = b.Release(bookahead.ID(draw("id", 0, int(last))))
			case 5:
				start := b.now + bookahead.Time(draw("ready", -5, 10))
				to := bookahead.Interval{Start: start, End: max(start, b.now) + bookahead.Time(draw("duration", 1, 12))}
				id := bookahead.ID(draw("id", 0, int(last)))
				if res, err := b.Resize(id, to, int64(draw("units", 1, int(b.servers)))); err == nil {
					resized = id
					if res.Start > b.now {
						delete(bound, id) // it runs no more, and may be bound anew
					}
				}
			case 1:
				require.NoError(t, b.Advance(b.now+bookahead.Time(draw("ticks", 0, 9))))
			default:
				res, err := b.Reserve(bookahead.Request{
					Ready:    b.now + bookahead.Time(draw("ready", 0, 20)),
					Duration: bookahead.Duration(draw("duration", 1, 12)),
					Units:    int64(draw("units", 1, int(b.servers))),
				})
				require.NoError(t, err)
				last = res.ID
			}
			require.NoError(t, b.Verify())
			for res := range b.Running() {
				require.Len(t, res.Servers, int(res.Units))
				before, ok := bound[res.ID]
				if both := min(len(before), len(res.Servers)); ok && res.ID == resized {
					require.Subset(t, res.Servers, before[:both], "%v was moved", res)
				} else if ok {
					require.Equal(t, before, res.Servers, "%v was moved", res)
				}
				bound[res.ID] = slices.Clone(res.Servers)
				list, err := b.Servers(res.ID)
				require.NoError(t, err)
				require.Equal(t, res.Servers, list)
				for i := range list { // the slices are ours
					list[i], res.Servers[i] = -1, -1
				}
			}
			require.NoError(t, b.Verify())
		}
	})
}

// How far the clock is moved at a time makes no difference to who runs where.
func TestBindingDoesNotDependOnTheSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, many := newBinder(t, 6), newBinder(t, 6)
		for range 12 {
			r := bookahead.Request{
				Ready:    bookahead.Time(rapid.IntRange(0, 15).Draw(t, "ready")),
				Duration: bookahead.Duration(rapid.IntRange(1, 9).Draw(t, "duration")),
				Units:    int64(rapid.IntRange(1, 6).Draw(t, "units")),
			}
			_, err := one.Reserve(r)
			require.NoError(t, err)
			_, err = many.Reserve(r)
			require.NoError(t, err)
		}
		now := bookahead.Time(rapid.IntRange(0, 60).Draw(t, "now"))
		require.NoError(t, one.Advance(now))
		for tick := range now + 1 {
			require.NoError(t, many.Advance(tick))
		}
		require.Equal(t, slices.Collect(one.Running()), slices.Collect(many.Running()))
	})
}

// §3.2: two servers, of which one is booked early and the other late. To fix a
// server when booking leaves no server for all of a long reservation; to fix it
// at the start does.
func TestEarlyBindingRejectsWhatLateBindingAccepts(t *testing.T) {
	early, err := idletree.NewTree(2, idletree.Config{Prefer: idletree.LowestIndex})
	require.NoError(t, err)
	late := newBinder(t, 2)
	fixed := func(start, end bookahead.Time) bookahead.Request {
		return bookahead.Request{Ready: start, Deadline: end, Duration: bookahead.Duration(end - start), Units: 1}
	}
	a, b, c, d := fixed(0, 10), fixed(5, 15), fixed(15, 25), fixed(10, 20)
	for _, s := range []bookahead.Schedule{early, late} {
		for _, r := range []bookahead.Request{a, b, c} {
			_, err := s.Reserve(r)
			require.NoError(t, err)
		}
	}
	// Early: a and c hold server 0, b holds server 1 to 15: neither is free in [10, 20).
	_, err = early.Reserve(d)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	_, err = late.Reserve(d)
	require.NoError(t, err)

	want := map[bookahead.Time]string{
		0:  "[#1 [0, 10) [0]]",
		5:  "[#1 [0, 10) [0] #2 [5, 15) [1]]",
		10: "[#2 [5, 15) [1] #4 [10, 20) [0]]",
		15: "[#3 [15, 25) [1] #4 [10, 20) [0]]",
		25: "[]",
	}
	for _, now := range []bookahead.Time{0, 5, 10, 15, 25} {
		require.NoError(t, late.Advance(now))
		require.Equal(t, want[now], fmt.Sprint(slices.Collect(late.Running())))
	}
}

func TestServers(t *testing.T) {
	b := newBinder(t, 4)
	res, err := b.Reserve(bookahead.Request{Duration: 5, Units: 3}) // starts at once
	require.NoError(t, err)
	require.Nil(t, res.Servers)
	list, err := b.Servers(res.ID)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, list)
	later, err := b.Reserve(bookahead.Request{Duration: 5, Units: 3})
	require.NoError(t, err)
	list, err = b.Servers(later.ID)
	require.NoError(t, err)
	require.Nil(t, list)
	require.NoError(t, b.Advance(5))
	_, err = b.Servers(res.ID)
	require.ErrorIs(t, err, bookahead.ErrNotFound)
}

func TestNewBinderRefuses(t *testing.T) {
	tree, err := idletree.NewTree(2, idletree.Config{})
	require.NoError(t, err)
	huge, err := carts.NewFlat(maxServers+1, carts.Config{})
	require.NoError(t, err)
	used, err := carts.NewFlat(4, carts.Config{})
	require.NoError(t, err)
	_, err = used.Reserve(bookahead.Request{Ready: 10, Duration: 10, Units: 1})
	require.NoError(t, err)
	for want, pool := range map[string]bookahead.Schedule{
		"pool *carts.Flat is not empty":                  used,
		"pool *idletree.Tree has servers already":        tree,
		"pool 16777217 units are free, not 1 to 1677721": huge,
	} {
		_, err := NewBinder(pool)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// A pool that is used behind the binder's back has too few servers for what it
// accepts: that must not go unnoticed.
func TestPoolUsedElsewhere(t *testing.T) {
	pool, err := carts.NewFlat(2, carts.Config{})
	require.NoError(t, err)
	b, err := NewBinder(pool)
	require.NoError(t, err)
	require.Same(t, pool, b.Pool())
	first, err := b.Reserve(bookahead.Request{Duration: 10, Units: 2})
	require.NoError(t, err)
	require.NoError(t, pool.Release(first.ID))
	require.Panics(t, func() { _, _ = b.Reserve(bookahead.Request{Duration: 5, Units: 1}) })
}

// A pool must give each reservation units that any servers can serve, and keep what it
// has booked: the providers of a Broker have units of their own, and the holds of a Desk
// expire behind the Binder's back.
func TestABinderNeedsAPlainPool(t *testing.T) {
	broker, err := NewBroker(Config{}, newPool(t, 4), newPool(t, 4))
	require.NoError(t, err)
	for want, pool := range map[string]bookahead.Schedule{
		"pool *grid.Broker":            broker,
		"pool *grid.Desk":              newDesk(t, 4),
		"pool *grid.Binder":            newBinder(t, 4),
		"pool *bookahead.LockedSchedu": bookahead.Locked(newDesk(t, 4)),
	} {
		_, err := NewBinder(pool)
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
	}
	_, err = NewBinder(bookahead.Locked(newPool(t, 4)))
	require.NoError(t, err)
}

// A pool that cannot be asked is refused, whichever call fails.
func TestPoolsThatFailAreRefused(t *testing.T) {
	const calls = 3 // NewBinder asks so often
	for n := range calls {
		_, err := NewBinder(&failing{Schedule: newPool(t, 4), queries: n + 1})
		require.Error(t, err, "call %d", n+1)
	}
	_, err := NewBinder(&failing{Schedule: newPool(t, 4), queries: calls + 1})
	require.NoError(t, err)
}
