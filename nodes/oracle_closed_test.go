package nodes

import (
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// changes are the closures and extensions of the oracle that are not over.
type changes struct {
	born        int
	lastClosure bookahead.ClosureID
	closures    []bookahead.Closure
}

// open is one cell: no closure covers the node, and if it was added, an extension does.
func (o *oracle) open(k int, t bookahead.Time) bool {
	if t >= o.cells.base && t < o.cells.base+o.ticks() {
		return !o.shut[k][t-o.cells.base]
	}
	x := &o.changes
	open := k < x.born
	for _, c := range x.closures {
		if c.Added && c.Contains(t) && slices.Contains(c.Servers, k) {
			open = true
		}
	}
	for _, c := range x.closures {
		if !c.Added && c.Contains(t) && slices.Contains(c.Servers, k) {
			open = false
		}
	}
	return open
}

// close enters a closure or an extension, if it makes sense.
func (o *oracle) close(c bookahead.Closure) (bookahead.Closure, error) {
	w := c.Interval
	c.Start = max(c.Start, o.now)
	outside := func(k int) bool { return k < 0 || k >= len(o.c.Nodes) }
	c.Servers = slices.Sorted(slices.Values(c.Servers))
	if w.Empty() || c.Empty() || len(c.Servers) == 0 || slices.ContainsFunc(c.Servers, outside) ||
		len(slices.Compact(slices.Clone(c.Servers))) < len(c.Servers) {
		return bookahead.Closure{}, bookahead.ErrInvalid
	}
	c.Units = int64(len(c.Servers))
	o.lastClosure++
	c.ID = o.lastClosure
	o.closures = append(o.closures, c)
	o.stretch()
	return c, nil
}

// extend adds nodes, if that makes sense.
func (o *oracle) extend(c bookahead.Closure, more []Added) (bookahead.Closure, error) {
	larger := o.c.clone()
	for _, node := range more {
		c.Servers = append(c.Servers, len(larger.Nodes))
		err := larger.add(node)
		if err != nil {
			return bookahead.Closure{}, err
		}
	}
	err := larger.check()
	if err != nil {
		return bookahead.Closure{}, err
	}
	before := o.c
	o.c = larger
	c.Added = true
	c, err = o.close(c)
	if err != nil {
		o.c = before
	}
	return c, err
}

func (o *oracle) endClosure(id bookahead.ClosureID, at bookahead.Time) error {
	at = max(at, o.now)
	for i := range o.closures {
		c := &o.closures[i]
		switch {
		case c.ID != id:
			continue
		case at > c.End:
			return bookahead.ErrInvalid
		}
		c.End = at
		if c.Empty() || at <= o.now {
			o.closures = slices.Delete(o.closures, i, i+1)
		}
		o.stretch()
		return nil
	}
	return bookahead.ErrNotFound
}

func (o *oracle) frame() bookahead.Frame {
	f := bookahead.Frame{Now: o.now, Horizon: o.end(), Servers: len(o.c.Nodes)}
	for k := range o.c.Nodes {
		if o.open(k, o.now) {
			f.Capacity++
		}
	}
	return f
}

// overbooked looks at each tick.
func (o *oracle) overbooked(w bookahead.Interval) (list []bookahead.Overbooking) {
	w.End = min(w.End, o.end()) // behind it, nothing is held
	for t := max(w.Start, o.now); t < w.End; t++ {
		var both []int
		for k := range o.c.Nodes {
			used := slices.ContainsFunc(o.cells.at(k, t), func(n int64) bool { return n > 0 })
			if used && !o.open(k, t) {
				both = append(both, k)
			}
		}
		last := len(list) - 1
		switch {
		case len(both) == 0:
		case last >= 0 && list[last].End == t && slices.Equal(list[last].Servers, both):
			list[last].End++
		default:
			list = append(list, bookahead.Overbooking{Interval: bookahead.Interval{Start: t, End: t + 1}, Units: int64(len(both)), Servers: both})
		}
	}
	return list
}

// drawTime draws the time of a closure, which may be empty, or over.
func (x *world) drawTime(t *rapid.T) bookahead.Interval {
	start := x.o.now + bookahead.Time(rapid.IntRange(-4, 25).Draw(t, "from"))
	end := start + bookahead.Time(rapid.IntRange(0, 12).Draw(t, "ticks"))
	if rapid.IntRange(0, 5).Draw(t, "open end") == 0 {
		end = bookahead.MaxTime
	}
	return bookahead.Interval{Start: start, End: end}
}

// change closes nodes, adds some, or ends that.
func (x *world) change(t *rapid.T) {
	c := bookahead.Closure{Interval: x.drawTime(t)}
	switch rapid.SampledFrom([]string{"close", "close", "end", "end", "extend"}).Draw(t, "change") {
	case "close":
		c.Servers = rapid.SliceOfN(rapid.IntRange(0, len(x.o.c.Nodes)-1), 0, 3).Draw(t, "closed")
		if len(x.o.closures) > 0 && rapid.IntRange(0, 2).Draw(t, "again") == 0 {
			c.Servers = rapid.SampledFrom(x.o.closures).Draw(t, "like").Servers
		}
		want, wantErr := x.o.close(c)
		got, err := x.m.Close(c)
		require.Equal(t, kindOf(wantErr), kindOf(err), "%v", c)
		require.Equal(t, want, got)
	case "end":
		id := bookahead.ClosureID(rapid.Uint64Range(0, uint64(x.o.lastClosure)+1).Draw(t, "closure"))
		at := x.drawTime(t).Start
		require.Equal(t, kindOf(x.o.endClosure(id, at)), kindOf(x.m.EndClosure(id, at)))
	case "extend":
		if len(x.o.c.Nodes) > 14 {
			return
		}
		more := make([]Added, rapid.IntRange(1, 2).Draw(t, "more"))
		for i := range more {
			more[i] = x.drawAdded(t)
		}
		want, wantErr := x.o.extend(c, more)
		got, err := x.m.Extend(c, more)
		require.Equal(t, kindOf(wantErr), kindOf(err), "%v", c)
		require.Equal(t, want, got)
	}
	require.Equal(t, x.o.frame(), x.m.Frame())
	require.Equal(t, append([]bookahead.Closure{}, x.o.closures...), append([]bookahead.Closure{}, slices.Collect(x.m.Closures())...))
	w := x.drawTime(t)
	w.End = min(w.End, w.Start+14)
	require.Equal(t, x.o.overbooked(w), slices.Collect(x.m.Overbooked(w)))
}

func (x *world) drawAdded(t *rapid.T) Added {
	node := Added{Has: drawVector(t, len(x.o.c.Resources), 8, "has"), Groups: map[string]int{}}
	racks := len(x.o.c.Levels[0].Groups)
	g := rapid.IntRange(0, racks+1).Draw(t, "in rack")
	if g < racks { // in a rack that is there, and its row
		node.Groups["rack"] = g
		for i, row := range x.o.c.Levels[1].Groups {
			if len(x.o.c.Levels[0].Groups[g]) > 0 && slices.Contains(row, x.o.c.Levels[0].Groups[g][0]) {
				node.Groups["row"] = i
			}
		}
	} else if g == racks {
		node.Groups["rack"] = g
	}
	if rapid.Bool().Draw(t, "in a set") {
		node.Sets = []string{"few"}
	}
	if rapid.IntRange(0, 9).Draw(t, "elsewhere") == 0 {
		node.Groups["row"] = rapid.IntRange(-1, 7).Draw(t, "in row")
	}
	return node
}
