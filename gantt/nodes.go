package gantt

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Nodes fills a chart with the nodes of a machine, which have several resources:
//
//	rack 0 · 0 · gpus   ▄▄▄▄▄▄████████▄▄▄▄    a lane for each resource of a node; the height of a
//	rack 0 · 0 · cores  ▂▂▂▂▂▂▅▅▅▅▅▅▅▅▃▃▃▃    bar is the amount that a reservation takes
//	rack 0 · 1 · gpus   ╱╱╱╱╱╱╱╱██████████    hatching while the node is closed
type Nodes struct {
	Machine *nodes.Machine
	// Config describes the machine: it is the Config that New has got. The nodes that Extend has
	// added since must follow in Nodes, and be in the groups of Levels.
	Config nodes.Config
	// Resources names the resources to draw, the first on top; nil means all.
	Resources []string
	// Name returns the text on the bars of a reservation, and a key: bars of one key have one
	// colour. Nil writes the ID, and gives each ID a colour.
	Name func(r nodes.Reservation) (label, key string)
}

// Fill sets the Rows, RowName and Bars of a chart to those of the machine in the chart's Window. It is
// a query of the machine. Nodes are in the order of the groups of the first level, and nodes in no group come
// last; the name of a lane has the group, the node and the resource. A node has no lane for a resource of
// which it has nothing.
//
// A machine forgets the past, so nothing is drawn before its clock. A reservation keeps its place in a lane.
// If the free place is in pieces, the reservation has several bars.
//
// A chart of more than 128 lanes, or 1 500 bars, is drawn as shades, as the package comment says: of 2 000
// nodes, several lanes make one row of the picture. Heights are rounded up to 1/64 of a lane; on a machine
// with more than 1<<18 lanes they are coarser.
//
// The error wraps bookahead.ErrInvalid if Config has another number of nodes than the machine, or less on a
// node than is booked, or if Resources names a resource twice, or an unknown one, or only resources of which
// no node has anything. O(b k) for b bars, and k reservations that run at once on a node. It also takes
// O(c log c) and c Searches or more for c closed nodes; after an extension is over, c is all nodes.
func (n Nodes) Fill(c *Chart) error {
	if n.Machine == nil {
		return limits.Invalid("Nodes.Machine", n.Machine, "is nil")
	}
	f := n.Machine.Frame()
	x, err := n.lay(f.Servers)
	if err != nil {
		return err
	}
	bars := x.closed(n.Machine, f)
	ahead := bookahead.Interval{Start: max(f.Now, c.Window.Start), End: c.Window.End}
	for r := range n.Machine.Reservations(ahead) {
		bars, err = x.reservation(bars, r, f.Now, n.Name)
		if err != nil {
			return err
		}
	}
	c.Rows, c.perLane, c.RowName, c.Bars, c.held = len(x.bands)*x.lane, x.lane, x.name, bars, ""
	return nil
}

// maxParts is the number of rows in a lane of a node.
const maxParts = 64

// bands are the lanes of all nodes.
type bands struct {
	config *nodes.Config
	lane   int     // the number of rows in a lane
	group  []int   // of each node, on the first level; -1 for none
	bands  []band  // from the top down
	of     [][]int // the lanes of each node
	// crowded allows reservations to take more than a node has: then they lie over each other.
	crowded bool
}

// band is a resource of a node, as addresses from 0 to given.
type band struct {
	node, resource int
	given          int64
	held           []piece // by address; pieces do not overlap
}

// piece is a range of addresses that is held until end.
type piece struct {
	from, to int64
	end      bookahead.Time
}

// lay checks that the Config describes so many nodes, and returns their lanes.
func (n Nodes) lay(servers int) (*bands, error) {
	if len(n.Config.Nodes) != servers {
		return nil, limits.Invalid("Nodes.Config.Nodes", len(n.Config.Nodes), fmt.Sprintf("is not the number of nodes of the machine, %d", servers))
	}
	drawn, err := n.drawn()
	if err != nil {
		return nil, err
	}
	x := &bands{config: &n.Config, group: slices.Repeat([]int{-1}, servers), of: make([][]int, servers)}
	order := make([]int, servers)
	for k := range order {
		order[k] = k
	}
	if len(n.Config.Levels) > 0 {
		for g, group := range n.Config.Levels[0].Groups {
			for _, k := range group {
				if k < 0 || k >= servers {
					return nil, limits.Invalid("Nodes.Config.Levels", k, "is no node of the machine")
				}
				x.group[k] = g
			}
		}
		// As an unsigned number, -1 is above all groups: nodes without a group come last.
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(uint(x.group[a]), uint(x.group[b])) })
	}
	for _, k := range order {
		has := n.Config.Nodes[k]
		if len(has) != len(n.Config.Resources) {
			return nil, limits.Invalid(fmt.Sprintf("Nodes.Config.Nodes[%d]", k), has, fmt.Sprintf("does not have an amount for each of the resources %v", n.Config.Resources))
		}
		for _, r := range drawn {
			if has[r] < 0 || has[r] > nodes.MaxAmount {
				return nil, limits.Invalid(fmt.Sprintf("Nodes.Config.Nodes[%d]", k), has[r], "is out of range")
			}
			if has[r] > 0 {
				x.of[k] = append(x.of[k], len(x.bands))
				x.bands = append(x.bands, band{node: k, resource: r, given: has[r]})
			}
		}
	}
	if len(x.bands) == 0 {
		return nil, limits.Invalid("Nodes.Resources", n.Resources, "names no resource that a node has")
	}
	x.lane = min(maxParts, maxRows/len(x.bands))
	return x, nil
}

// drawn returns the resources to draw.
func (n Nodes) drawn() ([]int, error) {
	names := n.Resources
	if names == nil {
		names = n.Config.Resources
	}
	var drawn []int
	for i, name := range names {
		r := slices.Index(n.Config.Resources, name)
		if r < 0 || slices.Contains(drawn, r) {
			return nil, limits.Invalid(fmt.Sprintf("Nodes.Resources[%d]", i), name, "is unknown, or named twice")
		}
		drawn = append(drawn, r)
	}
	return drawn, nil
}

// name returns the name of a lane: "rack 0 · 3 · gpus".
func (x *bands) name(lane int) string {
	b := &x.bands[lane]
	node := "node " + strconv.Itoa(b.node)
	g := x.group[b.node]
	if g >= 0 {
		level := cut(x.config.Levels[0].Name, maxNameLetters/3)
		node = fmt.Sprintf("%s %d · %d", level, g, b.node)
	}
	return node + " · " + x.config.Resources[b.resource]
}

// closed returns the bars of the time in which nodes are closed.
func (x *bands) closed(m *nodes.Machine, f bookahead.Frame) []Bar {
	var bars []Bar
	until := make([]bookahead.Time, f.Servers) // when the closures end that cover a node now
	cover := func(k int, w bookahead.Interval) {
		w.Start = max(w.Start, f.Now)
		if w.Empty() {
			return
		}
		if w.Start == f.Now {
			until[k] = max(until[k], w.End)
		}
		for _, i := range x.of[k] {
			bars = append(bars, Bar{Interval: w, Row: i * x.lane, Rows: x.lane, Label: "closed", Closed: true})
		}
	}
	for c := range m.Closures() {
		for _, k := range c.Servers {
			if !c.Added {
				cover(k, c.Interval)
				continue
			}
			cover(k, bookahead.Interval{End: c.Start})
			cover(k, bookahead.Interval{Start: c.End, End: bookahead.MaxTime})
		}
	}
	// An extension that is over is not listed any more, and its nodes never open again. They are
	// closed now, so that more nodes are closed than closures cover, unless closures cover them too.
	hidden := f.Servers - int(f.Capacity)
	for _, end := range until {
		if end > 0 {
			hidden--
		}
	}
	for k, end := range until {
		maybe := end > 0 && end < f.Horizon || end == 0 && hidden > 0
		if maybe && x.gone(m, k) {
			cover(k, bookahead.Interval{End: f.Horizon})
		}
	}
	return bars
}

// gone reports whether nothing can be booked on a node, not even one unit for a tick, of any resource.
// That is so if its lanes are full of bars up to the horizon, too: then nothing is seen of the hatching.
func (x *bands) gone(m *nodes.Machine, k int) bool {
	for r, has := range x.config.Nodes[k] {
		if has == 0 {
			continue
		}
		one := make(nodes.Vector, len(x.config.Resources))
		one[r] = 1
		_, err := m.Search(nodes.Request{Duration: 1, Tasks: 1, Each: one, Nodes: []int{k}})
		if err == nil {
			return false
		}
	}
	return true
}
