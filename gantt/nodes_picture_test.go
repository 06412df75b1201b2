package gantt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// fourNodes is a machine with reservations, a closure, and names that nobody would choose.
func fourNodes(t *testing.T) (*nodes.Machine, nodes.Config) {
	config := nodes.Config{
		Resources: []string{"<gpus>", "cores"},
		Nodes:     []nodes.Vector{{8, 64}, {8, 64}, {8, 64}, {0, 48}},
		Levels:    []nodes.Level{{Name: "rack&", Groups: [][]int{{0, 1}, {2}}}},
	}
	m, err := nodes.New(config)
	require.NoError(t, err)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 60, End: bookahead.MaxTime}, Servers: []int{1}})
	require.NoError(t, err)
	for _, r := range []nodes.Request{
		{Duration: 40, Tasks: 3, Each: nodes.Vector{2, 8}},
		{Duration: 90, Tasks: 2, Each: nodes.Vector{4, 40}, PerNode: 1},
		{Duration: 30, Tasks: 4, Each: nodes.Vector{0, 11}, Nodes: []int{3}},
		{Duration: 50, Tasks: 2, Each: nodes.Vector{4, 8}, Within: "rack&", Head: nodes.Vector{0, 1}},
	} {
		_, err = m.Reserve(r)
		require.NoError(t, err)
	}
	require.NoError(t, m.Advance(10))
	return m, config
}

// The picture of four nodes is the one in testdata.
func TestNodesPicture(t *testing.T) {
	m, config := fourNodes(t)
	c := &Chart{Title: "Four <nodes>", Window: bookahead.Interval{Start: 0, End: 120}, Now: 10}
	n := Nodes{Machine: m, Config: config, Name: func(r nodes.Reservation) (label, key string) {
		return fmt.Sprintf("job <%d>", r.ID), fmt.Sprintf("user <%d>", r.ID%2)
	}}
	require.NoError(t, n.Fill(c))
	svg := draw(t, c)
	parse(t, svg)
	require.NotContains(t, string(svg), "<gpus>")
	file := filepath.Join("testdata", "nodes.svg")
	if *update {
		require.NoError(t, os.WriteFile(file, svg, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(svg), "go test -run TestNodesPicture . -update writes it anew")
}

// Thousands of nodes make a picture that is no larger.
func TestManyNodes(t *testing.T) {
	config := nodes.Config{Resources: []string{"gpus", "cores", "bytes"}}
	rack := nodes.Level{Name: "rack", Groups: make([][]int, 100)}
	for k := range 2000 {
		config.Nodes = append(config.Nodes, nodes.Vector{8, 64, 1 << 39})
		rack.Groups[k/20] = append(rack.Groups[k/20], k)
	}
	config.Levels = []nodes.Level{rack}
	m, err := nodes.New(config)
	require.NoError(t, err)
	for i := range 1000 {
		_, err = m.Reserve(nodes.Request{Duration: bookahead.Duration(10 + i%50), Tasks: int64(1 + i%30), Each: nodes.Vector{4, 20, 1 << 36}, Within: "rack"})
		require.NoError(t, err)
	}
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 300}}
	require.NoError(t, Nodes{Machine: m, Config: config}.Fill(c))
	require.Equal(t, 6000*maxParts, c.Rows)
	svg := draw(t, c)
	require.Less(t, len(svg), maxBytes/4)
	_, height, _ := parse(t, svg)
	require.Less(t, height, 1500.0)
	require.Contains(t, string(svg), `class="shade"`)
	require.Contains(t, string(svg), "rack 0 · 0 · gpus")
	var text bytes.Buffer
	_, err = c.WriteText(&text, 80)
	require.NoError(t, err)
	require.Less(t, strings.Count(text.String(), "\n"), 70)
}

// The error names a field that makes no sense.
func TestBadNodes(t *testing.T) {
	m, config := fourNodes(t)
	with := func(change func(*Nodes)) Nodes {
		n := Nodes{Machine: m, Config: config}
		n.Config.Nodes = []nodes.Vector{{8, 64}, {8, 64}, {8, 64}, {0, 48}}
		change(&n)
		return n
	}
	for want, n := range map[string]Nodes{
		"Nodes.Machine": {},
		"Nodes.Config.Nodes 3 is not the number ": with(func(n *Nodes) { n.Config.Nodes = n.Config.Nodes[:3] }),
		"Nodes.Config.Nodes[3] [1]":               with(func(n *Nodes) { n.Config.Nodes[3] = nodes.Vector{1} }),
		"Nodes.Config.Nodes[1] -1":                with(func(n *Nodes) { n.Config.Nodes[1][0] = -1 }),
		"Nodes.Config.Nodes[0] 2 is less than":    with(func(n *Nodes) { n.Config.Nodes[0][0] = 2 }),
		"Nodes.Config.Levels 4 is no node":        with(func(n *Nodes) { n.Config.Levels = []nodes.Level{{Name: "x", Groups: [][]int{{4}}}} }),
		"Nodes.Resources[0] gpu":                  with(func(n *Nodes) { n.Resources = []string{"gpu"} }),
		"Nodes.Resources[1] cores":                with(func(n *Nodes) { n.Resources = []string{"cores", "cores"} }),
		"Nodes.Resources []":                      with(func(n *Nodes) { n.Resources = []string{} }),
	} {
		c := &Chart{Window: bookahead.Interval{Start: 0, End: 120}}
		err := n.Fill(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
		require.Zero(t, c.Rows, want)
	}
}

// A bar is as high as its rows are of a lane, and lies in it.
func TestLaneHeights(t *testing.T) {
	const lane = 8
	for rows := 1; rows <= lane; rows++ {
		c := &Chart{Window: bookahead.Interval{Start: 0, End: 9}, Rows: 3 * lane, perLane: lane}
		c.Bars = []Bar{{Interval: c.Window, Row: lane + lane - rows, Rows: rows}, {Interval: c.Window, Row: lane, Rows: lane}}
		_, _, rects := parse(t, draw(t, c))
		var panel rect
		var bars []rect
		for _, r := range rects {
			switch r.class {
			case "panel":
				panel = r
			case "bar":
				bars = append(bars, r)
			}
		}
		require.Len(t, bars, 2)
		height := panel.height / 3
		require.InDelta(t, panel.y+2*height, bars[0].y+bars[0].height, 0.02)
		require.InDelta(t, height*11/12, bars[1].height, 0.02)
		require.InDelta(t, bars[1].height*float64(rows)/lane, bars[0].height, 0.02)
	}
}
