package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// TestPromiseKeepsTerms: a place that no search would find for the part is refused, and promises nothing.
func TestPromiseKeepsTerms(t *testing.T) {
	machine, err := nodes.New(nodes.Config{
		Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}, {4}, {4}, {4}},
		Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}}, Sets: map[string][]int{"new": {0, 1, 2}},
	})
	require.NoError(t, err)
	on := func(tasks ...int64) (list []nodes.Share) {
		for k, n := range tasks {
			if n > 0 {
				list = append(list, nodes.Share{Node: k, Tasks: n})
			}
		}
		return list
	}
	for name, c := range map[string]struct {
		r    nodes.Request
		at   []nodes.Share
		head int
		says string
	}{
		"free":             {nodes.Request{}, on(2, 0, 0, 0, 2), -1, ""},
		"too few":          {nodes.Request{}, on(2, 1), -1, "place[0].Nodes [{0 2} {1 1}] have 3 of 4 tasks"},
		"too many":         {nodes.Request{}, on(2, 3), -1, "place[0].Nodes[1].Tasks 3 is not between 1 and the 2 of 4 tasks that are left"},
		"nodes":            {nodes.Request{Nodes: []int{4, 0}}, on(2, 0, 0, 0, 2), -1, ""},
		"other nodes":      {nodes.Request{Nodes: []int{4, 0}}, on(2, 2), -1, "place[0] 1 is none of the nodes that the part allows"},
		"no nodes":         {nodes.Request{Nodes: []int{}}, on(2, 2), -1, "place[0] 0 is none of the nodes"},
		"except":           {nodes.Request{Except: []int{1}}, on(2, 2), -1, "place[0] 1 is a node that the part rules out"},
		"set":              {nodes.Request{Set: "new"}, on(2, 0, 2), -1, ""},
		"out of a set":     {nodes.Request{Set: "new"}, on(2, 0, 0, 2), -1, `place[0] 3 is not in set "new"`},
		"per node":         {nodes.Request{PerNode: 2}, on(2, 2), -1, ""},
		"more per node":    {nodes.Request{PerNode: 2}, on(3, 1), -1, "place[0].Nodes[0].Tasks 3 is more than the 2"},
		"one rack":         {nodes.Request{Within: "rack"}, on(0, 0, 2, 2), -1, ""},
		"two racks":        {nodes.Request{Within: "rack"}, on(0, 2, 2), -1, `place[0] [1 2] are not nodes of one group of level "rack"`},
		"no rack":          {nodes.Request{Within: "rack"}, on(0, 0, 0, 0, 4), -1, "place[0] [4] are not nodes of one group"},
		"together":         {nodes.Request{Together: "rack"}, on(0, 2, 2), -1, ""},
		"head":             {nodes.Request{Head: nodes.Vector{2}, Within: "rack"}, on(4), 1, ""},
		"no head":          {nodes.Request{Head: nodes.Vector{2}}, on(4), -1, "place[0].Head -1 is not a node for a head of [2]"},
		"head for nothing": {nodes.Request{}, on(4), 1, "place[0].Head 1 is not a node for a head of []"},
		"head elsewhere":   {nodes.Request{Head: nodes.Vector{2}, Within: "rack"}, on(4), 2, "place[0] [0 2] are not nodes of one group"},
		"head not allowed": {nodes.Request{Head: nodes.Vector{2}, Nodes: []int{0}}, on(4), 2, "place[0] 2 is none of the nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "m", Nodes: machine.Clone()}}, Backfill: plan.EASY(1)})
			require.NoError(t, err)
			c.r.Each = nodes.Vector{1}
			part := plan.Part{On: "m", Units: 4, Duration: 5, Tasks: &c.r}
			require.NoError(t, q.Submit(plan.Job{ID: "a", Shapes: []plan.Shape{{part}}}))
			at := plan.Place{On: "m", Interval: bookahead.Interval{Start: 20, End: 25}, Units: 4, Nodes: c.at, Head: c.head}
			err = q.Promise("a", 0, []plan.Place{at})
			if c.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, bookahead.ErrInvalid)
				require.ErrorContains(t, err, c.says)
			}
			require.NoError(t, q.Verify())
		})
	}
}

// TestPromiseKeepsServers: a place on servers names as many as there are units, of those that the part allows.
func TestPromiseKeepsServers(t *testing.T) {
	for name, c := range map[string]struct {
		servers []int
		says    string
	}{
		"allowed":  {[]int{0, 2}, ""},
		"others":   {[]int{0, 1}, "place[0].Servers 1 is none of the servers that the part allows"},
		"too few":  {[]int{0}, "place[0].Servers [0] are not 2"},
		"too many": {[]int{0, 2, 3}, "place[0].Servers [0 2 3] are not 2"},
		"none":     {nil, "place[0].Servers [] are not 2"},
	} {
		t.Run(name, func(t *testing.T) {
			pool, err := idletree.NewTree(5, idletree.Config{})
			require.NoError(t, err)
			q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "s", Pool: pool}}, Backfill: plan.EASY(1)})
			require.NoError(t, err)
			part := plan.Part{On: "s", Units: 2, Duration: 5, Servers: []int{0, 2, 3}}
			require.NoError(t, q.Submit(plan.Job{ID: "a", Shapes: []plan.Shape{{part}}}))
			at := plan.Place{On: "s", Interval: bookahead.Interval{Start: 20, End: 25}, Units: 2, Servers: c.servers, Head: -1}
			err = q.Promise("a", 0, []plan.Place{at})
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, c.says)
		})
	}
}
