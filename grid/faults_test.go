package grid

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// faulty is a member whose Reserve fails from when the count that it shares with the
// others comes to nothing.
type faulty struct {
	bookahead.Keeper
	left *int
	err  *error
}

func (f *faulty) fails() bool {
	*f.left--
	return *f.left <= 0
}

func (f *faulty) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if f.fails() {
		return bookahead.Reservation{}, *f.err
	}
	return f.Keeper.Reserve(r)
}

// The booking of one part fails, any of them, at random, with any error: all parts
// are as they were. There are as many failures as scheduletest.Operations says.
func TestAFailureAnywhereChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	left, injected := 0, error(nil)
	broker, err := NewBroker(Config{Policy: Random(2)}, newPool(t, 4), newPool(t, 6))
	require.NoError(t, err)
	indexed, tree := newPool(t, 6), newServers(t, 6)
	shaky := func(k bookahead.Keeper) *faulty { return &faulty{k, &left, &injected} }
	schedules := []bookahead.Schedule{indexed, tree, broker, broker.Provider(0), broker.Provider(1)}
	members := []Member{shaky(indexed), shaky(tree), shaky(broker)}

	const ticks = 40
	now := bookahead.Time(0)
	state := func(all []int64) []int64 {
		for _, s := range schedules {
			for at := now; at < now+ticks; at++ {
				a, err := s.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, a.Free)
				for _, k := range a.Servers {
					all = append(all, int64(k))
				}
			}
		}
		return all
	}
	var live []Allocation
	count := map[string]int{}
	before, after := state(nil), []int64(nil)
	for count["failed"] < scheduletest.Operations() {
		j := Job{Ready: now + bookahead.Time(rng.IntN(10))}
		for range 1 + rng.IntN(5) {
			p := Part{On: members[rng.IntN(len(members))], Offset: bookahead.Duration(rng.IntN(8)), Duration: bookahead.Duration(1 + rng.IntN(8)), Units: 1 + rng.Int64N(3)}
			if p.On == members[2] && slices.ContainsFunc(j.Parts, func(q Part) bool { return q.On == p.On }) {
				p.On = members[0] // of two parts that overlap a Broker may be unable to take both
			}
			j.Parts = append(j.Parts, p)
		}
		if _, err := CoSearch(j); err != nil {
			continue // such as a chain of servers
		}
		victim := rng.IntN(len(j.Parts))
		left, injected = victim+1, errInjected
		if rng.IntN(2) == 0 {
			injected = bookahead.ErrUnavailable
		}
		a, err := CoAllocate(j)
		require.ErrorIs(t, err, injected)
		require.Empty(t, a)
		after = state(after[:0])
		if !slices.Equal(before, after) {
			t.Fatalf("part %d of %+v failed, and left\n%v\nof\n%v", victim, j, after, before)
		}
		count["failed"]++
		count["rolled back"] += victim

		if count["failed"]%4 > 0 {
			continue
		}
		left = 1 << 30 // and now something that succeeds, for a change
		if a, err := CoAllocate(j); err == nil {
			live = append(live, a)
			count["booked"]++
		}
		if len(live) > 4 {
			k := rng.IntN(len(live))
			_ = live[k].Release() // it may have ended
			live[k] = live[len(live)-1]
			live = live[:len(live)-1]
		}
		if rng.IntN(3) == 0 {
			now += bookahead.Time(rng.IntN(4))
			for _, s := range []bookahead.Schedule{indexed, tree, broker} {
				require.NoError(t, s.Advance(now))
			}
		}
		before = state(before[:0])
	}
	t.Log(count)
}

// thief is a pool from which somebody else takes the units just before they are reserved.
type thief struct {
	bookahead.Keeper
	left int // thefts
}

func (f *thief) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if f.left > 0 {
		f.left--
		if _, err := f.Keeper.Reserve(r); err != nil {
			return bookahead.Reservation{}, err
		}
	}
	return f.Keeper.Reserve(r)
}

// Who is beaten to a place looks for the next, but not for ever.
func TestALostRaceIsTriedAgain(t *testing.T) {
	for thefts := range 6 {
		other := newPool(t, 1)
		raced := &thief{newPool(t, 1), thefts}
		a, err := CoAllocate(Job{Parts: []Part{{On: other, Duration: 5, Units: 1}, {On: raced, Duration: 5, Units: 1}}})
		if thefts > races {
			require.Equal(t, bookahead.ErrUnavailable, err)
			free, err := other.RangeQuery(bookahead.Interval{Start: 0, End: 100})
			require.NoError(t, err)
			require.EqualValues(t, 1, free.Free)
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, 5*thefts, a.Start)
	}
}
