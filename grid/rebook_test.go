package grid

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// brokerOf makes a broker.
func brokerOf(t require.TestingT, c Config, providers ...bookahead.Schedule) *Broker {
	b, err := NewBroker(c, providers...)
	require.NoError(t, err)
	return b
}

// reserve books a fixed request.
func reserve(t require.TestingT, s bookahead.Schedule, start bookahead.Time, d bookahead.Duration, units int64) bookahead.Reservation {
	res, err := s.Reserve(bookahead.At(start, d, units))
	require.NoError(t, err)
	return res
}

// A reservation that has not begun goes where it starts first, under its own ID; and stays
// at its provider if it starts as early there, whatever the policy prefers.
func TestRebookMovesWhatHasNotBegun(t *testing.T) {
	small, large := newPool(t, 2), newPool(t, 5)
	b := brokerOf(t, Config{Policy: Priority}, small, bookahead.Locked(large))
	reserve(t, small, 10, 5, 1)      // of another client
	first := reserve(t, b, 10, 5, 2) // does not fit beside it
	require.Equal(t, Place{1, 1}, b.booked[first.ID].Place)

	o, err := b.SearchFor(first.ID, bookahead.At(10, 5, 1))
	require.NoError(t, err)
	res, err := b.Rebook(first.ID, bookahead.At(10, 5, 1))
	require.NoError(t, err)
	require.Equal(t, bookahead.Reservation{ID: first.ID, Offer: o}, res)
	require.Equal(t, 1, b.booked[first.ID].Provider, "the first would have it too, but not earlier")

	full := reserve(t, large, 20, 10, 5)
	res, err = b.Rebook(first.ID, bookahead.Request{Ready: 20, Duration: 5, Units: 2})
	require.NoError(t, err)
	require.Equal(t, "#1 [20, 25) 2", res.String())
	at, err := b.Place(first.ID)
	require.NoError(t, err)
	require.Equal(t, Place{0, 2}, at)
	require.EqualValues(t, 5, freeIn(t, large, 10, 15), "it is given back")
	require.Zero(t, freeIn(t, small, 20, 25))
	require.NoError(t, b.Verify())

	require.NoError(t, large.Release(full.ID))
	_, err = b.Rebook(first.ID, bookahead.At(20, 5, 6))
	require.Equal(t, bookahead.ErrUnavailable, err, "more than any provider has")
	_, err = b.Rebook(2, bookahead.At(20, 5, 1))
	require.Equal(t, bookahead.ErrNotFound, err)
	res, err = b.Rebook(first.ID, bookahead.At(20, 5, 5))
	require.NoError(t, err)
	require.Equal(t, Place{1, 3}, b.booked[first.ID].Place)
	require.Equal(t, bookahead.ID(1), res.ID)
	res = reserve(t, b, 0, 5, 1)
	require.Equal(t, bookahead.ID(2), res.ID, "no ID is used up")
}

// A running reservation stays at its provider, whatever is free elsewhere.
func TestRebookOfARunningReservationStays(t *testing.T) {
	small, large := newPool(t, 2), newPool(t, 5)
	b := brokerOf(t, Config{Policy: Priority}, small, large)
	res := reserve(t, b, 0, 5, 2)
	reserve(t, small, 8, 5, 1)
	require.NoError(t, b.Advance(3))
	r := bookahead.Request{Ready: 50, Duration: 8, Units: 2} // Ready is not read
	res, err := b.Rebook(res.ID, r)
	require.NoError(t, err)
	require.Equal(t, "#1 [0, 8) 2", res.String())
	for _, r := range []bookahead.Request{{Duration: 9, Units: 2}, {Duration: 8, Units: 3}, {Deadline: 7, Duration: 8, Units: 1}} {
		_, err = b.Rebook(res.ID, r)
		require.Equal(t, bookahead.ErrUnavailable, err, "%+v", r)
	}
	_, err = b.Rebook(res.ID, bookahead.Request{Duration: 3, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid, "it would have ended")
	res, err = b.Rebook(res.ID, bookahead.Request{Duration: 9, Units: 1})
	require.NoError(t, err)
	require.Equal(t, "#1 [0, 9) 1", res.String())
	require.NoError(t, b.Verify())
	require.NoError(t, b.Advance(9))
	_, err = b.Rebook(res.ID, bookahead.At(10, 1, 1))
	require.Equal(t, bookahead.ErrNotFound, err)
}

// A Rebook drops a reservation that others have released, as Release does; a query does not.
func TestRebookForgetsWhatOthersHaveReleased(t *testing.T) {
	for _, start := range []bookahead.Time{0, 5} { // running, or not
		p := newPool(t, 2)
		b := brokerOf(t, Config{}, p, newPool(t, 2))
		res := reserve(t, b, start, 5, 1)
		require.NoError(t, p.Release(1))
		_, err := b.SearchFor(res.ID, bookahead.At(start, 9, 1))
		require.Equal(t, bookahead.ErrNotFound, err)
		require.Error(t, b.Verify(), "it is not forgotten yet")
		_, err = b.Rebook(res.ID, bookahead.At(start, 9, 1))
		require.Equal(t, bookahead.ErrNotFound, err)
		require.NoError(t, b.Verify())
		require.Empty(t, booked(b))
	}
}

// A provider that is no Keeper cannot rebook, and says so; nothing has changed.
func TestRebookNeedsAKeeper(t *testing.T) {
	b := brokerOf(t, Config{}, newPool(t, 1), five{newPool(t, 2)})
	for _, start := range []bookahead.Time{0, 5} {
		res := reserve(t, b, start, 5, 2)
		for _, r := range []bookahead.Request{bookahead.At(start, 4, 1), bookahead.At(20, 5, 2)} {
			_, err := b.SearchFor(res.ID, r)
			require.EqualError(t, err, "bookahead: providers[1] grid.five is no bookahead.Keeper")
			_, err = b.Rebook(res.ID, r)
			require.EqualError(t, err, "bookahead: providers[1] grid.five is no bookahead.Keeper")
		}
		require.NoError(t, b.Verify())
	}
	res := reserve(t, b, 30, 5, 1)
	res, err := b.Rebook(res.ID, bookahead.At(30, 5, 2))
	require.NoError(t, err, "to move there is possible")
	require.Equal(t, Place{1, 3}, b.booked[res.ID].Place)
}

// Any call of a provider may fail. Then nothing has changed, or the error names the reservation
// that could not be given back.
func TestAFailedRebookChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		first, second failing // of the provider that has it, and of the other one
		r             bookahead.Request
		want          string
	}{
		"its own does not book anew":       {failing{rebooks: 1}, failing{}, bookahead.At(10, 5, 2), "the line is down"},
		"its own does not search":          {failing{queries: 2}, failing{}, bookahead.At(10, 4, 1), "the line is down"},
		"neither searches":                 {failing{queries: 2}, failing{queries: 1}, bookahead.At(10, 5, 2), "grid: provider 0: the line is down"},
		"the other one does not search":    {failing{}, failing{queries: 1}, bookahead.At(10, 5, 3), "grid: provider 1: the line is down"},
		"the other one does not book":      {failing{}, failing{reserves: 1}, bookahead.At(10, 5, 3), "the line is down"},
		"its own does not give back":       {failing{releases: 1}, failing{}, bookahead.At(10, 5, 3), "grid: provider 0: the line is down"},
		"neither gives back":               {failing{releases: 1}, failing{releases: 1}, bookahead.At(10, 5, 3), "grid: provider 0: the line is down; provider 1 still books #1 [10, 15) 3: the line is down"},
		"the other one is taken meanwhile": {failing{}, failing{reserves: 1, err: bookahead.ErrUnavailable}, bookahead.At(10, 5, 3), bookahead.ErrUnavailable.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			c.first.Keeper, c.second.Keeper = newPool(t, 2), newPool(t, 4)
			b := brokerOf(t, Config{Policy: Priority}, &c.first, &c.second)
			res := reserve(t, b, 10, 5, 1)
			_, err := b.Rebook(res.ID, c.r)
			require.EqualError(t, err, c.want)
			require.Equal(t, []bookahead.Reservation{res}, booked(b))
			require.Equal(t, Place{0, 1}, b.booked[res.ID].Place)
			require.EqualValues(t, 1, freeIn(t, c.first.Keeper, 10, 15))
			left := freeIn(t, c.second.Keeper, 0, 100)
			require.Equal(t, name != "neither gives back", left == 4)
			require.NoError(t, b.Verify())
			_, err = b.Rebook(res.ID, bookahead.At(10, 5, 2))
			require.NoError(t, err, "the line is up again")
		})
	}
}

// shaky is a provider of which one write fails, the one at which the count that it shares
// with others is down to zero.
type shaky struct {
	bookahead.Keeper
	left *int
}

func (s *shaky) fails() bool {
	*s.left--
	return *s.left == 0
}

func (s *shaky) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	if s.fails() {
		return bookahead.Reservation{}, errInjected
	}
	return s.Keeper.Reserve(r)
}

func (s *shaky) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	if s.fails() {
		return bookahead.Reservation{}, errInjected
	}
	return s.Keeper.Rebook(id, r)
}

func (s *shaky) Release(id bookahead.ID) error {
	if s.fails() {
		return errInjected
	}
	return s.Keeper.Release(id)
}

// A Rebook of which one step fails, any of them, at random, is as if it had not been.
func TestARebookIsAllOrNothing(t *testing.T) {
	count := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		left := 0
		var providers []bookahead.Schedule
		for range 3 {
			providers = append(providers, &shaky{drawServers(t, 35).Keeper, &left})
		}
		b := brokerOf(t, Config{Policy: policies[rapid.SampledFrom(slices.Sorted(keys(policies))).Draw(t, "policy")]}, providers...)
		request := func() bookahead.Request {
			return bookahead.Request{
				Ready:    bookahead.Time(rapid.IntRange(0, 9).Draw(t, "ready")),
				Duration: bookahead.Duration(rapid.IntRange(1, 12).Draw(t, "duration")),
				Units:    rapid.Int64Range(1, 4).Draw(t, "units"),
			}
		}
		state := func() (all []any) {
			for _, res := range booked(b) {
				at, err := b.Place(res.ID)
				require.NoError(t, err)
				all = append(all, res, at)
			}
			for _, p := range providers {
				all = append(all, booked(p.(bookahead.Keeper)))
				for at := range bookahead.Time(35) {
					a, err := p.RangeQuery(span(at, at+1))
					require.NoError(t, err)
					all = append(all, a)
				}
			}
			return all
		}
		for range 8 {
			left = 0
			_, _ = b.Reserve(request())
			if rapid.IntRange(0, 3).Draw(t, "advance") == 3 {
				require.NoError(t, b.Advance(b.Frame().Now+1))
			}
			id, r := rapid.Uint64Range(1, uint64(b.last)+1).Draw(t, "id"), request()
			for n := 1; ; n++ {
				left = 0
				before := state()
				left = n
				_, err := b.Rebook(bookahead.ID(id), r)
				require.NoError(t, b.Verify())
				if err == nil {
					count["booked"]++
					break
				}
				require.Equal(t, before, state(), "at %d, after %v", n, err)
				if !errors.Is(err, errInjected) {
					count["refused"]++
					break
				}
				count["failed"]++
			}
		}
	})
	t.Log(count)
	for _, kind := range []string{"booked", "refused", "failed"} {
		require.Positive(t, count[kind], kind)
	}
}

// counted is a provider that counts the Searches.
type counted struct {
	bookahead.Keeper
	searches int
}

func (c *counted) Search(r bookahead.Request) (bookahead.Offer, error) {
	c.searches++
	return c.Keeper.Search(r)
}

// A policy that is content with the first offer that it gets asks nobody else: the provider
// that has a reservation is asked once more only in a Rebook.
func TestPoliciesAskNoMoreThanTheyNeed(t *testing.T) {
	first, second := &counted{Keeper: newPool(t, 4)}, &counted{Keeper: newPool(t, 4)}
	b := brokerOf(t, Config{Policy: ShortestQueue}, first, second)
	reserve(t, b, 0, 5, 1)
	require.Equal(t, [2]int{1, 0}, [2]int{first.searches, second.searches})
	reserve(t, b, 0, 5, 1)
	require.Equal(t, [2]int{1, 1}, [2]int{first.searches, second.searches})
}

// The queue of a provider is shorter by the reservation that is booked anew.
func TestShortestQueueLeavesOutTheOneThatMoves(t *testing.T) {
	b := brokerOf(t, Config{Policy: ShortestQueue}, newPool(t, 1), newPool(t, 1), newPool(t, 1))
	for _, start := range []bookahead.Time{10, 10, 10, 20} { // the last at the first provider
		reserve(t, b, start, 5, 1)
	}
	reserve(t, b.Provider(2), 30, 5, 1) // of another client
	_, err := b.Rebook(3, bookahead.Request{Ready: 30, Duration: 5, Units: 1})
	require.NoError(t, err)
	require.Equal(t, 2, b.booked[3].Provider, "its own has no other, the second has one")
	require.Equal(t, "[35, 40)", b.booked[3].Offer.Interval.String())
}

// bookahead.Resize works on all three, and behind a lock.
func TestResize(t *testing.T) {
	broker := brokerOf(t, Config{Policy: Priority}, newPool(t, 2), bookahead.Locked(newPool(t, 5)))
	for _, k := range []bookahead.Keeper{broker, bookahead.Locked(newPool(t, 5)), newBinder(t, 5)} {
		res := reserve(t, k, 1, 5, 2)
		res, err := bookahead.Resize(k, res.ID, span(20, 30), 5)
		require.NoError(t, err)
		require.Equal(t, "#1 [20, 30) 5", res.String())
		require.NoError(t, k.Advance(25))
		res, err = bookahead.Resize(k, res.ID, span(0, 26), 1)
		require.NoError(t, err)
		require.Equal(t, "#1 [20, 26) 1", res.String())
		_, err = bookahead.Resize(k, res.ID, span(20, 25), 1)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		_, err = bookahead.Resize(k, res.ID, span(20, 30), 6)
		require.Equal(t, bookahead.ErrUnavailable, err)
		_, err = bookahead.Resize(k, 9, span(30, 40), 6)
		require.Equal(t, bookahead.ErrNotFound, err)
		require.NoError(t, verify(k))
	}
}

func span(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}
