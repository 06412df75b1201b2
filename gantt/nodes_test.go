package gantt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// shutPlace stands for the ID of a reservation where a place is closed.
const shutPlace = bookahead.ID(1 << 63)

// placesOf returns the content of each place of each lane at each tick: 0 if it is free, shutPlace, or an
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

// If rows need no rounding, a lane shows at each tick the amounts that are booked and closed on the machine.
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
				r.Exclusive = rapid.IntRange(0, 3).Draw(t, "exclusive") == 0
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
					for p := range want {
						if r.Terms != nil && p.id == r.ID {
							want[place{p.node, resource, at, r.ID}] = config.Nodes[p.node][resource]
						}
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
					for row := lane * c.perLane; row < (lane+1)*c.perLane; row++ {
						shown[cells[row][at]]++
					}
					free := int64(c.perLane)
					for _, id := range ids {
						rows := want[place{k, resource, at, id}] * int64(c.perLane) / has
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
		require.Equal(t, lane*c.perLane, c.Rows)
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

// A node whose GPUs are booked up to the horizon is not closed, although another one is gone for ever.
func TestNodesBookedUp(t *testing.T) {
	config := nodes.Config{Horizon: 100, Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{8, 64}}}
	m, err := nodes.New(config)
	require.NoError(t, err)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 5}}, []nodes.Added{{Has: nodes.Vector{8, 64}}})
	require.NoError(t, err)
	config.Nodes = append(config.Nodes, nodes.Vector{8, 64})
	require.NoError(t, m.Advance(5))
	_, err = m.Reserve(nodes.Request{Ready: 5, Duration: 100, Tasks: 1, Each: nodes.Vector{8, 1}})
	require.NoError(t, err)
	c := &Chart{Window: bookahead.Interval{Start: 5, End: 105}}
	require.NoError(t, Nodes{Machine: m, Config: config}.Fill(c))
	var closed []int
	for _, b := range c.Bars {
		if b.Closed {
			closed = append(closed, b.Row/c.perLane)
		}
	}
	require.Equal(t, []int{2, 3}, closed, "the lanes of the node that is gone")
}

// A node that was added for a time does not open when a closure of it ends after that time.
func TestNodesGoneBehindClosure(t *testing.T) {
	config := nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{8}}}
	m, err := nodes.New(config)
	require.NoError(t, err)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 1}}, []nodes.Added{{Has: nodes.Vector{8}}})
	require.NoError(t, err)
	config.Nodes = append(config.Nodes, nodes.Vector{8})
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 4}, Servers: []int{1}})
	require.NoError(t, err)
	require.NoError(t, m.Advance(2))
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 10}}
	require.NoError(t, Nodes{Machine: m, Config: config}.Fill(c))
	last := bookahead.Time(0)
	for _, b := range c.Bars {
		require.Equal(t, 1, b.Row/c.perLane)
		require.Equal(t, bookahead.Time(2), b.Start)
		last = max(last, b.End)
	}
	require.Equal(t, bookahead.MaxTime, last)
}
