package nodes

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// refused checks that an error wraps bookahead.ErrInvalid and names a field.
func refused(t *testing.T, err error, field string) {
	t.Helper()
	var invalid *bookahead.InvalidError
	require.ErrorAs(t, err, &invalid, field)
	require.Equal(t, field, invalid.Field)
	require.NotEmpty(t, invalid.Reason, field)
}

// racks is a machine of two racks of two nodes, in one row.
func racks() Config {
	return Config{
		Resources: []string{"gpus", "cores"},
		Nodes:     []Vector{{8, 64}, {8, 64}, {8, 64}, {8, 64}},
		Levels: []Level{
			{"rack", [][]int{{0, 1}, {3, 2}}},
			{"row", [][]int{{0, 1, 2, 3}}},
		},
		Sets: map[string][]int{"h100": {2, 1}},
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		field string
		spoil func(c *Config)
	}{
		{"Config.Origin", func(c *Config) { c.Origin = -1 }},
		{"Config.Horizon", func(c *Config) { c.Horizon = -1 }},
		{"Config.Resources", func(c *Config) { c.Resources = nil }},
		{"Config.Resources", func(c *Config) { c.Resources = make([]string, 9) }},
		{"Config.Resources[1]", func(c *Config) { c.Resources = []string{"gpus", "gpus"} }},
		{"Config.Resources[0]", func(c *Config) { c.Resources = []string{"", "gpus"} }},
		{"Config.Nodes", func(c *Config) { c.Nodes = nil }},
		{"Config.Nodes", func(c *Config) { c.Nodes = make([]Vector, maxNodes+1) }},
		{"Config.Nodes", func(c *Config) { c.Nodes = slices.Repeat([]Vector{{1, MaxAmount}}, 1<<14+1) }},
		{"Config.Nodes[3]", func(c *Config) { c.Nodes[3] = Vector{1} }},
		{"Config.Nodes[3].gpus", func(c *Config) { c.Nodes[3] = Vector{-1, 1} }},
		{"Config.Nodes[0].cores", func(c *Config) { c.Nodes[0] = Vector{1, MaxAmount + 1} }},
		{"Config.Levels", func(c *Config) { c.Levels = make([]Level, maxLevels+1) }},
		{"Config.Levels[0].Name", func(c *Config) { c.Levels[0].Name = "" }},
		{"Config.Levels[1].Name", func(c *Config) { c.Levels[1].Name = "rack" }},
		{"Config.Levels[0].Groups[1]", func(c *Config) { c.Levels[0].Groups[1] = []int{4} }},
		{"Config.Levels[0].Groups[1]", func(c *Config) { c.Levels[0].Groups[1] = []int{-1} }},
		{"Config.Levels[0].Groups[1]", func(c *Config) { c.Levels[0].Groups[1] = []int{2, 2} }},
		{"Config.Levels[0].Groups[1]", func(c *Config) { c.Levels[0].Groups[1] = []int{1, 2} }},
		{"Config.Levels[1]", func(c *Config) { c.Levels[1].Groups[0] = []int{0, 2, 3} }},
		{"Config.Sets[\"h100\"]", func(c *Config) { c.Sets["h100"] = []int{1, 4} }},
		{"Config.Sets", func(c *Config) { c.Sets[""] = []int{1} }},
	} {
		config := racks()
		c.spoil(&config)
		_, err := New(config)
		refused(t, err, c.field)
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	m, err := New(racks())
	require.NoError(t, err)
	for _, c := range []struct {
		field string
		spoil func(r *Request)
	}{
		{"Request.Tasks", func(r *Request) { r.Tasks = 0 }},
		{"Request.PerNode", func(r *Request) { r.PerNode = -1 }},
		{"Request.Duration", func(r *Request) { r.Duration = 0 }},
		{"Request.Duration", func(r *Request) { r.Ready, r.Duration = 1, math.MaxInt64 }},
		{"Request.Deadline", func(r *Request) { r.Deadline = 9 }},
		{"Request.Each[1]", func(r *Request) { r.Each = Vector{1, -1} }},
		{"Request.Each", func(r *Request) { r.Each = Vector{0, 0} }},
		{"Request.Each", func(r *Request) { r.Each = nil }},
		{"Request.Each", func(r *Request) { r.Each = Vector{1, 1, 1} }},
		{"Request.Head[0]", func(r *Request) { r.Head = Vector{-1, 1} }},
		{"Request.Head", func(r *Request) { r.Head = Vector{0, 0} }},
		{"Request.Head", func(r *Request) { r.Head = Vector{1} }},
		{"Request.Head", func(r *Request) { r.Head = Vector{} }},
		{"Request.Nodes", func(r *Request) { r.Nodes = []int{1, 4} }},
		{"Request.Nodes", func(r *Request) { r.Nodes = []int{1, 1} }},
		{"Request.Nodes", func(r *Request) { r.Nodes = []int{-1} }},
		{"Request.Except", func(r *Request) { r.Except = []int{4} }},
		{"Request.Except", func(r *Request) { r.Except = []int{0, 0} }},
		{"Request.Set", func(r *Request) { r.Set = "a100" }},
		{"Request.Within", func(r *Request) { r.Within = "site" }},
		{"Request.Together", func(r *Request) { r.Together = "site" }},
		{"Request.Patience", func(r *Request) { r.Patience, r.Within = 1, "rack" }},
		{"Request.Patience", func(r *Request) { r.Patience, r.Together = -1, "rack" }},
		{"Request.Bundle", func(r *Request) { r.Bundle, r.Bundled = -1, "rack" }},
		{"Request.Tasks", func(r *Request) { r.Bundle, r.Bundled = 2, "rack" }},
	} {
		r := Request{Duration: 10, Tasks: 1, Each: Vector{1, 8}}
		c.spoil(&r)
		_, err := m.Reserve(r)
		refused(t, err, c.field)
	}
	for name, r := range map[string]Request{
		"a vector that no node holds":  {Duration: 1, Tasks: 1, Each: Vector{9, 1}},
		"a head that no node holds":    {Duration: 1, Tasks: 1, Each: Vector{1, 1}, Head: Vector{0, 65}},
		"amounts beyond any node":      {Duration: 1, Tasks: 1, Each: Vector{math.MaxInt64, 1}},
		"tasks beyond counting":        {Duration: 1, Tasks: math.MaxInt64, Each: Vector{1, 1}},
		"no node":                      {Duration: 1, Tasks: 1, Each: Vector{1, 1}, Nodes: []int{}},
		"more than a rack":             {Duration: 1, Tasks: 3, Each: Vector{8, 1}, Within: "rack"},
		"nodes that it must not have":  {Duration: 1, Tasks: 1, Each: Vector{1, 1}, Nodes: []int{1}, Except: []int{1}},
		"as many as a node has, twice": {Duration: 1, Tasks: 9, Each: Vector{1, 1}, Nodes: []int{1}},
	} {
		_, err := m.Reserve(r)
		require.ErrorIs(t, err, bookahead.ErrUnavailable, name)
	}
	res, err := m.Reserve(Request{Duration: 1, Tasks: 3, Each: Vector{4, 1}, PerNode: 1 << 60, Set: "h100"})
	require.NoError(t, err, "a PerNode above the tasks that fit is no limit")
	require.Equal(t, []Share{{1, 2}, {2, 1}}, res.Tasks)
	require.Equal(t, bookahead.ID(1), res.ID, "the others have used up none")
}

// The largest machine that there can be adds up.
func TestAmountsDoNotOverflow(t *testing.T) {
	m, err := New(Config{Resources: []string{"bytes"}, Nodes: slices.Repeat([]Vector{{MaxAmount}}, 1<<14)})
	require.NoError(t, err)
	res, err := m.Reserve(Request{Duration: math.MaxInt64, Tasks: maxTotal - 1, Each: Vector{1}})
	require.NoError(t, err)
	require.Len(t, res.Tasks, 1<<14)
	require.Equal(t, bookahead.MaxTime, res.End)
	last, err := m.Reserve(Request{Duration: math.MaxInt64, Tasks: 1, Each: Vector{1}})
	require.NoError(t, err)
	require.Equal(t, []Share{{1<<14 - 1, 1}}, last.Tasks)
	_, err = m.Reserve(Request{Duration: 1, Tasks: 1, Each: Vector{1}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	require.NoError(t, m.Verify())
}

// A node that is added to a rack takes part in it, and in its set.
func TestAddedNodesJoinTheirRack(t *testing.T) {
	m, err := New(racks())
	require.NoError(t, err)
	time := bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 30}}
	x, err := m.Extend(time, []Added{{Has: Vector{16, 64}, Groups: map[string]int{"rack": 1, "row": 0}, Sets: []string{"h100"}}})
	require.NoError(t, err)
	require.Equal(t, []int{4}, x.Servers)
	res, err := m.Reserve(Request{Duration: 20, Tasks: 4, Each: Vector{8, 1}, Within: "rack"})
	require.NoError(t, err)
	require.Equal(t, Offer{Interval: time.Interval, Tasks: []Share{{2, 1}, {3, 1}, {4, 2}}, Head: -1}, res.Offer)
	offer, err := m.Search(Request{Duration: 20, Tasks: 1, Each: Vector{16, 1}, Set: "h100", Deadline: 30})
	require.ErrorIs(t, err, bookahead.ErrUnavailable, offer)

	for field, node := range map[string]Added{
		"added.Groups[\"rack\"]": {Has: Vector{1, 1}, Groups: map[string]int{"rack": 3}},
		"added.Groups":           {Has: Vector{1, 1}, Groups: map[string]int{"site": 0}},
		"added.Sets":             {Has: Vector{1, 1}, Sets: []string{"a100"}},
		"Config.Nodes[5]":        {Has: Vector{1}},
		"Config.Levels[1]":       {Has: Vector{1, 1}, Groups: map[string]int{"rack": 0}},
		"Config.Nodes[5].cores":  {Has: Vector{1, -1}},
	} {
		_, err = m.Extend(time, []Added{node})
		refused(t, err, field)
	}
	_, err = m.Extend(time, nil)
	refused(t, err, "added")
	time.Servers = []int{4}
	_, err = m.Extend(time, []Added{{Has: Vector{1, 1}}})
	refused(t, err, "Closure.Servers")
	time.Servers, time.Units = nil, 2
	_, err = m.Extend(time, []Added{{Has: Vector{1, 1}}})
	refused(t, err, "Closure.Units")
	require.Equal(t, 5, m.Frame().Servers)
	require.NoError(t, m.Verify())
}

// A group lies in one group of the next level, or in none; a node in no group lies anywhere.
func TestGroupsAreNotDivided(t *testing.T) {
	for _, c := range []struct {
		name        string
		racks, rows [][]int
		node        string // that lies apart; "" if it makes sense
	}{
		{"loose nodes in two rows", [][]int{{1}}, [][]int{{0}, {1, 2}}, ""},
		{"a rack in no row", [][]int{{0}, {1, 2}}, [][]int{{0, 3}}, ""},
		{"the second rack in two rows", [][]int{{0}, {1, 2}}, [][]int{{0, 1}, {2, 3}}, "node 2"},
		{"the second rack half in a row", [][]int{{0}, {1, 3}}, [][]int{{0, 1}}, "node 3"},
		{"the first rack half in a row", [][]int{{0, 1}}, [][]int{{0}}, "node 1"},
	} {
		config := racks()
		config.Levels = []Level{{"rack", c.racks}, {"row", c.rows}}
		_, err := New(config)
		if c.node == "" {
			require.NoError(t, err, c.name)
			continue
		}
		refused(t, err, "Config.Levels[1]")
		require.ErrorContains(t, err, c.node+" ", c.name)
	}
}

// The limits are as documented.
func TestLimits(t *testing.T) {
	require.Equal(t, []int64{8, 16, 281474976710656, 1048576, 4611686018427387904}, []int64{MaxResources, maxLevels, MaxAmount, maxNodes, maxTotal})
}

// An offer says where its head is, also on node 0.
func TestOfferAsText(t *testing.T) {
	o := Offer{Interval: bookahead.Interval{Start: 2, End: 5}, Tasks: []Share{{0, 2}, {3, 1}}}
	require.Equal(t, "[2, 5) 2 on 0, 1 on 3, the head on 0", o.String())
	o.Head = -1
	require.Equal(t, "#7 [2, 5) 2 on 0, 1 on 3", Reservation{ID: 7, Offer: o}.String())
}
