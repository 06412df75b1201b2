package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
)

// TestInvalidJobs: the error names the field and the value, and the queue does not have the job.
func TestInvalidJobs(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}}})
	require.NoError(t, err)
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "p", Pool: pool}, {Name: "n", Nodes: m}}})
	require.NoError(t, err)
	const most = bookahead.Duration(bookahead.MaxTime)
	tasks := func(r nodes.Request) []Shape {
		r.Each = nodes.Vector{1}
		return []Shape{{{On: "n", Units: 1, Duration: 1, Tasks: &r}}}
	}
	for _, x := range []struct {
		job  Job
		text string
	}{
		{Job{Shapes: on(1, 1)}, "Job.ID  is empty"},
		{Job{ID: "a", Submitted: -1, Shapes: on(1, 1)}, "Job.Submitted -1 is negative"},
		{Job{ID: "a", NotBefore: -2, Shapes: on(1, 1)}, "Job.NotBefore -2 is negative"},
		{Job{ID: "a"}, "Job.Shapes 0 are not 1 to 64"},
		{Job{ID: "a", Shapes: make([]Shape, 65)}, "Job.Shapes 65 are not 1 to 64"},
		{Job{ID: "a", Shapes: []Shape{make(Shape, 65)}}, "Job.Shapes[0] 65 parts are not 1 to 64"},
		{Job{ID: "a", After: []ID{"a"}, Shapes: on(1, 1)}, "Job.After a is the job itself"},
		{Job{ID: "a", Shapes: on(0, 1)}, "Job.Shapes[0][0].Units 0 is less than 1"},
		{Job{ID: "a", Shapes: on(1, -3)}, "Job.Shapes[0][0].Duration -3 is less than 1"},
		{Job{ID: "a", Shapes: []Shape{on(1, 1)[0], {{On: "p", Units: 1, Duration: 1, Offset: 3}}}}, "Job.Shapes[1] 3 has no part at Offset 0, which starts with the job"},
		{Job{ID: "a", Shapes: []Shape{{{On: "p", Units: 1, Duration: 1}, {On: "p", Units: 1, Duration: 1, Offset: -1}}}}, "Job.Shapes[0][1].Offset -1 is negative"},
		{Job{ID: "a", Shapes: []Shape{{{On: "p", Units: 1, Duration: 1}, {On: "p", Units: 1, Duration: most, Offset: 1}}}}, "Job.Shapes[0][1].Duration 9223372036854775807 after Offset 1 overflows"},
		{Job{ID: "a", Shapes: []Shape{{{On: "x", Units: 1, Duration: 1}}}}, "Job.Shapes[0][0].On x is no schedule of the queue"},
		{Job{ID: "a", Shapes: []Shape{{{On: "n", Units: 1, Duration: 1}}}}, "Job.Shapes[0][0].Tasks <nil> is nil, but n has nodes"},
		{Job{ID: "a", Shapes: []Shape{{{On: "p", Units: 1, Duration: 1, Tasks: &nodes.Request{Each: nodes.Vector{1}}}}}}, "Job.Shapes[0][0].Tasks [1] is not nil, but p has no nodes"},
		{Job{ID: "a", Shapes: tasks(nodes.Request{Ready: 1, Tasks: 2})}, "Job.Shapes[0][0].Tasks.Ready 1 is not 0: the queue and the part have it"},
		{Job{ID: "a", Shapes: tasks(nodes.Request{Deadline: 4, Duration: 3, Tasks: 2})}, "Job.Shapes[0][0].Tasks.Deadline 4 is not 0: the queue and the part have it"},
		{Job{ID: "a", Shapes: tasks(nodes.Request{Duration: 3, Tasks: 2})}, "Job.Shapes[0][0].Tasks.Duration 3 is not 0: the queue and the part have it"},
		{Job{ID: "a", Shapes: tasks(nodes.Request{Patience: 7})}, "Request.Patience 7 is set, and Together names no level"},
		{Job{ID: "a", Shapes: tasks(nodes.Request{Patience: -7, Together: "rack"})}, "Request.Patience -7 is negative"},
		{Job{ID: "a", Shapes: append(tasks(nodes.Request{Patience: 7, Together: "rack"}), on(1, 1)...)}, "Job.Shapes[0][0].Tasks.Patience 7 is set, and the job has other shapes or parts"},
		{Job{ID: "a", Shapes: tasks(nodes.Request{Bundle: 2, Bundled: "rack"})}, "Request.Tasks 1 is no multiple of Bundle, 2"},
		{Job{ID: "a", Shapes: []Shape{{{On: "p", Units: 1, Duration: 1, Swap: true}}}}, "Job.Shapes[0][0].Swap true is set, and the part has no Tasks"},
		{Job{ID: "a", Shapes: []Shape{{{On: "n", Units: 1, Duration: 1, Swap: true, Pieces: &pieces.Rule{}, Tasks: &nodes.Request{Each: nodes.Vector{1}}}}}}, "Job.Shapes[0][0].Swap true is set, and so are Pieces"},
		{Job{ID: "a", Shapes: []Shape{{{On: "n", Units: 1, Duration: 1, Pieces: &pieces.Rule{}, Tasks: &nodes.Request{Each: nodes.Vector{1}, Patience: 3, Together: "rack"}}}}}, "Job.Shapes[0][0].Tasks.Patience 3 is set, and so are Pieces"},
		{Job{ID: "a", Shapes: tasks(nodes.Request{Tasks: 2})}, "Job.Shapes[0][0].Tasks.Tasks 2 is not 0: the queue and the part have it"},
	} {
		err := q.Submit(x.job)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, x.text)
		_, _, err = q.Job("a")
		require.ErrorIs(t, err, bookahead.ErrNotFound)
	}
	submit(t, q, Job{ID: "a", Shapes: on(1, 1)})
	require.ErrorContains(t, q.Submit(Job{ID: "a", Shapes: on(1, 1)}), "Job.ID a is in the queue")
	require.NoError(t, q.Verify())
}

// TestInvalidConfigs: the error names the field and the value.
func TestInvalidConfigs(t *testing.T) {
	pool, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	list := []Schedule{{Name: "p", Pool: pool}}
	for _, x := range []struct {
		config Config
		text   string
	}{
		{Config{}, "Config.Schedules 0 are none"},
		{Config{Schedules: []Schedule{list[0], list[0]}}, "Config.Schedules[1].Name p is given twice"},
		{Config{Schedules: []Schedule{{Name: "p"}}}, "Config.Schedules[0].Pool <nil> and Nodes are both set, or neither is"},
		{Config{Schedules: list, Grace: -1}, "Config.Grace -1 is negative"},
		{Config{Schedules: list, Limits: Limits{Depth: -1}}, "Config.Limits.Depth -1 is negative"},
		{Config{Schedules: list, Limits: Limits{Window: -1}}, "Config.Limits.Window -1 is negative"},
		{Config{Schedules: list, Limits: Limits{Resolution: -1}}, "Config.Limits.Resolution -1 is negative"},
		{Config{Schedules: list, Limits: Limits{Steps: -1}}, "Steps -1"},
		{Config{Schedules: list, Order: FairShare(Share{HalfLife: -1})}, "Share.HalfLife -1 is negative"},
		{Config{Schedules: list, Order: FairShare(Share{Owners: map[string]int64{"ann": 0}})}, "Share.Owners[ann] 0 is less than 1"},
	} {
		_, err := New(x.config)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, x.text)
	}
}
