package carts

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// Reference: Kurowski, Oleksiak, Piątek, Węglarz, "Hierarchical scheduling
// strategies for parallel tasks and advance reservations in grids", 2013.

// offered returns an offer of a number of units over [start, end).
func offered(start, end bookahead.Time, units int64) bookahead.Offer {
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
}

// §3.4: "either no reservation starts or finishes or the same amount of
// resources is released ... and allocated": such a moment makes no slot.
func TestSlotOnlyWhereTheCountChanges(t *testing.T) {
	booked := []bookahead.Offer{offered(0, 6, 2), offered(0, 12, 1), offered(6, 18, 1), offered(12, 18, 1), offered(18, 27, 3)}
	f, err := NewFlat(4, Config{Booked: booked})
	require.NoError(t, err)
	// At 6 two end and one starts; at 12 one ends and one starts: no change.
	slots, err := f.profile().verify(0)
	require.NoError(t, err)
	require.Equal(t, []slot{{Start: 0, Free: 1}, {Start: 6, Free: 2}, {Start: 18, Free: 1}, {Start: 27, Free: 4}}, slots)
}

// §3.4, Algorithm 1: its slots are the slots that booking one by one gives, and there are at most
// 2|AR| of them, besides the slot in which all is free.
func TestGenerateEqualsBookingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const capacity = 10
		f, err := NewFlat(capacity, Config{})
		require.NoError(t, err)
		var booked []bookahead.Offer
		for range rapid.IntRange(0, 30).Draw(t, "reservations") {
			res, err := f.Reserve(bookahead.Request{
				Ready:    bookahead.Time(rapid.IntRange(0, 60).Draw(t, "ready")),
				Duration: bookahead.Duration(rapid.IntRange(1, 20).Draw(t, "duration")),
				Units:    rapid.Int64Range(1, capacity).Draw(t, "units"),
			})
			require.NoError(t, err)
			booked = append(booked, res.Offer)
		}
		want, err := f.profile().verify(0)
		require.NoError(t, err)
		require.LessOrEqual(t, len(want), 2*len(booked)+1)
		g, err := NewFlat(capacity, Config{Booked: rapid.Permutation(booked).Draw(t, "order")})
		require.NoError(t, err)
		got, err := g.profile().verify(0)
		require.NoError(t, err)
		require.Equal(t, want, got)
		slots, err := Generate(capacity, 0, booked)
		require.NoError(t, err)
		require.Len(t, slots, len(want))
		for i, s := range slots {
			require.Equal(t, Slot{want[i].Start, want[i].Free}, s)
		}
	})
	_, err := Generate(3, 5, []bookahead.Offer{{Interval: bookahead.Interval{Start: 4, End: 9}, Units: 4}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// §3.5, Algorithm 2 as printed begins with the first slot that starts at the
// ready time or later. The slot that is running then must count as well.
func TestSearchBeginsInTheRunningSlot(t *testing.T) {
	eachForm(t, pools, func(t *testing.T, f form) {
		s := f.new(t, 10, Config{})
		res, err := s.Reserve(bookahead.Request{Ready: 5, Duration: 3, Units: 10})
		require.NoError(t, err)
		require.Equal(t, bookahead.Interval{Start: 5, End: 8}, res.Interval, "on an empty pool, not at a slot edge")
	})
	eachForm(t, pools, func(t *testing.T, f form) {
		s := f.new(t, 10, Config{})
		_, err := s.Reserve(bookahead.Request{Ready: 0, Duration: 100, Units: 4})
		require.NoError(t, err)
		res, err := s.Reserve(bookahead.Request{Ready: 50, Duration: 10, Units: 6})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(50), res.Start)
	})
}

// §3.5: the search "finds several subsequent slots" and starts over after a slot that is too
// full. A start is no answer if the reservation would end after the deadline, even if the slots
// collected are long enough.
func TestSearchKeepsTheDeadline(t *testing.T) {
	eachForm(t, pools, func(t *testing.T, f form) {
		s := f.new(t, 4, Config{})
		for _, r := range []bookahead.Request{
			{Ready: 0, Duration: 6, Units: 3},
			{Ready: 6, Duration: 6, Units: 1},
			{Ready: 18, Duration: 9, Units: 3},
		} {
			_, err := s.Reserve(r)
			require.NoError(t, err)
		}
		r := bookahead.Request{Ready: 2, Duration: 12, Units: 3}
		o, err := s.Search(r)
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(6), o.Start, "slots [6, 12) and [12, 18) together")
		r.Deadline = 18
		_, err = s.Search(r)
		require.NoError(t, err)
		r.Ready, r.Deadline = 7, 19
		_, err = s.Search(r)
		require.Equal(t, bookahead.ErrUnavailable, err)
		r.Deadline = 39
		o, err = s.Search(r)
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(27), o.Start)
		r.Deadline = 38
		_, err = s.Search(r)
		require.Equal(t, bookahead.ErrUnavailable, err)
	})
}

// §3.2, Proposition 1: for a pool with dynamic binding the number of free units decides. If units
// were bound at once, these three reservations would leave no unit free throughout [0, 20); yet
// one is free at each tick.
func TestNumberDecides(t *testing.T) {
	eachForm(t, pools, func(t *testing.T, f form) {
		s := f.new(t, 2, Config{})
		for _, r := range []bookahead.Request{{Ready: 0, Duration: 10, Units: 1}, {Ready: 10, Duration: 10, Units: 1}} {
			_, err := s.Reserve(r)
			require.NoError(t, err)
		}
		_, err := s.Reserve(bookahead.Request{Ready: 0, Deadline: 20, Duration: 20, Units: 1})
		require.NoError(t, err)
	})
}

// §3.4: a schedule built from existing reservations answers as if they had been booked one by
// one.
func TestBookedFromTheStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	one, err := NewFlat(16, Config{Origin: 3, Horizon: 5000})
	require.NoError(t, err)
	var offers []bookahead.Offer
	for ready := bookahead.Time(3); len(offers) < 300; ready += bookahead.Time(rng.IntN(10)) {
		res, err := one.Reserve(bookahead.Request{Ready: ready, Duration: bookahead.Duration(1 + rng.IntN(40)), Units: 1 + rng.Int64N(6)})
		require.NoError(t, err)
		offers = append(offers, res.Offer)
	}
	slices.SortStableFunc(offers, func(a, b bookahead.Offer) int { return cmp.Compare(a.Start, b.Start) })
	eachForm(t, pools, func(t *testing.T, f form) {
		s := f.new(t, 16, Config{Origin: 3, Horizon: 5000, Booked: offers})
		require.NoError(t, s.(interface{ Verify() error }).Verify())
		for tick := bookahead.Time(3); tick < 5003; tick++ {
			w := bookahead.Interval{Start: tick, End: tick + 1}
			want, err := one.RangeQuery(w)
			require.NoError(t, err)
			got, err := s.RangeQuery(w)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		for i := range offers {
			require.NoError(t, s.Release(bookahead.ID(i+1)))
		}
		a, err := s.RangeQuery(bookahead.Interval{Start: 0, End: 6000})
		require.NoError(t, err)
		require.Equal(t, int64(16), a.Free)
	})

	good := offered(4, 5, 1)
	for want, bad := range map[string]bookahead.Offer{
		"Config.Booked[1] [4999, 5004) 1 ends beyond the horizon 5003":       offered(4999, 5004, 1),
		"Config.Booked[1] [0, 3) 1 ends by the origin 3":                     offered(0, 3, 1),
		"Config.Booked[1] [-1, 5) 1 starts before tick 0":                    offered(-1, 5, 1),
		"Config.Booked[1]: bookahead: Request.Units 0 is less than 1":        offered(4, 5, 0),
		"Config.Booked[1]: bookahead: Request.Duration -1 is less than 1":    offered(5, 4, 1),
		"Config.Booked[1] [4, 9) 17 has more units than the capacity 16":     offered(4, 9, 17),
		"Config.Booked: bookahead: reservations 1 units at 4 exceed the cap": offered(4, 9, 16),
		"Config.Booked[1]: bookahead: Request.Servers [0] are named":         {Interval: good.Interval, Units: 1, Servers: []int{0}},
	} {
		_, err := NewFlat(16, Config{Origin: 3, Horizon: 5000, Booked: []bookahead.Offer{good, bad}})
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
	}
	twice := []bookahead.Offer{offered(0, 5, 9), offered(0, 5, 9)}
	_, err = NewBTree(16, Config{Booked: twice})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}
