package bookahead_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/structures"
)

// The arguments of every structure here: a capacity so small that requests are in each other's
// way, and leave many gaps.
const (
	units   = 12
	horizon = 400
)

// each runs a test on each structure, on those with slots at several widths.
func each(t *testing.T, test func(t *testing.T, s bookahead.Keeper)) {
	run := func(st structures.Structure) {
		t.Run(st.Name, func(t *testing.T) {
			s, err := st.New(units, structures.Config{Horizon: horizon, Step: 1})
			require.NoError(t, err)
			test(t, s)
		})
	}
	for _, st := range structures.All() {
		if !st.Slotted() {
			run(st)
			continue
		}
		for _, slot := range []bookahead.Duration{1, 3, 7} {
			run(st.Wide(slot))
		}
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
func interrogate(s bookahead.Keeper, seed uint64, now bookahead.Time) []any {
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
			hear(o)
			if n == 3 {
				break
			}
			n++
		}
		why, err := bookahead.Explain(s, r)
		hear(why, err)
		if blocks, ok := bookahead.Blocks(s, w); ok {
			for b := range blocks {
				b.Servers = slices.Clone(b.Servers)
				hear(b)
			}
		}
		n = 0
		for starts := range bookahead.Openings(s, r) {
			hear(starts)
			if n == 5 {
				break
			}
			n++
		}
		o, err = bookahead.SearchLatest(s, r)
		hear(o, err)
		for res := range s.Reservations(w) {
			hear(res)
			o, err := s.SearchFor(res.ID, r)
			hear(o, err)
			found, err := s.Reservation(res.ID)
			hear(found, err)
		}
	}
	for res := range s.Reservations(s.Frame().Window()) {
		hear(res)
	}
	data, err := bookahead.Snapshot(s)
	hear(data, err, s.Frame(), verify(s))
	return answers
}

// verify returns the fault that a schedule finds in itself.
func verify(s bookahead.Schedule) (err error) {
	bookahead.View(s, func(v interface{ Verify() error }) { err = v.Verify() })
	return err
}

// TestQueriesSideBySide asks everything from several goroutines at once, between writes: each
// gets the answers that a single one gets before and after (law 8, for all that structures can do
// besides Search and RangeQuery). Run it with -race.
func TestQueriesSideBySide(t *testing.T) {
	each(t, func(t *testing.T, s bookahead.Keeper) {
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

// TestLockedStructures books, rebooks, releases, clones and reads from many goroutines at once,
// with the clock running: at no tick is more booked than there is. Run it with -race.
func TestLockedStructures(t *testing.T) {
	each(t, func(t *testing.T, bare bookahead.Keeper) {
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
func write(t *testing.T, s bookahead.Keeper, rng *rand.Rand) {
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
			switch _, err := s.Rebook(mine[i].ID, bookahead.At(mine[i].Start, mine[i].Len()+3, 1)); err {
			case nil, bookahead.ErrNotFound, bookahead.ErrUnavailable:
			default:
				t.Error(err)
			}
		case 2:
			plan, ok := bookahead.Clone(s) // nobody else has it
			if !ok {
				t.Error("no clone")
				return
			}
			_ = plan.Release(mine[i].ID)
			_, _ = plan.Reserve(randomRequest(rng, 60))
		}
	}
}

// read makes queries while others write.
func read(t *testing.T, s bookahead.Keeper, rng *rand.Rand) {
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
		interrogate(s, rng.Uint64(), r.Ready)
		bookahead.View(s, func(s bookahead.Keeper) { checkBookings(t, s) })
	}
}

// checkBookings adds up the reservations of a schedule.
func checkBookings(t *testing.T, s bookahead.Keeper) {
	if err := verify(s); err != nil {
		t.Error(err)
	}
	all := int64(units)
	if b, ok := s.(*grid.Broker); ok { // free units are those of one provider, reservations those of all
		all = 0
		for k := range b.Providers() {
			f, _ := bookahead.FrameOf(b.Provider(k))
			all += f.Capacity
		}
	}
	used := map[bookahead.Time]int64{}
	for res := range s.Reservations(s.Frame().Window()) {
		for tick := res.Start; tick < res.End; tick++ {
			used[tick] += res.Units
			if used[tick] > all {
				t.Errorf("at %d are %d units of %d booked", tick, used[tick], all)
				return
			}
		}
	}
}
