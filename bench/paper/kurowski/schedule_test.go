package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
	batch "github.com/bookahead/bookahead/plan"
	"github.com/bookahead/bookahead/slotted"
)

// TestProbe counts slots by hand.
func TestProbe(t *testing.T) {
	open := func(f form) *probe {
		s, err := f.open(8, 100_000)
		require.NoError(t, err)
		return &probe{Schedule: s, slot: f.slot}
	}
	book := func(p *probe, from, to bookahead.Time, units int64) {
		_, err := p.Reserve(bookahead.Request{Ready: from, Deadline: to, Duration: bookahead.Duration(to - from), Units: units})
		require.NoError(t, err)
	}
	for _, c := range []struct {
		form  form
		slots int
	}{
		// The search is ready at 500, and ends at 4500. Changes between: at 1000, at
		// 2000 two that differ, at 3000 two that cancel out, and at 4000.
		{form{probed: true}, 4},
		{form{probed: true, slot: shortSlot}, 8}, // 0 to 4800
		{form{probed: true, slot: longSlot}, 2},  // 0 to 7200
	} {
		p := open(c.form)
		book(p, 100, 500, 1)
		book(p, 1000, 2000, 1)
		book(p, 2000, 3000, 2)
		book(p, 3000, 4000, 2)
		o, err := p.Search(bookahead.Request{Ready: 500, Duration: 4000, Units: 1})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(4500), o.End, c)
		require.Equal(t, c.slots, p.slots, c)
		require.Equal(t, 1, p.searches)
		require.Positive(t, p.took)
		_, err = p.Search(bookahead.Request{Ready: 500, Deadline: 600, Duration: 4000, Units: 5})
		require.Error(t, err)
		require.Equal(t, 1, p.searches, "nothing was found")
	}
}

// TestTies has two providers.
func TestTies(t *testing.T) {
	var pools [2]*carts.Indexed
	for i := range pools {
		s, err := carts.NewIndexed(4, carts.Config{})
		require.NoError(t, err)
		pools[i] = s
	}
	b, err := grid.NewBroker(grid.Config{Policy: drawnMCT(7)}, pools[0], pools[1])
	require.NoError(t, err)
	book := func(k int, w bookahead.Interval) {
		_, err := pools[k].Reserve(bookahead.At(w.Start, w.Len(), 4))
		require.NoError(t, err)
	}
	place := func(r bookahead.Request) (int, bookahead.Time) {
		res, err := b.Reserve(r)
		require.NoError(t, err)
		at, err := b.Place(res.ID)
		require.NoError(t, err)
		require.NoError(t, b.Release(res.ID))
		return at.Provider, res.Start
	}
	fixed := bookahead.At(10, 10, 3)
	// winners counts where so many requests at different times go.
	winners := func(n bookahead.Time) (won [2]int) {
		for k := range n {
			r := bookahead.At(10+k, 10, 3)
			provider, start := place(r)
			require.Equal(t, r.Ready, start)
			won[provider]++
		}
		return won
	}
	won := winners(200)
	require.InDelta(t, 100, won[0], 40)
	require.Equal(t, won, winners(200), "chance depends on the request")

	// Where starts differ, the earlier one wins, and none wins where nothing is free.
	book(0, bookahead.Interval{End: 1000})
	require.Equal(t, [2]int{0, 50}, winners(50))
	book(1, bookahead.Interval{End: 15})
	_, err = b.Search(fixed)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)

	// A flexible request goes where it starts first, whatever the order.
	flexible := bookahead.Request{Ready: 10, Deadline: 5000, Duration: 10, Units: 3}
	provider, start := place(flexible)
	require.Equal(t, 1, provider)
	require.Equal(t, bookahead.Time(15), start)
	book(1, bookahead.Interval{Start: 16, End: 3000})
	flexible.Ready = 16
	provider, start = place(flexible)
	require.Zero(t, provider)
	require.Equal(t, bookahead.Time(1000), start)

	// Without a deadline, the first of equals takes the request.
	for ready := range bookahead.Time(20) {
		provider, _ := place(bookahead.Request{Ready: 3000 + ready, Duration: 10, Units: 3})
		require.Zero(t, provider)
	}
}

// TestPolicies checks the local policies of a plan.
func TestPolicies(t *testing.T) {
	require.Equal(t, local{backfill: batch.FirstFit()}, two(heavy, mct, 0).local)
	require.Equal(t, local{largest: true, backfill: batch.FirstFit(), period: 60}, lsf(60))
	for k, fill := range []batch.Backfill{batch.None(), batch.EASY(1), batch.EASY(1)} {
		require.Equal(t, fill, tableTwo[5+k].plan.local.policy().Backfill)
	}
}

// TestForms checks the structures of the forms.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		form form
		want bookahead.Schedule
	}{
		{form{}, &carts.Indexed{}},
		{form{probed: true}, &carts.Flat{}},
		{form{slot: shortSlot, probed: true}, &slotted.Scan{}},
		{form{bind: dynamic}, &grid.Binder{}},
		{form{bind: early}, &idletree.Tree{}},
	} {
		s, err := c.form.open(4, 100_000)
		require.NoError(t, err)
		require.IsType(t, c.want, s)
	}
}
