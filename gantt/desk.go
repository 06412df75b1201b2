package gantt

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Desk fills a chart with the schedules and bookings of a desk:
//
//	link                ▄▄▄▄▄▄████████▄▄▄▄    a pool: the height of a bar is the units of a part,
//	                    ██████████████████    on up to eight lanes
//	lab · 0             aaaaaa  bbbbbbbb      a lane for each server
//	lab · 1             aaaaaa╱╱╱╱╱╱╱╱╱╱╱╱    hatching while an outage closes it
//	farm · node 0 · gpus  ▄▄▄▄▄▄████████      nodes: a lane for each resource, as of Nodes
type Desk struct {
	Desk *desk.Desk
	// On names the schedules to draw, the first on top; nil means all but brokers, in the order in
	// which they were added.
	On []string
	// Name returns the text on the bars of a booking, and a key: bars of one key have one colour. Nil
	// writes the title, or the ID of a booking without a title, and gives each owner a colour.
	Name func(b desk.Booking) (label, key string)
	// Link returns the Link of the bars of a booking. Nil, and "", make no link.
	Link func(b desk.Booking) string
	// Effort limits the look for the bookings of each schedule, as in desk.Desk.Bookings.
	Effort bookahead.Effort
}

// Fill sets the Rows, RowName, Bars and Now of a chart to those of the desk in the chart's Window. It
// is a query of the desk, and draws a single state of it. Past bookings are drawn for as long as the desk
// keeps them, and outages until they are over. Holds have dashed edges.
//
// A part keeps its place in the lanes of a pool or a node. If the free place is in pieces, the part has
// several bars. If an outage leaves less than is booked, a part lies over others. If a booking has moved or
// changed while it ran, its past is drawn where it was.
//
// A chart of more than 128 lanes, or 1 500 bars, is drawn as shades, as the package comment says. The
// error wraps bookahead.ErrInvalid if On names an unknown schedule, a broker, or a schedule twice, or if
// there is nothing to draw, or more than 1<<24 lanes, and bookahead.ErrStopped if Effort does not suffice. It takes a Clone of the desk, and O(n log n + b k) for
// n parts, b bars, and k parts that run at once on a pool or a node.
func (x Desk) Fill(c *Chart) error {
	if x.Desk == nil {
		return limits.Invalid("Desk.Desk", x.Desk, "is nil")
	}
	d := x.Desk.Clone()
	strips, err := x.strips(d)
	if err != nil {
		return err
	}
	lane := laneOf(strips)
	var bars []Bar
	for i := range strips {
		s := &strips[i]
		items, err := x.items(d, s.name, c.Window)
		if err != nil {
			return err
		}
		for _, b := range s.bars(items, lane) {
			b.Row += s.first * lane
			bars = append(bars, b)
		}
	}
	last := &strips[len(strips)-1]
	c.Rows, c.perLane, c.Bars, c.Now = (last.first+last.lanes)*lane, lane, bars, d.Now()
	c.RowName, c.held = laneNames(strips), ""
	return nil
}

// strip is the lanes of a schedule, one below the other.
type strip struct {
	name         string
	first, lanes int
	units        int64  // of a pool; 0 of others
	nodes        *bands // nil of others than nodes
}

// maxPoolLanes is the number of lanes that the units of a pool share. A pool with fewer units has a lane for
// each unit.
const maxPoolLanes = 8

// strips returns the strips of all schedules that are drawn.
func (x Desk) strips(d *desk.Desk) ([]strip, error) {
	all := d.Schedules()
	names := x.On
	if names == nil {
		for _, s := range all {
			_, broker := s.Kind.(desk.Broker)
			if !broker {
				names = append(names, s.Name)
			}
		}
	}
	var strips []strip
	first := 0
	for i, name := range names {
		at := slices.IndexFunc(all, func(l desk.Listing) bool { return l.Name == name })
		if at < 0 || slices.Contains(names[:i], name) {
			return nil, limits.Invalid(fmt.Sprintf("Desk.On[%d]", i), name, "is unknown, or named twice")
		}
		s, err := stripOf(&all[at], d.Outages(name))
		if err != nil {
			return nil, err
		}
		s.first = first
		strips = append(strips, s)
		first += s.lanes
		if first > maxRows {
			return nil, limits.Invalid("Desk.On", name, fmt.Sprintf("has lanes beyond %d", maxRows))
		}
	}
	if len(strips) == 0 {
		return nil, limits.Invalid("Desk.On", x.On, "names no schedule: there is nothing to draw")
	}
	return strips, nil
}

// stripOf returns the strip of a schedule, with lanes for the servers or units that extensions add.
func stripOf(l *desk.Listing, outages []desk.Outage) (strip, error) {
	s := strip{name: l.Name, lanes: l.Frame.Servers}
	switch k := l.Kind.(type) {
	case desk.Broker:
		return s, limits.Invalid("Desk.On", l.Name, fmt.Sprintf("is a broker: name the schedules %q", k.Of))
	case desk.Nodes:
		of := Nodes{Config: nodes.Config{Resources: k.Resources, Nodes: k.Nodes, Levels: k.Levels}}
		x, err := of.lay(l.Frame.Servers)
		if err != nil {
			return s, err
		}
		x.crowded = true
		s.nodes, s.lanes = x, len(x.bands)
		return s, nil
	case desk.Pool:
		s.units = k.Units
	default:
		if s.lanes == 0 {
			s.units = max(1, l.Frame.Capacity)
		}
	}
	if s.units > 0 {
		for i := range outages {
			if outages[i].Added() {
				s.units += outages[i].Units
			}
		}
		s.lanes = int(min(s.units, maxPoolLanes))
	}
	return s, nil
}

// laneOf returns the number of rows in a lane: one, unless the height of a bar within a lane is an amount.
func laneOf(strips []strip) int {
	last := &strips[len(strips)-1]
	heights := func(s strip) bool { return s.nodes != nil || s.units > maxPoolLanes }
	if slices.ContainsFunc(strips, heights) {
		return max(1, min(maxParts, maxRows/(last.first+last.lanes)))
	}
	return 1
}

// laneNames returns the names of the lanes of some strips.
func laneNames(strips []strip) func(row int) string {
	return func(row int) string {
		i := sort.Search(len(strips), func(i int) bool { return strips[i].first > row }) - 1
		return strips[i].lane(row - strips[i].first)
	}
}

// lane returns the name of a lane. The name of a pool is written only at its first lane.
func (s *strip) lane(i int) string {
	switch {
	case s.nodes != nil:
		return s.name + " · " + s.nodes.name(i)
	case s.units > 0 && i > 0:
		return ""
	case s.units > 0:
		return s.name
	}
	return s.name + " · " + strconv.Itoa(i)
}

// item is a part or an outage, with a bar that has no rows yet.
type item struct {
	Bar
	on      string // of a part
	units   int64
	servers []int          // of a part on servers, or closed by an outage
	tasks   []nodes.Share  // of a part on nodes
	head    int            // of a part on nodes: the node of the head, or -1
	each    *nodes.Request // of a part on nodes: the amounts of a task and the head
}

// itemOf returns the item of a part, or of a past piece of a part.
func itemOf(bar Bar, p *desk.Place, takes *nodes.Request) item {
	bar.Interval = p.Interval
	return item{Bar: bar, on: p.On, units: p.Units, servers: p.Servers, tasks: p.Nodes, head: p.Head, each: takes}
}

// absent returns the items of a closure. Units that an extension adds are closed before its time and after.
func absent(closed item, added bool, w bookahead.Interval) []item {
	if !added {
		return []item{closed}
	}
	closed.Label = "closed"
	before, after := closed, closed
	before.Interval = bookahead.Interval{Start: min(w.Start, closed.Start), End: closed.Start}
	after.Interval = bookahead.Interval{Start: closed.End, End: max(w.End, closed.End)}
	return []item{before, after}
}

// items returns the parts and outages on a schedule in a window, by start.
func (x Desk) items(d *desk.Desk, on string, w bookahead.Interval) ([]item, error) {
	var list []item
	for _, o := range d.Outages(on) {
		i := item{Bar: Bar{Interval: o.Interval, Label: cmp.Or(o.Title, "closed"), Closed: true}, units: o.Units, servers: o.Servers}
		list = append(list, absent(i, o.Added(), w)...)
	}
	for b, err := range d.Bookings(desk.Filter{Window: w, On: on}, x.Effort) {
		if err != nil {
			return nil, err
		}
		label, key := b.Title, b.Owner
		if x.Name != nil {
			label, key = x.Name(b)
		} else if label == "" {
			label = fmt.Sprintf("#%d", b.ID)
		}
		bar := Bar{Label: label, Key: key, Held: b.State == desk.Held}
		if x.Link != nil {
			bar.Link = x.Link(b)
		}
		for _, p := range b.Past {
			list = append(list, itemOf(bar, &p.Place, &nodes.Request{Each: p.Each, Head: p.HeadTakes}))
		}
		for k, p := range b.Places {
			list = append(list, itemOf(bar, &p, b.Shapes[b.Shape][k].Tasks))
		}
	}
	list = slices.DeleteFunc(list, func(i item) bool { return i.Empty() || i.on != "" && i.on != on })
	slices.SortStableFunc(list, func(a, b item) int { return cmp.Compare(a.Start, b.Start) })
	return list, nil
}
