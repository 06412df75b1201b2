package grid

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// A Broker over views of machines takes the earliest start that any of them has, and its booking is one
// of that machine, on whose nodes there is room. A Gang on another machine may stand beside it.
func TestABrokerOverMachines(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	each, count := nodes.Vector{2, 3}, map[string]int{}
	for range 100 {
		var machines []*nodes.Machine
		var views []bookahead.Schedule
		for range 3 {
			c := nodes.Config{Horizon: 60, Resources: []string{"gpus", "cores"}}
			for range 1 + rng.IntN(3) {
				c.Nodes = append(c.Nodes, nodes.Vector{rng.Int64N(7), rng.Int64N(10)})
			}
			m, err := nodes.New(c)
			require.NoError(t, err)
			v, err := m.Tasks(each, 0)
			require.NoError(t, err)
			machines, views = append(machines, m), append(views, v)
		}
		b := brokerOf(t, Config{}, views...)
		most := int64(0)
		for k, v := range views {
			a, err := v.RangeQuery(b.Frame().Window())
			require.NoError(t, err)
			require.Equal(t, a.Free, b.providers[k].schedule.Frame().Capacity, "nothing is booked")
			most = max(most, a.Free)
		}
		require.Equal(t, bookahead.Frame{Horizon: 60, Capacity: most}, b.Frame())
		beside, now := newMachine(t), bookahead.Time(0)
		var live []bookahead.ID
		for range 40 {
			switch rng.IntN(6) {
			case 0:
				now += bookahead.Time(rng.IntN(5))
				require.NoError(t, b.Advance(now))
				for _, m := range machines {
					require.Equal(t, now, m.Frame().Now)
				}
				require.NoError(t, beside.Advance(now))
				continue
			case 1:
				if len(live) > 0 {
					err := b.Release(live[0]) // it may have ended
					require.True(t, err == nil || err == bookahead.ErrNotFound)
					live = live[1:]
				}
				continue
			}
			r := bookahead.Request{Ready: now + bookahead.Time(rng.IntN(20)), Duration: bookahead.Duration(1 + rng.IntN(10)), Units: 1 + rng.Int64N(4)}
			best := nodes.Offer{}
			for _, m := range machines {
				o, err := m.Search(nodes.Request{Ready: r.Ready, Duration: r.Duration, Tasks: r.Units, Each: each})
				if err == nil && (best.Empty() || o.Start < best.Start) {
					best = o
				}
			}
			a, err := CoAllocate(Job{Ready: r.Ready, Parts: []Part{
				{On: Gang{beside, nodes.Request{Each: nodes.Vector{1, 1}}}, Duration: 1, Units: 1},
				{On: b, Duration: r.Duration, Units: r.Units},
			}})
			if best.Empty() {
				require.Equal(t, bookahead.ErrUnavailable, err)
				count["unavailable"]++
				continue
			}
			require.NoError(t, err)
			require.Equal(t, best.Start, a.Start)
			p, err := b.Place(a.Parts[1].ID)
			require.NoError(t, err)
			res, err := machines[p.Provider].Reservation(p.ID)
			require.NoError(t, err)
			require.Equal(t, best, res.Offer)
			require.NoError(t, machines[p.Provider].Verify())
			live = append(live, a.Parts[1].ID)
			count["booked"]++
		}
	}
	t.Log(count)
	require.Greater(t, count["booked"], 500)
	require.Greater(t, count["unavailable"], 100)
}

// Two views of a machine share its nodes, so a Broker takes only one of them, and a job has one part for
// the machine, whatever its member.
func TestViewsOfOneMachineAreOneProvider(t *testing.T) {
	m, other := newMachine(t), newMachine(t)
	view, err := m.Tasks(nodes.Vector{1, 0}, 0)
	require.NoError(t, err)
	wide, err := m.Tasks(nodes.Vector{0, 1}, 0)
	require.NoError(t, err)
	elsewhere, err := other.Tasks(nodes.Vector{1, 0}, 0)
	require.NoError(t, err)
	for _, second := range []bookahead.Schedule{view, wide, brokerOf(t, Config{}, wide)} {
		_, err = NewBroker(Config{}, view, second)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "shares a schedule with, providers[0]")
	}
	b := brokerOf(t, Config{}, elsewhere, view)
	_, err = CoAllocate(Job{Parts: []Part{
		{On: b, Duration: 5, Units: 1},
		{On: Gang{m, nodes.Request{Each: nodes.Vector{1, 1}}}, Duration: 5, Units: 1},
	}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "one part for each machine")
}
