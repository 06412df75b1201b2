package window

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
)

// schedules are those that know their servers.
var schedules = []struct {
	name string
	open func(servers int64) (bookahead.Schedule, error)
}{
	{"SR", func(n int64) (bookahead.Schedule, error) { return carts.NewSR(n, carts.Config{Horizon: 200}) }},
	{"Lists", func(n int64) (bookahead.Schedule, error) {
		return idletree.NewLists(n, idletree.Config{Horizon: 200})
	}},
	{"Tree", func(n int64) (bookahead.Schedule, error) {
		return idletree.NewTree(n, idletree.Config{Horizon: 200})
	}},
	{"locked Tree", func(n int64) (bookahead.Schedule, error) {
		s, err := idletree.NewTree(n, idletree.Config{Horizon: 200})
		return bookahead.Locked(s), err
	}},
	{"locked Schedule", func(n int64) (bookahead.Schedule, error) {
		s, err := avail.NewSchedule(n, avail.Config{Horizon: 200, Slot: 1})
		return bookahead.Locked(s), err
	}},
}

// TestCommit fills schedules with windows, found in their own slots: the slots of
// all kinds agree with a table of ticks, each window can be booked, and booking
// it twice leaves everything as it is.
func TestCommit(t *testing.T) {
	const servers = 9
	for _, kind := range schedules {
		t.Run(kind.name, func(t *testing.T) {
			s, err := kind.open(servers)
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(4, 2))
			var list []Node
			for i := range servers {
				list = append(list, Node{Performance: 1 + rng.Float64(), Price: rng.Float64()})
				if i%2 > 0 {
					list[i].Tariff = []Rate{{40, rng.Float64()}, {90, 2 * rng.Float64()}, {120, 0}}
				}
			}
			var busy [servers][200]bool
			for round := range 30 {
				slots, err := Slots(s, bookahead.Interval{Start: 0, End: 300})
				require.NoError(t, err)
				require.Equal(t, idleSpans(busy[:]), slots)
				e, err := New(list, slots)
				require.NoError(t, err)
				j := Job{Nodes: 1 + rng.IntN(4), Volume: 20, Budget: 40, Shape: Shape(round % 3)}
				o, err := Exact(e, j, Far)
				if err != nil {
					continue
				}
				booked, err := e.Commit(s, o.Window)
				require.NoError(t, err)
				require.True(t, j.Shape == Rough || len(booked) == 1)
				cost := 0.0 // of the reservations: it is the cost that was found
				for _, r := range booked {
					for _, k := range r.Servers {
						cost += list[k].Cost(r.Interval)
					}
				}
				require.InDelta(t, o.Cost, cost, 1e-9)
				cost, err = e.cost(o.Window)
				require.NoError(t, err)
				require.InDelta(t, o.Cost, cost, 1e-9)
				for _, task := range o.Tasks {
					for at := task.Start; at < task.End; at++ {
						require.False(t, busy[task.Node][at])
						busy[task.Node][at] = true
					}
				}
				_, err = e.Commit(s, o.Window)
				require.Equal(t, bookahead.ErrUnavailable, err)
			}
		})
	}
}

// idleSpans reads the slots off a table.
func idleSpans(busy [][200]bool) []Slot {
	var list []Slot
	for start := range 200 {
		for node := range busy {
			if busy[node][start] || start > 0 && !busy[node][start-1] {
				continue
			}
			end := start
			for end < 200 && !busy[node][end] {
				end++
			}
			list = append(list, Slot{node, bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(end)}})
		}
	}
	return list
}

// TestCommitAllOrNothing books a rough window whose last node has been taken: the
// reservations before it are released.
func TestCommitAllOrNothing(t *testing.T) {
	s, err := idletree.NewTree(3, idletree.Config{Horizon: 100})
	require.NoError(t, err)
	slots, err := Slots(s, bookahead.Interval{Start: 0, End: 100})
	require.NoError(t, err)
	before := slices.Clone(slots)
	e, err := New([]Node{{Performance: 1}, {Performance: 2}, {Performance: 4}}, slots)
	require.NoError(t, err)
	w, err := FirstFit(e, Job{Nodes: 3, Volume: 40, Budget: 1, Shape: Rough})
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: 0, End: 40}, w.Interval)

	taken, err := s.Reserve(bookahead.Request{Ready: 9, Deadline: 11, Duration: 2, Units: 1, Servers: []int{2}})
	require.NoError(t, err)
	_, err = e.Commit(s, w)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, s.Release(taken.ID))
	slots, err = Slots(s, bookahead.Interval{Start: 0, End: 100})
	require.NoError(t, err)
	require.Equal(t, before, slots)

	booked, err := e.Commit(s, w)
	require.NoError(t, err)
	require.Len(t, booked, 3)
}

// TestSlotsOfPool reads slots from a schedule that only counts.
func TestSlotsOfPool(t *testing.T) {
	p, err := carts.NewFlat(3, carts.Config{Horizon: 10})
	require.NoError(t, err)
	bare := struct{ bookahead.Keeper }{p} // which lists no free blocks
	for want, s := range map[string]bookahead.Schedule{
		"schedule *carts.Flat does not know its servers":                p,
		"schedule *bookahead.locked does not know its servers":          bookahead.Locked(p),
		"schedule struct { bookahead.Keeper } is no bookahead.Profiler": bare,
		"schedule *bookahead.locked is no bookahead.Profiler":           bookahead.Locked(bare),
	} {
		_, err = Slots(s, bookahead.Interval{Start: 0, End: 10})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, "bookahead: "+want)
	}
	_, err = new(Environment).Commit(p, Window{})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// TestRequestsKeepStarts books tasks that end together and start apart, which no search
// returns, each in its own time.
func TestRequestsKeepStarts(t *testing.T) {
	w := Window{Interval: span(1, 5), Tasks: []Task{
		{Node: 0, Interval: span(1, 5)}, {Node: 1, Interval: span(3, 5)}, {Node: 2, Interval: span(1, 5)},
	}}
	require.Equal(t, []bookahead.Request{
		{Ready: 1, Deadline: 5, Duration: 4, Units: 2, Servers: []int{0, 2}},
		{Ready: 3, Deadline: 5, Duration: 2, Units: 1, Servers: []int{1}},
	}, w.requests())
}

// TestWindowsThatNoSearchReturns has tasks that lie before tick 0, are empty, or share a node: none
// of the four ways books another task than the window has.
func TestWindowsThatNoSearchReturns(t *testing.T) {
	e := environment(t, []Node{{Performance: 1}, {Performance: 1}})
	tree, err := idletree.NewTree(2, idletree.Config{})
	require.NoError(t, err)
	m, err := nodes.New(nodes.Config{Resources: []string{"cores"}, Nodes: []nodes.Vector{{4}, {4}}})
	require.NoError(t, err)
	task := nodes.Vector{1}
	good := Task{Node: 0, Interval: span(0, 9)}
	for _, c := range []struct {
		field string
		bad   Task
	}{
		{"Window.Tasks[1]", Task{Node: 1, Interval: span(math.MinInt64, math.MaxInt64)}},
		{"Window.Tasks[1]", Task{Node: 1, Interval: span(-1, 5)}},
		{"Window.Tasks[1]", Task{Node: 1, Interval: span(5, 3)}},
		{"Window.Tasks[1]", Task{Node: 1, Interval: span(5, 5)}},
		{"Window.Tasks[1].Node", Task{Node: 0, Interval: span(0, 9)}},
		{"Window.Tasks[1].Node", Task{Node: 0, Interval: span(9, 12)}},
		{"Window.Tasks[1].Node", Task{Node: 2, Interval: span(0, 9)}},
	} {
		w := Window{Cost: math.Inf(1), Tasks: []Task{good, c.bad}}
		_, err := e.Commit(tree, w)
		requireField(t, c.field, err)
		_, err = e.MachineCommit(m, task, w)
		requireField(t, c.field, err)
		_, err = e.Request("lab", w)
		requireField(t, c.field, err)
		_, err = e.MachineRequest("farm", task, w)
		requireField(t, c.field, err)
	}
	require.Empty(t, slices.Collect(tree.Reservations(span(0, math.MaxInt64))))
	require.Empty(t, slices.Collect(m.Reservations(span(0, math.MaxInt64))))
}
