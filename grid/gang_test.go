package grid

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// newMachine is 4 nodes of 8 GPUs and 64 cores, in racks of 2.
func newMachine(t require.TestingT) *nodes.Machine {
	m, err := nodes.New(nodes.Config{
		Resources: []string{"gpus", "cores"},
		Nodes:     slices.Repeat([]nodes.Vector{{8, 64}}, 4),
		Levels:    []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}},
	})
	require.NoError(t, err)
	return m
}

func booksOf(m *nodes.Machine) []nodes.Reservation {
	return slices.Collect(m.Reservations(m.Frame().Window()))
}

// Two whole nodes in one rack, a line and licences start at once: at 30, when each is free on its own
// at 0, 10 or 20.
//
//	rack 0     ███████████████·····      node 1 is booked until 30
//	rack 1     ·····██████████████·      node 2 is booked from 10 to 40
//	line       ██████████··········      until 20
//	licences   █████·····█████·····      until 10, and from 20 to 30
func TestAGangALineAndLicencesStartAtOnce(t *testing.T) {
	m, line, licences := newMachine(t), newPool(t, 10), newPool(t, 5)
	for _, b := range []struct {
		from, to bookahead.Time
		node     int
	}{{0, 30, 1}, {10, 40, 2}} {
		_, err := m.Reserve(nodes.Request{Ready: b.from, Deadline: b.to, Duration: bookahead.Duration(b.to - b.from), Tasks: 1, Each: nodes.Vector{1, 1}, Nodes: []int{b.node}})
		require.NoError(t, err)
	}
	reserve(t, line, 0, 20, 10)
	reserve(t, licences, 0, 10, 5)
	reserve(t, licences, 20, 10, 5)
	gpus := Gang{Machine: m, Request: nodes.Request{Each: nodes.Vector{8, 32}, Within: "rack"}}
	job := Job{Parts: []Part{
		{On: line, Duration: 10, Units: 4},
		{On: gpus, Duration: 10, Units: 2},
		{On: licences, Duration: 10, Units: 1},
	}}
	plan, err := CoSearch(job)
	require.NoError(t, err)
	require.EqualValues(t, 30, plan.Start)
	want := nodes.Offer{Interval: span(30, 40), Tasks: []nodes.Share{{Node: 0, Tasks: 1}, {Node: 1, Tasks: 1}}, Head: -1}
	require.Equal(t, map[int]nodes.Offer{1: want}, plan.Nodes)

	for _, on := range []Member{gpus, &gpus} {
		job.Parts[1].On = on
		a, err := CoAllocate(job)
		require.NoError(t, err)
		require.EqualValues(t, 30, a.Start)
		held, err := m.Reservation(a.Parts[1].ID)
		require.NoError(t, err)
		require.Equal(t, map[int]nodes.Reservation{1: held}, a.Nodes)
		require.Equal(t, want, held.Offer)
		require.Equal(t, bookahead.Offer{Interval: span(30, 40), Units: 2}, a.Parts[1].Offer)
		require.NoError(t, a.Release())
		require.Len(t, booksOf(m), 2)
		require.Equal(t, bookahead.ErrNotFound, a.Release())
	}
}

// A job has one part for each machine, however it gets there, and whether or not they overlap.
func TestOnePartForEachMachine(t *testing.T) {
	m, other := newMachine(t), newMachine(t)
	g := Gang{Machine: m, Request: nodes.Request{Each: nodes.Vector{1, 1}}}
	view, err := m.Tasks(nodes.Vector{1, 0}, 0)
	require.NoError(t, err)
	wide, err := m.Tasks(nodes.Vector{0, 1}, 0)
	require.NoError(t, err)
	elsewhere := Gang{Machine: other, Request: g.Request}
	for want, members := range map[string][]Member{
		"Job.Parts[1].On grid.Gang books on the machine of Parts[0]":    {g, g},
		"Job.Parts[1].On *grid.Gang books on the machine of Parts[0]":   {g, &g},
		"Job.Parts[1].On *nodes.Tasks books on the machine of Parts[0]": {g, view},
		"Job.Parts[2].On grid.Gang books on the machine of Parts[0]":    {view, elsewhere, g},
		"Job.Parts[2].On *nodes.Tasks books on the machine of Parts[1]": {elsewhere, wide, view},
	} {
		for _, offset := range []bookahead.Duration{0, 5} {
			j := Job{}
			for i, on := range members {
				j.Parts = append(j.Parts, Part{On: on, Offset: bookahead.Duration(i) * offset, Duration: 5, Units: 1})
			}
			_, err := CoAllocate(j)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "one part for each machine")
			_, again := CoSearch(j)
			require.Equal(t, err, again)
		}
	}
	require.Empty(t, booksOf(m))
	a, err := CoAllocate(Job{Parts: []Part{{On: view, Duration: 5, Units: 1}, {On: elsewhere, Duration: 5, Units: 1}}})
	require.NoError(t, err)
	require.Len(t, a.Nodes, 1)
	require.Equal(t, a.Parts[1].ID, a.Nodes[1].ID)
}

// A gang that makes no sense is invalid, whatever is booked and whichever part is asked first.
func TestGangsAreChecked(t *testing.T) {
	m, full := newMachine(t), newPool(t, 1)
	reserve(t, full, 0, 1000, 1)
	each := nodes.Vector{1, 1}
	for want, p := range map[string]Part{
		"Job.Parts[1].On *grid.Gang is nil":   {On: (*Gang)(nil)},
		"Gang.Machine *nodes.Machine is nil":  {On: Gang{Request: nodes.Request{Each: each}}},
		"Gang.Request.Ready 3 is not 0":       {On: Gang{m, nodes.Request{Each: each, Ready: 3}}},
		"Gang.Request.Deadline 9 is not 0":    {On: Gang{m, nodes.Request{Each: each, Deadline: 9}}},
		"Gang.Request.Duration 2 is not 0":    {On: Gang{m, nodes.Request{Each: each, Duration: 2}}},
		"Gang.Request.Patience 2 is not 0":    {On: Gang{m, nodes.Request{Each: each, Together: "rack", Patience: 2}}},
		"Gang.Request.Tasks 1 is not 0":       {On: Gang{m, nodes.Request{Each: each, Tasks: 1}}},
		"Request.Each [1] does not have":      {On: Gang{m, nodes.Request{Each: nodes.Vector{1}}}},
		"Request.Within row is no level":      {On: Gang{m, nodes.Request{Each: each, Within: "row"}}},
		"Request.Set fast":                    {On: Gang{m, nodes.Request{Each: each, Set: "fast"}}},
		"Request.PerNode -1 is negative":      {On: Gang{m, nodes.Request{Each: each, PerNode: -1}}},
		"Request.Servers [2] are named, but":  {On: Gang{m, nodes.Request{Each: each}}, Servers: []int{2}},
		"Request.Units 0 is less than 1":      {On: Gang{m, nodes.Request{Each: each}}, Units: -1},
		"Request.Nodes 4 is not below the 4":  {On: Gang{m, nodes.Request{Each: each, Nodes: []int{4}}}},
		"Request.Head [0 0] asks for nothing": {On: Gang{m, nodes.Request{Each: each, Head: nodes.Vector{0, 0}}}},
		"Request.Together row is no level":    {On: Gang{m, nodes.Request{Each: each, Within: "rack", Together: "row"}}},
	} {
		p.Duration, p.Units = 5, p.Units+1
		j := Job{Deadline: 100, Parts: []Part{{On: full, Duration: 50, Units: 1}, p}}
		for _, f := range []func() error{
			func() error { _, err := CoSearch(j); return err },
			func() error { _, err := CoAllocate(j); return err },
		} {
			err := f()
			require.ErrorIs(t, err, bookahead.ErrInvalid, want)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "Job.Parts[1]")
		}
	}
	fine := Gang{m, nodes.Request{Each: each}}
	_, err := CoSearch(Job{Parts: []Part{{On: fine, Duration: 5, Units: math.MaxInt64}}})
	require.Equal(t, bookahead.ErrUnavailable, err)
	none := Gang{}
	require.ErrorIs(t, none.Release(1), bookahead.ErrInvalid)
	_, err = none.Reserve(bookahead.Request{Duration: 1, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.Empty(t, booksOf(m))
}

// The booking of one part fails, in front of the gang or behind it: the machine is as it was, but for
// the next ID. If another was quicker, the job is looked for again.
func TestAGangIsGivenBack(t *testing.T) {
	m := newMachine(t)
	g := Gang{m, nodes.Request{Each: nodes.Vector{8, 1}, Head: nodes.Vector{0, 1}}}
	for victim := range 2 {
		line, disk := &failing{Keeper: newPool(t, 4)}, &failing{Keeper: newPool(t, 4)}
		if victim == 0 {
			line.reserves = 1
		} else {
			disk.reserves = 1
		}
		j := Job{Parts: []Part{{On: line, Duration: 5, Units: 4}, {On: g, Duration: 5, Units: 3}, {On: disk, Duration: 5, Units: 4}}}
		a, err := CoAllocate(j)
		require.ErrorIs(t, err, errInjected)
		require.Empty(t, a)
		require.Empty(t, booksOf(m))
		require.EqualValues(t, 4, freeIn(t, line, 0, 5))
		require.EqualValues(t, 4, freeIn(t, disk, 0, 5))
	}
	stolen := &thief{newPool(t, 4), 1}
	a, err := CoAllocate(Job{Parts: []Part{{On: g, Duration: 5, Units: 3}, {On: stolen, Duration: 5, Units: 4}}})
	require.NoError(t, err)
	require.EqualValues(t, 5, a.Start)
	require.Equal(t, []nodes.Reservation{a.Nodes[0]}, booksOf(m))
	require.EqualValues(t, 3, a.Nodes[0].ID)
}
