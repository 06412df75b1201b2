package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// onNodes returns a shape of tasks of one GPU each, on some nodes.
func onNodes(tasks int64, length bookahead.Duration, which ...int) Shape {
	return Shape{{On: "farm", Units: tasks, Duration: length, Tasks: &nodes.Request{Each: nodes.Vector{1}, Nodes: which}}}
}

// TestAddedNodes: added nodes are there for their time, are listed, and go with a Reopen; a desk that was read has them
// too.
func TestAddedNodes(t *testing.T) {
	d := deskWith(t, "farm", Nodes{
		Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}},
		Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}}}}, Sets: map[string][]int{"old": {0, 1}},
	})
	before := d.Clone()
	_, err := d.Search(Request{Deadline: 50, Shapes: []Shape{onNodes(14, 2)}}, bookahead.Effort{})
	require.Equal(t, bookahead.ErrUnavailable, err)
	out := do(t, d, Extend{On: "farm", Interval: ticks(5, 20), Title: "lent", Nodes: []nodes.Added{
		{Has: nodes.Vector{2}, Groups: map[string]int{"rack": 1}}, {Has: nodes.Vector{4}, Sets: []string{"old"}},
	}})
	require.Equal(t, []Event{{Number: 2, What: WasExtended, Schedule: "farm", Outage: 1, To: ticks(5, 20)}}, out.Events)

	list := d.Outages("farm")
	require.Len(t, list, 1)
	require.True(t, list[0].Added())
	require.Equal(t, []int{2, 3}, list[0].Servers)
	require.Equal(t, int64(2), list[0].Units)
	require.Equal(t, Nodes{
		Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}, {2}, {4}},
		Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2}}}}, Sets: map[string][]int{"old": {0, 1, 3}},
	}, d.Schedules()[0].Kind)
	require.Len(t, before.Schedules()[0].Kind.(Nodes).Nodes, 2, "the clone has its own kind")
	require.Len(t, before.Schedules()[0].Kind.(Nodes).Sets["old"], 2)

	k := do(t, d, Book{Request: Request{Shapes: []Shape{onNodes(14, 2)}}})
	require.Equal(t, ticks(5, 7), k.Booking.Interval)
	free, err := d.Free(ticks(7, 20), Part{On: "farm", Tasks: &nodes.Request{Each: nodes.Vector{1}}})
	require.NoError(t, err)
	require.Equal(t, int64(14), free.Free)
	free, err = d.Free(ticks(7, 21), Part{On: "farm", Tasks: &nodes.Request{Each: nodes.Vector{1}}})
	require.NoError(t, err)
	require.Equal(t, int64(8), free.Free)

	do(t, d, Close{On: "farm", Interval: ticks(8, 12), Servers: []int{3}})
	do(t, d, Book{Request: Request{Ready: 15, Shapes: []Shape{onNodes(2, 4, 2)}}})
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	require.Equal(t, written(t, d), written(t, read))
	for _, x := range []*Desk{d, read} {
		require.NoError(t, x.Verify())
		do(t, x, Reopen{ID: 1, At: 10})
		require.Equal(t, ticks(5, 10), x.Outages("farm")[0].Interval)
		over, err := x.Overbooked("farm", ticks(0, 50))
		require.NoError(t, err)
		require.Len(t, over, 1)
		_, err = x.Search(Request{Ready: 10, Shapes: []Shape{onNodes(1, 1, 3)}}, bookahead.Effort{})
		require.Equal(t, bookahead.ErrUnavailable, err)
		do(t, x, Advance{30})
		require.Empty(t, x.Outages(""))
		require.Len(t, x.Schedules()[0].Kind.(Nodes).Nodes, 4, "a node keeps its index")
		_, err = Read(bytes.NewReader(written(t, x)), Config{})
		require.NoError(t, err)
	}
	require.Equal(t, written(t, d), written(t, read))
}
