package desk

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
	"github.com/bookahead/bookahead/nodes"
)

// machineOf returns a machine of n nodes in groups of two.
func machineOf(n int) Nodes {
	k := Nodes{Resources: []string{"cores"}}
	groups := [][]int{}
	for i := range n {
		k.Nodes = append(k.Nodes, []int64{4})
		if i%2 == 1 {
			groups = append(groups, []int{i - 1, i})
		}
	}
	k.Levels = []nodes.Level{{Name: "rack", Groups: groups}}
	return k
}

// A count that asks for more memory than the limits allow is refused before anything is made.
func TestCountsAreRefusedBeforeAnythingIsMade(t *testing.T) {
	d, err := New(Config{Limits: Limits{Nodes: 8, Groups: 3}})
	require.NoError(t, err)
	add := func(c Command) { _, err := d.Do(c); require.NoError(t, err) }
	add(AddSchedule{"farm", Servers{Count: 1 << 10}})
	add(AddSchedule{"racks", machineOf(6)})
	before := written(t, d)
	always := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	for _, x := range []struct {
		c       Command
		refusal string
	}{
		{AddSchedule{"x", Servers{Count: 1 << 24}}, "Servers.Count 16777216 and the 1024 that the desk has are more than Config.Limits.Servers, 1048576"},
		{AddSchedule{"x", Servers{Count: 1 << 62}}, "Servers.Count 4611686018427387904 and the 1024"},
		{AddSchedule{"x", machineOf(4)}, "Nodes.Nodes 4 and the 6 that the desk has are more than Config.Limits.Nodes, 8"},
		{AddSchedule{"x", machineOf(8)}, "Nodes.Nodes 8 and the 6"},
		{Extend{On: "farm", Interval: always, Units: 1 << 20}, "Extend.Units 1048576 and the 1024 that the desk has are more than Config.Limits.Servers, 1048576"},
		{Extend{On: "farm", Interval: always, Units: 1 << 62}, "Extend.Units 4611686018427387904 and the 1024"},
		{Extend{On: "racks", Interval: always, Nodes: []nodes.Added{{Has: nodes.Vector{4}, Groups: map[string]int{"rack": 3}}}}, "Extend.Nodes.Groups 1 and the 3 that the desk has are more than Config.Limits.Groups, 3"},
		{Extend{On: "racks", Interval: always, Nodes: make([]nodes.Added, 3)}, "Extend.Nodes 3 and the 6 that the desk has are more than Config.Limits.Nodes, 8"},
	} {
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		_, err := d.Do(x.c)
		runtime.ReadMemStats(&end)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, x.refusal)
		require.Less(t, end.TotalAlloc-start.TotalAlloc, uint64(1<<20))
		require.Equal(t, before, written(t, d))
	}
	other, err := New(Config{Limits: Limits{Groups: 3}})
	require.NoError(t, err)
	_, err = other.Do(AddSchedule{"x", machineOf(8)})
	require.ErrorContains(t, err, "Nodes.Levels 4 is more than Config.Limits.Groups, 3")
}

// An operator raises a limit, and a snapshot is read whatever the limits are.
func TestAnOperatorRaisesALimit(t *testing.T) {
	d, err := New(Config{Limits: Limits{Servers: 100}})
	require.NoError(t, err)
	_, err = d.Do(AddSchedule{"farm", Servers{Count: 101}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	for _, raised := range []int64{0, 101} {
		d, err := New(Config{Limits: Limits{Servers: raised}})
		require.NoError(t, err)
		must(t, d, AddSchedule{"farm", Servers{Count: 101}})
	}
	for _, negative := range []Limits{{Servers: -1}, {Nodes: -1}, {Groups: -1}, {Open: -1}, {Occurrences: -1}, {Parts: -1}} {
		_, err = New(Config{Limits: negative})
		require.ErrorIs(t, err, bookahead.ErrInvalid, fmt.Sprint(negative))
	}
	_, err = New(Config{Effort: -1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// A log holds what was accepted under other limits, or before there were any: it opens under these.
func TestALogIsReplayedWhateverTheLimitsAre(t *testing.T) {
	wide, err := New(Config{})
	require.NoError(t, err)
	narrow, err := New(Config{Effort: 1, Limits: Limits{Servers: 1, Nodes: 1, Groups: 1, Open: 1, Occurrences: 1, Parts: 1}})
	require.NoError(t, err)
	always := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	for _, c := range []Command{
		AddSchedule{"farm", Servers{Count: 5}},
		AddSchedule{"racks", machineOf(6)},
		Extend{On: "farm", Interval: always, Units: 3},
		Extend{On: "racks", Interval: always, Nodes: []nodes.Added{{Has: nodes.Vector{4}}}},
		SetTerms{"farm", Terms{Open: []bookahead.Interval{ticks(0, 50), ticks(60, 90)}}},
		BookSeries{Request: Request{Shapes: []Shape{{{On: "farm", Units: 1, Duration: 2}}}}, At: Occurrences{ticks(0, 9), ticks(10, 19)}},
	} {
		_, err := narrow.Do(c)
		require.Error(t, err, c.verb())
		e, err := wide.Decide(c)
		require.NoError(t, err)
		for _, d := range []*Desk{wide, narrow} {
			_, err = d.Apply(e)
			require.NoError(t, err, c.verb())
		}
	}
	require.Equal(t, written(t, wide), written(t, narrow))
}

// What Config.Limits allow to make counts no steps, so that an operator who raises a limit need not raise the Effort. A
// broker counts the looks at its schedules.
func TestWhatIsMadeIsNotCounted(t *testing.T) {
	d := deskWith(t, "farm", Servers{Count: 1 << 12}, "racks", machineOf(2))
	always := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	for _, x := range []struct {
		c     Command
		steps int64
	}{
		{AddSchedule{"x", Servers{Count: 1 << 16}}, 0},
		{AddSchedule{"x", machineOf(100)}, 0},
		{AddSchedule{"x", Pool{Units: 1 << 40}}, 0},
		{AddSchedule{"x", Broker{Of: []string{"farm"}}}, 1},
		{Extend{On: "farm", Interval: always, Units: 1 << 3}, 64 + 8 + 1},
		{Extend{On: "racks", Interval: always, Nodes: slices.Repeat([]nodes.Added{{Has: nodes.Vector{4}}}, 5)}, 66},
	} {
		steps, err := stepsOf(d, x.c)
		require.NoError(t, err)
		require.Equal(t, x.steps, steps, "%#v", x.c)
		enough, less := limited(d, max(1, steps)), limited(d, max(1, steps-1))
		do(t, enough, x.c)
		if steps > 1 {
			before := written(t, less)
			_, err = less.Do(x.c)
			require.ErrorIs(t, err, bookahead.ErrStopped)
			require.Equal(t, before, written(t, less))
		}
	}
	for n := range 8 {
		s := trial{books: &d.b, meter: unlimited()}
		require.NoError(t, s.spendOn([]int32{0, 0}, []Place{{Units: 16, Servers: make([]int, n)}}))
		require.Equal(t, int64(72+2+72+16*n), s.meter.Steps(), "a write counts the servers that it takes")
	}
}

// A batch as long as it may be, and a series, find their steps beside a million servers.
func TestManyBookingsBesideManyServers(t *testing.T) {
	s, err := site.NewServers(1<<20, "", 0, 0)
	require.NoError(t, err)
	require.Less(t, MaxCommands*s.Steps(8), int64(DefaultEffort))
	require.Greater(t, 256*s.Steps(1<<20), int64(DefaultEffort), "each takes most of the servers")
}
