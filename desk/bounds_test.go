package desk

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
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
