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

// §3.4: "either no reservation starts or finishes or the same amount of
// resources is released ... and allocated": such a moment makes no slot.
func TestSlotOnlyWhereTheCountChanges(t *testing.T) {
	slots, err := Generate(4, 0,
		[]Event{{0, 3}, {6, 1}, {12, 1}, {18, 3}},
		[]Event{{6, 2}, {12, 1}, {18, 2}, {27, 3}})
	require.NoError(t, err)
	// At 6 two end and one starts; at 12 one ends and one starts: no change.
	require.Equal(t, []Slot{{0, 1}, {6, 2}, {18, 1}, {27, 4}}, slots)
}

// §3.4, Algorithm 1: its slots are those that booking one by one gives, and
// there are at most 2|AR| of them, and the one that is all free.
func TestGenerateEqualsBookingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const capacity = 10
		f, err := NewFlat(capacity, Config{})
		require.NoError(t, err)
		var starts, ends []Event
		for range rapid.IntRange(0, 30).Draw(t, "reservations") {
			res, err := f.Reserve(bookahead.Request{
				Ready:    bookahead.Time(rapid.IntRange(0, 60).Draw(t, "ready")),
				Duration: bookahead.Duration(rapid.IntRange(1, 20).Draw(t, "duration")),
				Units:    rapid.Int64Range(1, capacity).Draw(t, "units"),
			})
			require.NoError(t, err)
			starts = append(starts, Event{res.Start, res.Units})
			ends = append(ends, Event{res.End, res.Units})
		}
		byTime := func(a, b Event) int { return cmp.Compare(a.Time, b.Time) }
		slices.SortFunc(starts, byTime)
		slices.SortFunc(ends, byTime)
		slots, err := Generate(capacity, 0, starts, ends)
		require.NoError(t, err)
		require.LessOrEqual(t, len(slots), 2*len(starts)+1)
		require.Len(t, slots, len(f.s.Profile.(*array).start))
		for i, s := range slots {
			require.Equal(t, s, Slot{f.s.Profile.(*array).start[i], f.s.Profile.(*array).free[i]})
		}
	})
}

// Algorithm 1 takes sorted arrays that balance; anything else is refused.
func TestGenerateRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		starts, ends []Event
		want         string
	}{
		"overbooking":        {[]Event{{0, 3}, {1, 2}}, []Event{{5, 3}, {6, 2}}, "start {1 2} of units while 1 are free"},
		"unsorted starts":    {[]Event{{4, 1}, {1, 1}}, []Event{{5, 1}, {6, 1}}, "event 1 is before 4"},
		"an end too many":    {[]Event{{0, 1}}, []Event{{5, 1}, {6, 2}}, "end {6 2} of units while 0 are booked"},
		"an end too few":     {[]Event{{0, 1}, {1, 1}}, []Event{{5, 1}}, "ends 1 units short of starts"},
		"before the origin":  {[]Event{{-1, 1}}, []Event{{5, 1}}, "event -1 is before 0"},
		"no units":           {[]Event{{0, 0}}, []Event{{5, 0}}, "start {0 0} of units while 4 are free"},
		"ends before starts": {[]Event{{5, 1}}, []Event{{1, 1}}, "end {1 1} of units while 0 are booked"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Generate(4, 0, c.starts, c.ends)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, c.want)
		})
	}
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

// §3.5: the search "finds several subsequent slots" and starts over behind a
// slot that is too full; a start that would end past the deadline is none,
// though the slots collected are long enough.
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

// §3.2, Proposition 1: for a pool with dynamic binding the number of free
// units decides. These three leave no one unit free throughout [0, 20), were
// units bound at once, yet one is free at each tick.
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

// §3.4: built from reservations that are there already, a schedule answers as
// if they had been booked one by one.
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
		require.NoError(t, s.(bookahead.Verifier).Verify())
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

	good := bookahead.Offer{Interval: bookahead.Interval{Start: 4, End: 5}, Units: 1}
	for want, bad := range map[string]bookahead.Offer{
		"Config.Booked[1] [4999, 5004) 1 lies before the origin or beyond the horizon": {Interval: bookahead.Interval{Start: 4999, End: 5004}, Units: 1},
		"Config.Booked[1] [0, 5) 1 lies before the origin or beyond the horizon":       {Interval: bookahead.Interval{Start: 0, End: 5}, Units: 1},
		"Config.Booked[1] [4, 5) 0: bookahead: Request.Units 0 is less than 1":         {Interval: bookahead.Interval{Start: 4, End: 5}},
		"Config.Booked[1] [5, 4) 1: bookahead: Request.Duration -1 is less than 1":     {Interval: bookahead.Interval{Start: 5, End: 4}, Units: 1},
		"Config.Booked[1] [3, 4) 1 starts before the one in front of it":               {Interval: bookahead.Interval{Start: 3, End: 4}, Units: 1},
		"Config.Booked: bookahead: start {4 16} of units while 15 are free":            {Interval: bookahead.Interval{Start: 4, End: 9}, Units: 16},
	} {
		_, err := NewFlat(16, Config{Origin: 3, Horizon: 5000, Booked: []bookahead.Offer{good, bad}})
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
	}
	twice := []bookahead.Offer{{Interval: bookahead.Interval{Start: 0, End: 5}, Units: 9}, {Interval: bookahead.Interval{Start: 0, End: 5}, Units: 9}}
	_, err = NewBTree(16, Config{Booked: twice})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}
