package window

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

const hallAxis = 80 // ticks of which the table has cells

// hallTable is a machine, and the free amounts of each of its nodes at each tick.
type hallTable struct {
	*nodes.Machine
	free [hallAxis][]nodes.Vector
}

func newHall(t *testing.T, rng *rand.Rand) *hallTable {
	c := nodes.Config{Horizon: hallAxis, Resources: []string{"gpus", "cores"}}
	for range 5 {
		c.Nodes = append(c.Nodes, nodes.Vector{rng.Int64N(5), 2 + rng.Int64N(5)})
	}
	m, err := nodes.New(c)
	require.NoError(t, err)
	h := &hallTable{Machine: m}
	for at := range h.free {
		for _, v := range c.Nodes {
			h.free[at] = append(h.free[at], slices.Clone(v))
		}
	}
	return h
}

// book takes a reservation from the cells.
func (h *hallTable) book(t *testing.T, res nodes.Reservation) {
	for at := res.Start; at < min(res.End, hallAxis); at++ {
		for _, s := range res.Tasks {
			for r, amount := range res.Each {
				h.free[at][s.Node][r] -= s.Tasks * amount
				require.GreaterOrEqual(t, h.free[at][s.Node][r], int64(0))
			}
		}
	}
}

// slots reads the spans with room for a task off the cells.
func (h *hallTable) slots(each nodes.Vector, w bookahead.Interval) (list []Slot) {
	room := func(k int, at bookahead.Time) bool {
		v := h.free[at][k]
		return (each[0] == 0 || v[0] >= each[0]) && (each[1] == 0 || v[1] >= each[1])
	}
	begin, end := max(w.Start, 0), min(w.End, hallAxis)
	for at := begin; at < end; at++ {
		for k := range h.free[at] {
			if !room(k, at) || at > begin && room(k, at-1) {
				continue
			}
			s := Slot{k, bookahead.Interval{Start: at, End: at}}
			for s.End < end && room(k, s.End) {
				s.End++
			}
			list = append(list, s)
		}
	}
	return list
}

// The slots of a machine are those of a table of ticks. The best window in them is booked in one go,
// and a second time it leaves everything as it is.
func TestWindowsOnAMachine(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 22))
		h := newHall(t, rng)
		var prices []Node
		for range 5 {
			prices = append(prices, Node{Performance: 1 + rng.Float64(), Price: rng.Float64()})
		}
		if rng.IntN(3) == 0 {
			k, start := rng.IntN(5), bookahead.Time(rng.IntN(40))
			c, err := h.Close(bookahead.Closure{Interval: bookahead.Interval{Start: start, End: start + 20}, Servers: []int{k}})
			require.NoError(t, err)
			for at := c.Start; at < c.End; at++ {
				h.free[at][k] = nodes.Vector{0, 0}
			}
		}
		for range 20 {
			each := nodes.Vector{rng.Int64N(3), rng.Int64N(4)}
			if each[0]+each[1] == 0 {
				continue
			}
			start := bookahead.Time(rng.IntN(60) - 5)
			w := bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(90))}
			slots, err := MachineSlots(h.Machine, each, w)
			require.NoError(t, err)
			require.Equal(t, h.slots(each, w), slots)
			e, err := New(prices, slots)
			require.NoError(t, err)
			j := Job{Nodes: 1 + rng.IntN(3), Volume: float64(1 + rng.IntN(12)), Budget: 1 + 15*rng.Float64(), Shape: Shape(rng.IntN(3))}
			best, err := Exact(e, j, Cheapest)
			if err != nil {
				require.ErrorIs(t, err, bookahead.ErrUnavailable)
				count["none"]++
				continue
			}
			require.LessOrEqual(t, best.Cost, j.Budget*(1+1e-9))
			booked, err := e.MachineCommit(h.Machine, each, best.Window)
			require.NoError(t, err)
			require.True(t, j.Shape == Rough || len(booked) == 1)
			tasks := 0
			for _, res := range booked {
				h.book(t, res)
				for _, s := range res.Tasks {
					require.EqualValues(t, 1, s.Tasks)
					require.True(t, slices.ContainsFunc(best.Tasks, func(k Task) bool { return k.Node == s.Node && k.Interval == res.Interval }))
					tasks++
				}
			}
			require.Equal(t, len(best.Tasks), tasks)
			count["booked"]++
			if len(booked) > 1 {
				count["rough"]++
			}
			require.NoError(t, h.Verify())

			before := slices.Collect(h.Reservations(h.Frame().Window()))
			again, err := e.MachineCommit(h.Machine, nodes.Vector{3, 5}, best.Window) // more than most have left
			if err != nil {
				require.Equal(t, bookahead.ErrUnavailable, err)
				require.Equal(t, before, slices.Collect(h.Reservations(h.Frame().Window())))
				count["refused"]++
				continue
			}
			for _, res := range again {
				require.NoError(t, h.Release(res.ID))
			}
		}
	}
	t.Log(count)
	for _, kind := range []string{"booked", "rough", "refused", "none"} {
		require.Greater(t, count[kind], 50, kind)
	}
}

// A machine without a horizon has slots as long as the window.
func TestMachineSlotsWithoutAnEnd(t *testing.T) {
	all := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	for _, origin := range []bookahead.Time{0, 7} {
		m, err := nodes.New(nodes.Config{Origin: origin, Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {1}}})
		require.NoError(t, err)
		slots, err := MachineSlots(m, nodes.Vector{2}, all)
		require.NoError(t, err)
		require.Equal(t, []Slot{{0, bookahead.Interval{Start: origin, End: bookahead.MaxTime}}}, slots)
		slots, err = MachineSlots(m, nodes.Vector{2}, bookahead.Interval{Start: origin - 5, End: origin})
		require.NoError(t, err)
		require.Empty(t, slots)
		_, err = m.Reserve(nodes.Request{Ready: 50, Deadline: 1 << 62, Duration: 1<<62 - 50, Tasks: 1, Each: nodes.Vector{3}})
		require.NoError(t, err)
		slots, err = MachineSlots(m, nodes.Vector{2}, all)
		require.NoError(t, err)
		require.Equal(t, []Slot{{0, bookahead.Interval{Start: origin, End: 50}}, {0, bookahead.Interval{Start: 1 << 62, End: bookahead.MaxTime}}}, slots)
	}
}

// Slots and windows that make no sense are invalid, and nothing is booked.
func TestMachineSlotsAreChecked(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {1}}})
	require.NoError(t, err)
	e, err := New([]Node{{Performance: 1}, {Performance: 1}, {Performance: 1}}, nil)
	require.NoError(t, err)
	on := func(k int) Window {
		return Window{Tasks: []Task{{Node: 0, Interval: bookahead.Interval{Start: 8, End: 9}}, {Node: k, Interval: bookahead.Interval{Start: 8, End: 10}}}}
	}
	all := bookahead.Interval{Start: 0, End: 10}
	for _, c := range []struct {
		want  string
		m     *nodes.Machine
		each  nodes.Vector
		slots *bookahead.Interval
		book  Window
	}{
		{"machine *nodes.Machine is nil", nil, nodes.Vector{1}, &all, Window{}},
		{"machine *nodes.Machine is nil", nil, nodes.Vector{1}, nil, on(1)},
		{"Request.Each [1 1]", m, nodes.Vector{1, 1}, &all, Window{}},
		{"Request.Each [0]", m, nodes.Vector{0}, &all, Window{}},
		{"window [0, 0) is empty", m, nodes.Vector{1}, &bookahead.Interval{}, Window{}},
		{"Window.Tasks [] are none", m, nodes.Vector{1}, nil, Window{}},
		{"Request.Each[0] -1 is negative", m, nodes.Vector{-1}, nil, on(1)},
		{"Request.Nodes 2 is not below the 2 nodes", m, nodes.Vector{1}, nil, on(2)},
		{"Window.Tasks[1].Node 3 is none of the 3 nodes", m, nodes.Vector{1}, nil, on(3)},
	} {
		if c.slots != nil {
			_, err = MachineSlots(c.m, c.each, *c.slots)
		} else {
			_, err = e.MachineCommit(c.m, c.each, c.book)
		}
		require.ErrorIs(t, err, bookahead.ErrInvalid, c.want)
		require.ErrorContains(t, err, c.want)
	}
	require.Empty(t, slices.Collect(m.Reservations(m.Frame().Window())))
}
