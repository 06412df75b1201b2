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
func bind[S bookahead.Keeper](pool S, err error) (bookahead.Schedule, error) {
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

// Kurowski et al., §3.2, Proposition 1: all reservations that the number of units allows
// can be bound, and a running reservation never moves.
func TestProposition1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
		b := newBinder(t, int64(draw("capacity", 1, 8)))
		bound := map[bookahead.ID][]int{}
		var last bookahead.ID
		for range draw("steps", 1, 60) {
			rebooked := bookahead.ID(0)
			switch draw("step", 0, 5) {
			case 0:
				_ = b.Release(bookahead.ID(draw("id", 0, int(last))))
			case 5:
				r := bookahead.Request{
					Ready:    b.now + bookahead.Time(draw("ready", -5, 10)),
					Duration: bookahead.Duration(draw("duration", 1, 12)),
					Units:    int64(draw("units", 1, int(b.servers))),
				}
				id := bookahead.ID(draw("id", 0, int(last)))
				res, err := b.Rebook(id, r)
				if err == nil {
					rebooked = id
					_, ran := bound[id]
					require.False(t, ran && res.Start > b.now, "%v runs no more", res)
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
				if both := min(len(before), len(res.Servers)); ok && res.ID == rebooked {
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
	for want, pool := range map[string]bookahead.Keeper{
		"pool *idletree.Tree has servers already":              tree,
		"pool 16777217 units are more than the 16777216 serve": huge,
	} {
		_, err := NewBinder(pool)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// A pool that is used behind the binder's back accepts more than there are servers: that
// must not go unnoticed.
func TestPoolUsedElsewhere(t *testing.T) {
	pool, err := carts.NewFlat(2, carts.Config{})
	require.NoError(t, err)
	b, err := NewBinder(pool)
	require.NoError(t, err)
	require.Same(t, pool, b.pool)
	first, err := b.Reserve(bookahead.Request{Duration: 10, Units: 2})
	require.NoError(t, err)
	require.NoError(t, pool.Release(first.ID))
	require.Panics(t, func() { _, _ = b.Reserve(bookahead.Request{Duration: 5, Units: 1}) })
}

// A pool must give each reservation units that any servers can serve, and keep its
// reservations: the providers of a Broker have units of their own, and another Binder has
// bound its servers.
func TestABinderNeedsAPlainPool(t *testing.T) {
	broker, err := NewBroker(Config{}, newPool(t, 4), newPool(t, 4))
	require.NoError(t, err)
	for want, pool := range map[string]bookahead.Keeper{
		"pool *grid.Broker":      broker,
		"pool *grid.Binder":      newBinder(t, 4),
		"pool *bookahead.locked": bookahead.Locked(newBinder(t, 4)),
	} {
		_, err := NewBinder(pool)
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
	}
	_, err = NewBinder(bookahead.Locked(newPool(t, 4)))
	require.NoError(t, err)
}

// A binder takes over the reservations that its pool holds already: running reservations are
// bound as if they had just been made, by start, then by ID; the others when they start.
func TestABinderTakesOverWhatIsBooked(t *testing.T) {
	booked := []bookahead.Offer{
		{Interval: span(3, 20), Units: 2}, {Interval: span(1, 8), Units: 1}, {Interval: span(6, 9), Units: 1}, {Interval: span(3, 6), Units: 1},
	}
	config := carts.Config{Origin: 5, Horizon: 100, Booked: booked}
	indexed, err := carts.NewIndexed(5, config)
	require.NoError(t, err)
	flat, err := carts.NewFlat(5, config)
	require.NoError(t, err)
	for _, pool := range []bookahead.Keeper{indexed, bookahead.Locked(flat)} {
		b, err := NewBinder(pool)
		require.NoError(t, err)
		require.NoError(t, b.Verify())
		require.Equal(t, "[#1 [3, 20) [1 2] #2 [1, 8) [0] #4 [3, 6) [3]]", fmt.Sprint(slices.Collect(b.Running())))
		list, err := b.Servers(3)
		require.NoError(t, err)
		require.Nil(t, list)
		res := reserve(t, b, 5, 4, 1)
		require.NoError(t, b.Advance(6))
		require.Equal(t, "[#1 [3, 20) [1 2] #2 [1, 8) [0] #3 [6, 9) [3] #5 [5, 9) [4]]", fmt.Sprint(slices.Collect(b.Running())))
		require.NoError(t, b.Release(1))
		require.NoError(t, b.Release(res.ID))
		require.NoError(t, b.Verify())
	}
}

// A binder of a pool that was used before binds like a binder that has made the same
// reservations: each running reservation has its servers, whenever the binder is made.
func TestABinderMayComeLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pool, err := carts.NewIndexed(rapid.Int64Range(1, 7).Draw(t, "capacity"), carts.Config{})
		require.NoError(t, err)
		for range rapid.IntRange(0, 15).Draw(t, "booked") {
			_, err := pool.Reserve(bookahead.Request{
				Ready:    bookahead.Time(rapid.IntRange(0, 15).Draw(t, "ready")),
				Duration: bookahead.Duration(rapid.IntRange(1, 9).Draw(t, "duration")),
				Units:    rapid.Int64Range(1, pool.Frame().Capacity).Draw(t, "units"),
			})
			require.NoError(t, err)
		}
		require.NoError(t, pool.Advance(bookahead.Time(rapid.IntRange(0, 20).Draw(t, "now"))))
		b, err := NewBinder(pool)
		require.NoError(t, err)
		require.NoError(t, b.Verify())
		read := reread(t, b)
		for now := b.now; now < 160; now++ {
			require.NoError(t, b.Advance(now))
			require.NoError(t, b.Verify())
			require.NoError(t, read.Advance(now))
			require.Equal(t, slices.Collect(b.Running()), slices.Collect(read.Running()))
		}
		require.Empty(t, b.booked)
	})
}

// A running reservation keeps its servers: it gives the highest back, and gets the lowest
// that are free besides, even if they lie between.
func TestRebookKeepsTheServersOfARunningOne(t *testing.T) {
	b := newBinder(t, 6)
	first := reserve(t, b, 0, 5, 2)
	second := reserve(t, b, 0, 20, 3) // on 2, 3 and 4
	require.NoError(t, b.Advance(5))  // the first has ended
	require.Equal(t, bookahead.ErrNotFound, func() error { _, err := b.Rebook(first.ID, bookahead.At(6, 1, 1)); return err }())
	for _, step := range []struct {
		units int64
		d     bookahead.Duration
		want  []int
	}{
		{2, 20, []int{2, 3}}, {2, 9, []int{2, 3}}, {4, 12, []int{0, 1, 2, 3}}, {1, 8, []int{0}}, {6, 40, []int{0, 1, 2, 3, 4, 5}},
	} {
		o, err := b.SearchFor(second.ID, bookahead.Request{Ready: 30, Duration: step.d, Units: step.units})
		require.NoError(t, err)
		res, err := b.Rebook(second.ID, bookahead.Request{Ready: 30, Duration: step.d, Units: step.units})
		require.NoError(t, err)
		require.Equal(t, bookahead.Reservation{ID: second.ID, Offer: o}, res)
		require.Equal(t, bookahead.Offer{Interval: span(0, bookahead.Time(step.d)), Units: step.units}, o)
		list, err := b.Servers(second.ID)
		require.NoError(t, err)
		require.Equal(t, step.want, list)
		require.NoError(t, b.Verify())
	}
	_, err := b.Rebook(second.ID, bookahead.Request{Duration: 40, Units: 7})
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, b.Verify())
	waits := reserve(t, b, 50, 5, 6)
	require.NoError(t, b.Advance(40))
	res, err := b.Rebook(waits.ID, bookahead.Request{Duration: 5, Units: 1}) // starts at once
	require.NoError(t, err)
	require.Equal(t, "#3 [40, 45) 1", res.String())
	list, err := b.Servers(waits.ID)
	require.NoError(t, err)
	require.Equal(t, []int{0}, list)
}

// Verify finds a pool that others have changed.
func TestVerifyOfABinder(t *testing.T) {
	for want, spoil := range map[string]func(pool bookahead.Keeper, b *Binder){
		"#1 [0, 5) [0 1] is #0 [0, 0) 0 in the pool": func(pool bookahead.Keeper, _ *Binder) { _ = pool.Release(1) },
		"#1 [0, 5) [0 1] is #1 [0, 4) 1 in the pool": func(pool bookahead.Keeper, _ *Binder) { _, _ = pool.Rebook(1, bookahead.At(0, 4, 1)) },
		"is taken twice":            func(_ bookahead.Keeper, b *Binder) { b.booked[1].Servers[1] = 0 },
		"free are [2], not [2 3]":   func(_ bookahead.Keeper, b *Binder) { b.free.remove(3) },
		"waits: false, runs: false": func(_ bookahead.Keeper, b *Binder) { b.running.Delete(event{5, 1}) },
	} {
		pool := newPool(t, 4)
		b, err := NewBinder(pool)
		require.NoError(t, err)
		reserve(t, b, 0, 5, 2)
		require.NoError(t, b.Verify())
		spoil(pool, b)
		require.ErrorContains(t, b.Verify(), want)
	}
}

// A pool whose capacity has changed is refused, because nobody knows which servers closed.
func TestABinderNeedsAPoolThatNeverCloses(t *testing.T) {
	for name, spoil := range map[string]func(p *carts.Indexed){
		"closed":     func(p *carts.Indexed) { _, _ = p.Close(bookahead.Closure{Interval: span(3, 5), Units: 1}) },
		"extended":   func(p *carts.Indexed) { extend(t, p, 3, 5, 1) },
		"overbooked": func(p *carts.Indexed) { extend(t, p, 0, 5, 1); reserve(t, p, 0, 5, 3); require.NoError(t, p.End(1, 0)) },
	} {
		pool := newPool(t, 2)
		spoil(pool)
		_, err := NewBinder(bookahead.Locked(pool))
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.ErrorContains(t, err, "has closures or extensions")
	}
}
