package gantt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// shutPlace stands for the ID of a reservation where a place is closed.
const shutPlace = bookahead.ID(1 << 63)

// placesOf returns what each place of each lane shows at each tick: 0 if it is free, shutPlace, or an
// ID. Reservations lie over closures.
func placesOf(t require.TestingT, c *Chart, id map[string]bookahead.ID) [][]bookahead.ID {
	cells := make([][]bookahead.ID, c.Rows)
	for i := range cells {
		cells[i] = make([]bookahead.ID, c.Window.End)
	}
	for _, b := range c.Bars {
		for row := b.Row; row < b.Row+b.rows(); row++ {
			for at := b.Start; at < min(b.End, c.Window.End); at++ {
				cell := &cells[row][at]
				if b.Closed {
					*cell = shutPlace
					continue
				}
				require.Contains(t, []bookahead.ID{0, shutPlace}, *cell, "two reservations lie on one place")
				*cell = id[b.Label]
			}
		}
	}
	return cells
}

// What a lane shows at a tick is what the machine says is booked and closed then, where rows
// need no rounding.
func TestNodesAgree(t *testing.T) {
	const end = 40
	rapid.Check(t, func(t *rapid.T) {
		amount, some := rapid.SampledFrom([]int64{0, 1, 2, 4, 8, 64}), rapid.SampledFrom([]int64{1, 2, 4, 8, 64})
		config := nodes.Config{Resources: []string{"a", "b"}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{2, 0}}}}}
		for range rapid.IntRange(3, 5).Draw(t, "nodes") {
			config.Nodes = append(config.Nodes, nodes.Vector{amount.Draw(t, "a"), some.Draw(t, "b")})
		}
		m, err := nodes.New(config)
		require.NoError(t, err)
		shut := make([][end]bool, 8)
		now := bookahead.Time(0)
		mark := func(k int, w bookahead.Interval) {
			for at := max(w.Start, now); at < min(w.End, end); at++ {
				shut[k][at] = true
			}
		}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			from := now + bookahead.Time(rapid.IntRange(0, 9).Draw(t, "from"))
			span := bookahead.Interval{Start: from, End: from + bookahead.Time(rapid.IntRange(1, 12).Draw(t, "for"))}
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			default:
				r := nodes.Request{
					Ready: span.Start, Duration: bookahead.Duration(span.Len()), Tasks: rapid.Int64Range(1, 4).Draw(t, "tasks"),
					Each: nodes.Vector{rapid.Int64Range(0, 4).Draw(t, "each a"), rapid.Int64Range(0, 8).Draw(t, "each b")},
				}
				if rapid.Bool().Draw(t, "head") {
					r.Head = nodes.Vector{0, 1}
				}
				_, _ = m.Reserve(r)
			case 4:
				k := rapid.IntRange(0, len(config.Nodes)-1).Draw(t, "node")
				_, err = m.Close(bookahead.Closure{Interval: span, Servers: []int{k}})
				require.NoError(t, err)
				mark(k, span)
			case 5:
				if len(config.Nodes) < len(shut) {
					k := len(config.Nodes)
					config.Nodes = append(config.Nodes, nodes.Vector{0, 4})
					_, err = m.Extend(bookahead.Closure{Interval: span}, []nodes.Added{{Has: nodes.Vector{0, 4}}})
					require.NoError(t, err)
					mark(k, bookahead.Interval{End: span.Start})
					mark(k, bookahead.Interval{Start: span.End, End: end})
				}
			case 6:
				now += bookahead.Time(rapid.IntRange(0, 3).Draw(t, "later"))
				require.NoError(t, m.Advance(now))
			}
		}

		c := &Chart{Window: bookahead.Interval{Start: 0, End: end}}
		require.NoError(t, Nodes{Machine: m, Config: config}.Fill(c))
		parse(t, draw(t, c))
		ids := map[string]bookahead.ID{}
		type place struct {
			node, resource int
			at             bookahead.Time
			id             bookahead.ID
		}
		want := map[place]int64{}
		for r := range m.Reservations(c.Window) {
			ids[fmt.Sprintf("#%d", r.ID)] = r.ID
			for at := max(now, r.Start); at < min(r.End, end); at++ {
				for resource := range config.Resources {
					for _, s := range r.Tasks {
						want[place{s.Node, resource, at, r.ID}] += s.Tasks * r.Each[resource]
					}
					if r.Head >= 0 {
						want[place{r.Head, resource, at, r.ID}] += r.HeadTakes[resource]
					}
				}
			}
		}
		cells := placesOf(t, c, ids)
		lane := 0
		for _, k := range nodesInOrder(len(config.Nodes)) {
			for resource, has := range config.Nodes[k] {
				if has == 0 {
					continue
				}
				name := c.rowName(lane)
				require.Contains(t, name, fmt.Sprint(k))
				require.Contains(t, name, config.Resources[resource])
				require.Equal(t, k == 0 || k == 2, strings.HasPrefix(name, "rack 0"))
				for at := bookahead.Time(0); at < end; at++ {
					shown := map[bookahead.ID]int64{}
					for row := lane * c.Lane; row < (lane+1)*c.Lane; row++ {
						shown[cells[row][at]]++
					}
					free := int64(c.Lane)
					for _, id := range ids {
						rows := want[place{k, resource, at, id}] * int64(c.Lane) / has
						require.Equal(t, rows, shown[id], "node %d, resource %d, at %d, reservation %d", k, resource, at, id)
						free -= rows
					}
					state := bookahead.ID(0)
					if shut[k][at] && at >= now {
						state = shutPlace
					}
					require.Equal(t, free, shown[state], "node %d, resource %d, at %d is closed: %v", k, resource, at, shut[k][at])
				}
				lane++
			}
		}
		require.Equal(t, lane*c.Lane, c.Rows)
	})
}

// nodesInOrder returns the nodes as the test's rack has them.
func nodesInOrder(n int) []int {
	order := []int{0, 2, 1}
	for k := 3; k < n; k++ {
		order = append(order, k)
	}
	return order
}

// An amount that is no whole number of rows is rounded up, and pieces are taken where no gap is
// wide enough.
func TestBandHold(t *testing.T) {
	b := &band{given: 10}
	span := func(from, to bookahead.Time) bookahead.Interval { return bookahead.Interval{Start: from, End: to} }
	require.Equal(t, []piece{{0, 3, 5}}, b.hold(span(0, 5), 3))
	require.Equal(t, []piece{{3, 7, 9}}, b.hold(span(0, 9), 4))
	require.Equal(t, []piece{{7, 10, 5}}, b.hold(span(1, 5), 3))
	require.Nil(t, b.hold(span(2, 5), 1))
	require.Equal(t, []piece{{0, 3, 8}, {7, 9, 8}}, b.hold(span(5, 8), 5))
	require.Equal(t, []piece{{9, 10, 8}}, b.hold(span(5, 8), 1))
	require.Nil(t, b.hold(span(5, 8), 0))
	require.Equal(t, []piece{{0, 3, 9}}, b.hold(span(8, 9), 3), "both gaps are wide enough, and the lower one comes first")
}

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

// What makes no sense is named.
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
		"Nodes.Config.Nodes 3 are not the 4 node": with(func(n *Nodes) { n.Config.Nodes = n.Config.Nodes[:3] }),
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
