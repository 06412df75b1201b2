package bookahead_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/slotted"
)

// What every structure is made with here: so little that requests are in each
// other's way, and many gaps are left.
const (
	units   = 12
	horizon = 400
)

// as makes a Schedule of what a constructor returns.
func as[S bookahead.Schedule](s S, err error) (bookahead.Schedule, error) { return s, err }

// makers make one of each of the structures, and of some more than one form.
var makers = []func() (bookahead.Schedule, error){
	func() (bookahead.Schedule, error) { return as(carts.NewIndexed(units, carts.Config{Horizon: horizon})) },
	func() (bookahead.Schedule, error) { return as(carts.NewFlat(units, carts.Config{Horizon: horizon})) },
	func() (bookahead.Schedule, error) { return as(carts.NewBTree(units, carts.Config{Horizon: horizon})) },
	func() (bookahead.Schedule, error) { return as(carts.NewSR(units, carts.Config{Horizon: horizon})) },
	func() (bookahead.Schedule, error) {
		return as(idletree.NewTree(units, idletree.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		return as(idletree.NewTree(units, idletree.Config{Horizon: horizon, Prefer: idletree.BestFit}))
	},
	func() (bookahead.Schedule, error) {
		return as(idletree.NewLists(units, idletree.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		return as(idletree.NewSlotted(units, idletree.SlottedConfig{Horizon: horizon, Slot: 7, Step: 1}))
	},
	func() (bookahead.Schedule, error) {
		return as(avail.NewSchedule(units, avail.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		return as(avail.NewSchedule(units, avail.Config{Horizon: horizon, Slot: 3}))
	},
	func() (bookahead.Schedule, error) {
		return as(slotted.NewScan(units, slotted.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		return as(slotted.NewIndexed(units, slotted.Config{Horizon: horizon, Slot: 3}))
	},
	func() (bookahead.Schedule, error) {
		return as(freelist.NewTimeExclusive(units, freelist.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		return as(freelist.NewCapacityHierarchical(units, freelist.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		return as(freelist.NewMixed(units, freelist.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		return as(freelist.NewUsed(units, freelist.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		return as(freelist.NewUsedList(units, freelist.Config{Horizon: horizon}))
	},
	func() (bookahead.Schedule, error) {
		pool, err := carts.NewIndexed(units, carts.Config{Horizon: horizon})
		if err != nil {
			return nil, err
		}
		return as(grid.NewBinder(pool))
	},
	func() (bookahead.Schedule, error) {
		big, err := carts.NewIndexed(units, carts.Config{Horizon: horizon})
		if err != nil {
			return nil, err
		}
		small, err := carts.NewFlat(units/2, carts.Config{Horizon: horizon})
		if err != nil {
			return nil, err
		}
		return as(grid.NewBroker(grid.Config{Horizon: horizon}, small, big))
	},
	func() (bookahead.Schedule, error) {
		tree, err := idletree.NewTree(units, idletree.Config{Horizon: horizon})
		if err != nil {
			return nil, err
		}
		return as(grid.NewDesk(tree, 0))
	},
}

// each runs a test on each structure.
func each(t *testing.T, test func(t *testing.T, s bookahead.Schedule)) {
	for i, open := range makers {
		s, err := open()
		require.NoError(t, err)
		t.Run(fmt.Sprintf("%s-%d", strings.TrimPrefix(fmt.Sprintf("%T", s), "*"), i), func(t *testing.T) { test(t, s) })
	}
}

// TestMakersMakeAll demands that whatever abilities.md lists is tested here.
func TestMakersMakeAll(t *testing.T) {
	made := map[reflect.Type]bool{}
	each(t, func(_ *testing.T, s bookahead.Schedule) { made[reflect.TypeOf(s)] = true })
	for _, s := range structures {
		require.True(t, made[reflect.TypeOf(s)], "%T", s)
	}
}

func randomRequest(rng *rand.Rand, now bookahead.Time) bookahead.Request {
	r := bookahead.Request{
		Ready:    now + bookahead.Time(rng.IntN(150)),
		Duration: bookahead.Duration(1 + rng.IntN(30)),
		Units:    1 + rng.Int64N(units),
	}
	switch rng.IntN(4) {
	case 0:
		r.Deadline = r.Ready + bookahead.Time(r.Duration)
	case 1:
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rng.IntN(60))
	}
	return r
}

// interrogate asks a schedule everything that does not write, and returns the
// answers. The same seed asks the same.
func interrogate(s bookahead.Schedule, seed uint64, now bookahead.Time) []any {
	rng := rand.New(rand.NewPCG(seed, 1))
	var answers []any
	hear := func(answer ...any) { answers = append(answers, answer...) }
	for range 6 {
		r := randomRequest(rng, now)
		w := bookahead.Interval{Start: r.Ready, End: r.Ready + bookahead.Time(r.Duration)}
		o, err := s.Search(r)
		hear(o, err)
		a, err := s.RangeQuery(w)
		hear(a, err)
		n := 0
		for o := range bookahead.Offers(s, r) {
			if hear(o); n == 3 {
				break
			}
			n++
		}
		why, err := bookahead.Explain(s, r)
		hear(why, err)
		if p, ok := s.(bookahead.Profiler); ok {
			for b := range p.Blocks(w) {
				b.Servers = slices.Clone(b.Servers)
				hear(b)
			}
		}
		if l, ok := s.(bookahead.LatestSearcher); ok {
			o, err := l.SearchLatest(r)
			hear(o, err)
		}
	}
	if l, ok := s.(bookahead.Lister); ok {
		for res := range l.Reservations() {
			hear(res)
		}
	}
	if m, ok := s.(bookahead.Snapshotter); ok {
		data, err := m.MarshalBinary()
		hear(data, err)
		data, err = m.AppendBinary([]byte{1})
		hear(data, err)
	}
	if f, ok := s.(bookahead.Framer); ok {
		hear(f.Frame())
	}
	if v, ok := s.(bookahead.Verifier); ok {
		hear(v.Verify())
	}
	return answers
}

// TestQueriesSideBySide asks everything from several goroutines at once, between
// writes: each hears what a single one hears before and after (law 8, for all that
// structures can do besides Search and RangeQuery). Run it with -race.
func TestQueriesSideBySide(t *testing.T) {
	each(t, func(t *testing.T, s bookahead.Schedule) {
		rng := rand.New(rand.NewPCG(7, 0))
		var booked []bookahead.ID
		now := bookahead.Time(0)
		for seed := range uint64(25) {
			for range 8 {
				if res, err := s.Reserve(randomRequest(rng, now)); err == nil {
					booked = append(booked, res.ID)
				}
			}
			for range min(len(booked), 4) {
				i := rng.IntN(len(booked))
				if err := s.Release(booked[i]); err != nil {
					require.Equal(t, bookahead.ErrNotFound, err)
				}
				booked = slices.Delete(booked, i, i+1)
			}
			now += bookahead.Time(rng.IntN(5))
			require.NoError(t, s.Advance(now))

			before := interrogate(s, seed, now)
			var heard [4][]any
			var wg sync.WaitGroup
			for k := range heard {
				wg.Add(1)
				go func() {
					defer wg.Done()
					heard[k] = interrogate(s, seed, now)
				}()
			}
			wg.Wait()
			for _, answers := range heard {
				require.Equal(t, before, answers)
			}
			require.Equal(t, before, interrogate(s, seed, now))
		}
	})
}

// TestLockedStructures books, resizes, releases, clones and reads from many
// goroutines at once, with the clock running: at no tick is more given away than
// there is. Run it with -race.
func TestLockedStructures(t *testing.T) {
	each(t, func(t *testing.T, bare bookahead.Schedule) {
		s := bookahead.Locked(bare)
		var wg sync.WaitGroup
		start := func(work func(rng *rand.Rand), seed uint64) {
			wg.Add(1)
			go func() {
				defer wg.Done()
				work(rand.New(rand.NewPCG(seed, 2)))
			}()
		}
		for seed := range uint64(3) {
			start(func(rng *rand.Rand) { write(t, s, rng) }, seed)
			start(func(rng *rand.Rand) { read(t, s, rng) }, seed)
		}
		start(func(*rand.Rand) {
			for now := range bookahead.Time(60) {
				if err := s.Advance(now); err != nil {
					t.Error(err)
				}
			}
		}, 0)
		wg.Wait()
		checkBookings(t, bare)
		require.NoError(t, s.Advance(horizon*2))
		a, err := s.RangeQuery(bookahead.Interval{Start: horizon * 2, End: horizon * 3})
		require.NoError(t, err)
		require.Equal(t, int64(units), a.Free, "all has ended")
	})
}

// write books, gives back and changes reservations, and tries plans on clones.
func write(t *testing.T, s *bookahead.LockedSchedule, rng *rand.Rand) {
	var mine []bookahead.Reservation
	for range 120 {
		switch res, err := s.Reserve(randomRequest(rng, bookahead.Time(rng.IntN(60)))); err {
		case nil:
			mine = append(mine, res)
		case bookahead.ErrUnavailable:
		default:
			t.Error(err)
		}
		if len(mine) == 0 {
			continue
		}
		switch i := rng.IntN(len(mine)); rng.IntN(4) {
		case 0:
			if err := s.Release(mine[i].ID); err != nil && err != bookahead.ErrNotFound {
				t.Error(err)
			}
			mine = slices.Delete(mine, i, i+1)
		case 1:
			s.Update(func(s bookahead.Schedule) {
				if r, ok := s.(bookahead.Resizer); ok {
					_, _ = r.Resize(mine[i].ID, bookahead.Interval{Start: mine[i].Start, End: mine[i].End + 3}, 1)
				}
			})
		case 2:
			var plan bookahead.Schedule
			s.Update(func(s bookahead.Schedule) {
				if c, ok := s.(bookahead.Cloner); ok {
					plan = c.Clone()
				}
			})
			if plan != nil { // nobody else has it
				_ = plan.Release(mine[i].ID)
				_, _ = plan.Reserve(randomRequest(rng, 60))
			}
		}
	}
}

// read asks what can be asked while others write.
func read(t *testing.T, s *bookahead.LockedSchedule, rng *rand.Rand) {
	for i := range 60 {
		r := randomRequest(rng, bookahead.Time(rng.IntN(60)))
		if _, err := s.Search(r); err != nil && err != bookahead.ErrUnavailable {
			t.Error(err)
		}
		a, err := s.RangeQuery(bookahead.Interval{Start: r.Ready, End: r.Ready + 9})
		if err != nil || a.Free < 0 || a.Free > units {
			t.Errorf("%+v is free, %v", a, err)
		}
		if i%10 != 0 {
			continue
		}
		s.View(func(s bookahead.Schedule) {
			interrogate(s, rng.Uint64(), r.Ready)
			checkBookings(t, s)
		})
	}
}

// checkBookings adds up what a schedule says is booked.
func checkBookings(t *testing.T, s bookahead.Schedule) {
	if v, ok := s.(bookahead.Verifier); ok {
		if err := v.Verify(); err != nil {
			t.Error(err)
		}
	}
	l, ok := s.(bookahead.Lister)
	if !ok {
		return
	}
	all := int64(units)
	if b, ok := s.(*grid.Broker); ok { // what is free is that of one provider, what is booked is of all
		all = 0
		for k := range b.Providers() {
			all += b.Capacity(k)
		}
	}
	used := map[bookahead.Time]int64{}
	for res := range l.Reservations() {
		for tick := res.Start; tick < res.End; tick++ {
			if used[tick] += res.Units; used[tick] > all {
				t.Errorf("at %d are %d units of %d booked", tick, used[tick], all)
				return
			}
		}
	}
}
