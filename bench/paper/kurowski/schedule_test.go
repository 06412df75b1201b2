package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
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
	providers := make([]sim.Provider, 2)
	for i := range providers {
		s, err := carts.NewIndexed(4, carts.Config{})
		require.NoError(t, err)
		providers[i].Schedule = s
	}
	drawTies(providers, 7)
	fixed := bookahead.Request{Ready: 10, Deadline: 20, Duration: 10, Units: 3}
	// winners are those that have a place, of so many requests at different times.
	winners := func(n int) (won [2]int) {
		for k := range n {
			r := fixed
			r.Ready += bookahead.Time(k)
			r.Deadline += bookahead.Time(k)
			found := 0
			for i, p := range providers {
				o, err := p.Schedule.Search(r)
				if err == nil {
					require.Equal(t, r.Ready, o.Start)
					won[i]++
					found++
				} else {
					require.ErrorIs(t, err, bookahead.ErrUnavailable)
				}
			}
			require.Equal(t, 1, found, "one of two")
		}
		return won
	}
	won := winners(200)
	require.InDelta(t, 100, won[0], 40)
	require.Equal(t, won, winners(200), "chance depends on the request")

	// Where starts differ, the earlier one is it, and nobody is it where none is.
	_, err := providers[0].Schedule.Reserve(bookahead.Request{Ready: 0, Deadline: 1000, Duration: 1000, Units: 4})
	require.NoError(t, err)
	require.Equal(t, [2]int{0, 50}, winners(50))
	_, err = providers[1].Schedule.Reserve(bookahead.Request{Ready: 0, Deadline: 15, Duration: 15, Units: 4})
	require.NoError(t, err)
	for _, p := range providers {
		_, err := p.Schedule.Search(fixed)
		require.ErrorIs(t, err, bookahead.ErrUnavailable)
		bad := fixed
		bad.Units = 0
		_, err = p.Schedule.Search(bad)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		bad.Units = 5
		_, err = p.Schedule.Search(bad)
		require.Equal(t, bookahead.ErrUnavailable, err)
	}

	// A flexible request goes where it starts first, whatever the order.
	flexible := bookahead.Request{Ready: 10, Deadline: 5000, Duration: 10, Units: 3}
	_, err = providers[0].Schedule.Search(flexible)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	o, err := providers[1].Schedule.Search(flexible)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(15), o.Start)
	flexible.Ready, flexible.Units = 16, 4
	_, err = providers[1].Schedule.Reserve(bookahead.Request{Ready: 16, Deadline: 3000, Duration: 2984, Units: 4})
	require.NoError(t, err)
	_, err = providers[1].Schedule.Search(flexible)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	o, err = providers[0].Schedule.Search(flexible)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(1000), o.Start)

	// Without a deadline, each answers for itself.
	late := bookahead.Request{Ready: 10, Duration: 10, Units: 3}
	for i, start := range []bookahead.Time{1000, 3000} {
		o, err := providers[i].Schedule.Search(late)
		require.NoError(t, err)
		require.Equal(t, start, o.Start)
	}
}

// TestPolicies looks at what the local policies of a plan are.
func TestPolicies(t *testing.T) {
	require.Equal(t, sim.Local{Order: sim.FCFS{}, Backfill: sim.FirstFit{}}, local{}.policy())
	require.Equal(t, sim.Local{Order: sim.LSF{}, Backfill: sim.FirstFit{}, Period: 60}, lsf(60).policy())
	require.Equal(t, sim.None{}, local{fill: none}.policy().Backfill)
	require.Equal(t, sim.EASY{}, local{fill: easy}.policy().Backfill)
}

// TestForms looks at what the structures of the forms are.
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
