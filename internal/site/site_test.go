package site

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// kinds are sites of four units, servers or nodes, each of which has room for one task.
var kinds = map[string]struct {
	make  func() (Site, error)
	read  func([]byte) (Site, error)
	tasks *nodes.Request
}{
	"pool":    {func() (Site, error) { return NewPool(4, 0, 0) }, ReadPool, nil},
	"servers": {func() (Site, error) { return NewServers(4, "lowest", 0, 0) }, ReadServers, nil},
	"nodes": {func() (Site, error) {
		return NewNodes(nodes.Config{Resources: []string{"cores"}, Nodes: []nodes.Vector{{2}, {2}, {2}, {2}}}, "")
	}, ReadNodes, &nodes.Request{Each: nodes.Vector{2}}},
}

// each runs a test on an empty site of each kind.
func each(t *testing.T, f func(t *testing.T, s *Site, tasks *nodes.Request)) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			s, err := kind.make()
			require.NoError(t, err)
			f(t, &s, kind.tasks)
			require.NoError(t, s.Verify())
			require.NoError(t, s.VerifyTails(s.Frame().Now))
		})
	}
}

func ticks(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

// place finds a place that starts at a tick, with buffers, and reserves it.
func place(t *testing.T, s *Site, tasks *nodes.Request, w bookahead.Interval, units int64, before, after bookahead.Duration) (bookahead.ID, Place) {
	t.Helper()
	start := w.Start - bookahead.Time(before)
	p, err := s.Search(bookahead.At(start, w.Len()+before+after, units), tasks)
	require.NoError(t, err)
	p.Interval, p.Before, p.After = w, before, after
	id, err := s.Reserve(p, tasks, s.Frame().Now)
	require.NoError(t, err)
	return id, p
}

func TestReserve(t *testing.T) {
	each(t, func(t *testing.T, s *Site, tasks *nodes.Request) {
		id, p := place(t, s, tasks, ticks(4, 8), 3, 1, 2)
		require.Equal(t, ticks(3, 10), p.Reserved())
		has, err := s.Place(id)
		require.NoError(t, err)
		require.Equal(t, Place{Interval: ticks(3, 10), Units: 3, Servers: p.Servers, Nodes: p.Nodes, Head: -1}, has)
		require.Equal(t, 1, s.Len())

		copied := s.Clone()
		_, err = s.Reserve(p, tasks, 0)
		require.Equal(t, bookahead.ErrUnavailable, err)
		x, err := s.Search(bookahead.Request{Duration: 4, Units: 2}, tasks)
		require.NoError(t, err)
		require.Equal(t, ticks(10, 14), x.Interval)
		x, err = s.SearchFor(id, bookahead.Request{Duration: 4, Units: 2}, tasks)
		require.NoError(t, err)
		require.Equal(t, ticks(0, 4), x.Interval)

		require.NoError(t, s.Advance(5))
		p.End = 7
		require.NoError(t, s.Rebook(id, p, tasks, 5))
		has, err = s.Place(id)
		require.NoError(t, err)
		require.Equal(t, ticks(3, 9), has.Interval, "a running reservation keeps its start")
		has, err = copied.Place(id)
		require.NoError(t, err)
		require.Equal(t, ticks(3, 10), has.Interval, "the copy is another site")
	})
}

// TestTakes: only nodes know what a task takes.
func TestTakes(t *testing.T) {
	each(t, func(t *testing.T, s *Site, tasks *nodes.Request) {
		id, _ := place(t, s, tasks, ticks(0, 4), 1, 0, 0)
		require.True(t, s.Takes(id, tasks))
		require.Equal(t, tasks == nil, s.Takes(id, &nodes.Request{Each: nodes.Vector{1}}))
	})
}

func TestTails(t *testing.T) {
	each(t, func(t *testing.T, s *Site, tasks *nodes.Request) {
		late, _ := place(t, s, tasks, ticks(0, 8), 1, 0, 3)
		soon, p := place(t, s, tasks, ticks(0, 6), 1, 0, 2)
		gone, q := place(t, s, tasks, ticks(0, 6), 1, 0, 0)
		require.NoError(t, s.Advance(2))
		require.NoError(t, s.StartCleaning(gone, q, tasks, 2), "nothing is left of a place without a buffer")
		s.AddTail(Tail{late, 11})
		before := s.Clone()
		require.NoError(t, s.StartCleaning(soon, p, tasks, 2))
		require.Equal(t, []Tail{{soon, 4}, {late, 11}}, s.Tails)
		require.Equal(t, []Tail{{late, 11}}, before.Tails)
		require.Equal(t, 2, s.Len())

		require.NoError(t, s.Resume(soon, p, tasks, 2))
		require.False(t, s.IsTail(soon))
		has, err := s.Place(soon)
		require.NoError(t, err)
		require.Equal(t, ticks(0, 8), has.Interval)
		require.NoError(t, s.StartCleaning(soon, p, tasks, 2))
		require.True(t, s.IsTail(soon))

		require.NoError(t, s.Advance(4))
		require.Equal(t, []Tail{{late, 11}}, s.Tails)
		for _, wrong := range [][]Tail{{{late, 4}}, {{late, 10}}, {{late, 11}, {late, 11}}, {{soon, 11}}} {
			x := s.Clone()
			x.Tails = wrong
			require.Error(t, x.VerifyTails(4), "%v", wrong)
		}
		require.NoError(t, s.Advance(11))
		require.Nil(t, s.Tails)
	})
}

// TestCleaningWithoutRoom: a buffer that cannot be kept is given back.
func TestCleaningWithoutRoom(t *testing.T) {
	s, err := NewPool(4, 0, 0)
	require.NoError(t, err)
	id, p := place(t, &s, nil, ticks(2, 6), 4, 0, 4)
	require.NoError(t, s.Advance(3))
	p.Units = 9
	require.Equal(t, bookahead.ErrUnavailable, s.Resume(id, p, nil, 3))
	require.NoError(t, s.StartCleaning(id, p, nil, 3))
	require.Zero(t, s.Len())
	require.Empty(t, s.Tails)
	require.Equal(t, bookahead.ErrNotFound, s.StartCleaning(id, p, nil, 3))
}

func TestClosures(t *testing.T) {
	each(t, func(t *testing.T, s *Site, tasks *nodes.Request) {
		_, p := place(t, s, tasks, ticks(2, 6), 4, 0, 2)
		all := s.Whole()
		all.Interval = ticks(7, 9)
		done, err := s.Close(all)
		require.NoError(t, err)
		require.True(t, s.Overbooks(&p, ticks(0, 20)), "by its buffer")
		require.False(t, s.Overbooks(&p, ticks(0, 7)))
		p.After = 0
		require.False(t, s.Overbooks(&p, ticks(0, 20)))
		require.NoError(t, s.Reopen(done.ID, 0))
		require.Empty(t, slices.Collect(s.Closures()))

		size := s.Size()
		require.Equal(t, int64(s.Frame().Servers), size)
		c, more := bookahead.Closure{Interval: ticks(0, 9)}, []nodes.Added(nil)
		if tasks != nil {
			more = []nodes.Added{{Has: nodes.Vector{2}}}
		} else {
			c.Units = 1
		}
		_, err = s.Extend(c, more)
		require.NoError(t, err)
		require.Equal(t, int64(s.Frame().Servers), s.Size())
		require.Equal(t, size > 0, s.Size() == size+1)
		require.EqualValues(t, 4, s.Given)
		var free bookahead.Availability
		if tasks == nil {
			free, err = s.Free(ticks(2, 6), nil)
		} else {
			view, _ := s.Machine().Tasks(tasks.Each, tasks.PerNode)
			free, err = view.RangeQuery(ticks(2, 6))
		}
		require.NoError(t, err)
		require.EqualValues(t, 1, free.Free)
	})
}

func TestFree(t *testing.T) {
	s, err := NewServers(4, "lowest", 0, 0)
	require.NoError(t, err)
	place(t, &s, nil, ticks(0, 4), 2, 0, 0)
	for _, c := range []struct{ named, free []int }{{nil, []int{2, 3}}, {[]int{1, 3}, []int{3}}, {[]int{}, []int{}}} {
		a, err := s.Free(ticks(0, 4), c.named)
		require.NoError(t, err)
		require.Equal(t, c.free, a.Servers)
		require.EqualValues(t, len(c.free), a.Free)
	}
}

// TestBytes: a site that was read goes on like the site that was written.
func TestBytes(t *testing.T) {
	for name, kind := range kinds {
		s, err := kind.make()
		require.NoError(t, err)
		place(t, &s, kind.tasks, ticks(2, 6), 3, 0, 1)
		data, err := s.MarshalBinary()
		require.NoError(t, err)
		x, err := kind.read(data)
		require.NoError(t, err)
		again, err := x.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again, name)
		require.Equal(t, []any{s.Given, s.Size(), 1}, []any{x.Given, x.Size(), x.Len()}, name)
		_, err = kind.read(data[:len(data)-1])
		require.Error(t, err, name)
	}
}

// TestZero: a site without a structure can be cloned, and is empty.
func TestZero(t *testing.T) {
	var s Site
	c := s.Clone()
	require.Zero(t, c)
	require.Zero(t, c.Len())
	require.Nil(t, c.Machine())
}

func TestNewRefuses(t *testing.T) {
	for want, f := range map[string]func() (Site, error){
		"Pool.Units":     func() (Site, error) { return NewPool(0, 0, 0) },
		"Servers.Count":  func() (Site, error) { return NewServers(0, "", 0, 0) },
		"Servers.Prefer": func() (Site, error) { return NewServers(1, "none", 0, 0) },
		"Nodes.Policy":   func() (Site, error) { return NewNodes(nodes.Config{}, "none") },
		"Config":         func() (Site, error) { return NewNodes(nodes.Config{}, "") },
	} {
		s, err := f()
		require.ErrorContains(t, err, want)
		require.Zero(t, s)
	}
}

func TestHolds(t *testing.T) {
	named := Place{Servers: []int{1, 4}, Head: -1}
	tasks := Place{Nodes: []nodes.Share{{Node: 2, Tasks: 1}}, Head: 5}
	alike := Place{Units: 3, Head: -1}
	for _, c := range []struct {
		p    Place
		list []int
		want bool
	}{
		{named, nil, true}, {named, []int{}, false}, {named, []int{0, 4}, true}, {named, []int{-1, 2}, false},
		{tasks, []int{2}, true}, {tasks, []int{5}, true}, {tasks, []int{4}, false}, {alike, []int{7}, true},
	} {
		require.Equal(t, c.want, c.p.Holds(c.list), "%v of %v", c.list, c.p)
	}
}

// TestLesser: the time that two places hold their units ends with the earlier buffer.
func TestLesser(t *testing.T) {
	long := Place{Interval: ticks(0, 8), Units: 1, Servers: []int{2}, After: 1}
	wide := Place{Interval: ticks(0, 6), Units: 2, Servers: []int{1, 2}, After: 5}
	want := Place{Interval: ticks(0, 6), Units: 1, Servers: []int{2}, After: 3}
	require.Equal(t, want, long.Lesser(wide))
	require.Equal(t, want, wide.Lesser(long))
}

func TestArea(t *testing.T) {
	var a Area
	for range 3 {
		a.Add(1<<62, bookahead.Duration(bookahead.MaxTime))
	}
	want := new(big.Int).Mul(big.NewInt(3<<61), new(big.Int).Lsh(big.NewInt(int64(bookahead.MaxTime)), 1))
	require.Equal(t, want.String(), a.Big().String())
}

// TestCapacityByCells compares capacities with a count of cells, while servers, nodes or units are closed and added.
func TestCapacityByCells(t *testing.T) {
	const axis = 24
	var has []nodes.Vector
	for range 12 {
		has = append(has, nodes.Vector{2})
	}
	for seed := range uint64(600) {
		draw := rand.New(rand.NewPCG(seed, 1))
		name := []string{"pool", "servers", "nodes"}[seed%3]
		s, err := kinds[name].make()
		require.NoError(t, err)
		named := name != "pool"
		open := make([][axis]int64, 4) // by unit; closures of units without names are taken off the sum
		var less [axis]int64
		for k := range open {
			for i := range open[k] {
				open[k][i] = 1
			}
		}
		var changes []bookahead.Closure
		for range draw.IntN(8) {
			from := bookahead.Time(draw.IntN(axis))
			x := bookahead.Closure{Interval: ticks(from, from+1+bookahead.Time(draw.IntN(axis))), Added: draw.IntN(3) == 0}
			k := draw.IntN(len(open))
			if x.Added {
				k = len(open)
				open = append(open, [axis]int64{})
			}
			if named {
				x.Servers = []int{k}
			} else {
				x.Units = 1
			}
			for i := x.Start; i < min(x.End, axis); i++ {
				switch {
				case x.Added:
					open[k][i] = 1
				case named:
					open[k][i] = 0
				default:
					less[i]++
				}
			}
			changes = append(changes, x)
		}
		w := ticks(bookahead.Time(draw.IntN(axis)), bookahead.Time(draw.IntN(axis+1)))
		want := int64(0)
		for i := w.Start; i < w.End; i++ {
			sum := -less[i]
			for k := range open {
				sum += open[k][i]
			}
			want += max(0, sum)
		}
		if name == "nodes" {
			want *= 2
		}
		got := s.Capacity(w, changes, has[:len(open)])
		require.Equal(t, big.NewInt(want).String(), got[0].Big().String(), "%s, seed %d", name, seed)
	}
}

// TestMember: a search for several sites at once finds the place of a search.
func TestMember(t *testing.T) {
	each(t, func(t *testing.T, s *Site, tasks *nodes.Request) {
		place(t, s, tasks, ticks(0, 4), 3, 0, 0)
		o, err := s.Member(tasks).Search(bookahead.Request{Duration: 2, Units: 2})
		require.NoError(t, err)
		require.Equal(t, ticks(4, 6), o.Interval)
		require.Equal(t, tasks == nil, s.Keeper() != nil)
		require.Equal(t, tasks != nil, s.Machine() != nil)
		require.EqualValues(t, map[bool]int64{true: 68, false: 64}[tasks != nil], s.Steps(4), "a machine looks at its nodes")
	})
}
