package idletree

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/internal/profile"
	"github.com/bookahead/bookahead/internal/servers"
)

// Track switches an index of the groups on or off: the number of free servers of each group over time. While
// the index is on, a Search of the view looks at the servers of a group only where the index says that enough
// of them are free. In return, each change of the tree changes the index of each group that it touches, in
// O(log v) for v changes of the number, and Advance takes O(g) for g groups. Answers stay the same. Without
// the index, a Search goes through the idle periods of all servers.
//
// Track is a write. To switch the index on takes O(p log p) for p idle periods of the groups. The index stays
// on when Displace changes the tree, and when the tree is restored with at least as many servers as the
// groups name. If the tree has fewer servers then, the index is off until the next Track. A clone has no
// index. Switch the index off before you drop the view, because otherwise the tree goes on updating it.
// A view without groups has no index.
func (v *Within) Track(on bool) {
	x := v.x.tree()
	if v.counts != nil {
		x.counted = slices.DeleteFunc(x.counted, func(c *counts) bool { return c == v.counts })
		v.counts = nil
	}
	if on && v.regions.list != nil && v.check() == nil {
		v.counts = &counts{regions: &v.regions}
		v.counts.count(&x.fleet)
		x.counted = append(x.counted, v.counts)
	}
}

// counts has the number of free servers of each region over time, from now on. The number excludes starts:
// where n servers are free throughout a window, n are free at each tick of the window. The converse fails
// if servers are free in turn.
//
//	G1  The numbers of a region are those of the idle periods in the calendars of its servers.
type counts struct {
	regions *regions
	free    []*profile.Tree[int32] // by region; nil while the tree has too few servers
	changed []int64                // room for addTo: 0 for each region
	touched []int32
}

// count counts the free servers of all regions anew.
func (c *counts) count(f *fleet) {
	c.free = c.free[:0]
	for _, region := range c.regions.list {
		c.free = append(c.free, profile.New[int32](f.steps(region), profile.Usual))
	}
	c.changed = make([]int64, len(c.free))
}

// steps returns the number of free servers of a list over time, from now on. Neighbouring steps differ.
func (f *fleet) steps(list []int) []pool.Step {
	steps := []pool.Step{{Start: f.now}} // until they are added up, Free is the change of the number
	for _, k := range list {
		for p := range f.idle[k].from(f.now) {
			steps = append(steps, pool.Step{Start: max(p.Start, f.now), Free: 1})
			if p.End < bookahead.MaxTime {
				steps = append(steps, pool.Step{Start: p.End, Free: -1})
			}
		}
	}
	slices.SortFunc(steps, func(a, b pool.Step) int { return cmp.Compare(a.Start, b.Start) })
	free, n := int64(0), 0
	for i, s := range steps {
		free += s.Free
		if i+1 < len(steps) && steps[i+1].Start == s.Start {
			continue
		}
		if n == 0 || steps[n-1].Free != free {
			steps[n] = pool.Step{Start: s.Start, Free: free}
			n++
		}
	}
	return steps[:n]
}

// addTo adds delta to the number of free servers throughout w, for each server of the list.
func addTo[S int | int32](c *counts, list []S, w bookahead.Interval, delta int64) {
	for _, k := range list {
		for _, g := range c.regions.containing(int(k)) {
			if c.changed[g] == 0 {
				c.touched = append(c.touched, g)
			}
			c.changed[g] += delta
		}
	}
	for _, g := range c.touched {
		c.free[g].Change(w, c.changed[g])
		c.changed[g] = 0
	}
	c.touched = c.touched[:0]
}

// recount takes over the counts of the roster that x replaces, and counts anew. Counts whose regions name
// servers that x does not have are switched off.
func (x *tree) recount(counted []*counts) {
	for _, c := range counted {
		if len(c.regions.first)-2 > len(x.idle) {
			c.free = nil
			continue
		}
		c.count(&x.fleet)
		x.counted = append(x.counted, c)
	}
}

// check checks G1.
func (c *counts) check(f *fleet) error {
	for g, region := range c.regions.list {
		got, err := c.free[g].Verify(f.now)
		if err != nil {
			return err
		}
		want := f.steps(region)
		if !slices.Equal(got, want) {
			return fmt.Errorf("G1: region %d has %v, its calendars %v", g, got, want)
		}
	}
	return nil
}

// tracked is seek by the index, for the starts from first to last. A later region is used only if it has room
// earlier than all regions in front of it, so that its search ends before their start.
//
//	free of a region      2  5  3  6         4 servers are wanted for 3 ticks
//	starts of the index      ├──┤  ├─────    at each of these, the same 4 may be free throughout, or not
func (v *Within) tracked(r bookahead.Request, first, last bookahead.Time) (bookahead.Time, []int) {
	best, at := -1, last+1
	for g, region := range v.regions.list {
		if int64(len(region)) < r.Units || at == first {
			continue
		}
		t, ok := v.inRegion(g, r, first, at-1)
		if ok {
			best, at = g, t
		}
	}
	if best < 0 {
		return 0, nil
	}
	return at, v.room(best, r, at)
}

// inRegion returns the first start in a region, from first to last. It goes through the stretches of time in
// which enough servers of the region are free at each tick, and searches their calendars only there.
func (v *Within) inRegion(g int, r bookahead.Request, first, last bookahead.Time) (bookahead.Time, bool) {
	d, free := bookahead.Time(r.Duration), v.counts.free[g]
	for first <= last {
		t, ok := free.Search(first, last, d, r.Units)
		if !ok {
			break
		}
		if v.room(g, r, t) != nil {
			return t, true
		}
		first = free.Until(t, r.Units, last+d)
		t, ok = v.inStretch(g, r, t, min(last, first-d))
		if ok {
			return t, true
		}
	}
	return 0, false
}

// inStretch returns the first start in a region after first and no later than last, given that first itself
// is no start.
func (v *Within) inStretch(g int, r bookahead.Request, first, last bookahead.Time) (bookahead.Time, bool) {
	f, region := &v.x.tree().fleet, v.regions.list[g]
	var add func(Period) bool
	if v.adjacent {
		row := adjoin(r, first, region[0], len(region))
		add = func(p Period) bool {
			from, behind := row(p)
			return behind-from >= int(r.Units)
		}
	} else {
		s := newSweep(r, first, nil)
		add = func(p Period) bool {
			_, ok := s.add(p.Interval)
			return ok
		}
	}
	for p := range f.covering(region, servers.Window(first, r)) {
		add(p)
	}
	m, d := f.merged(region, first, last), bookahead.Time(r.Duration)
	for {
		p, ok := m.pull()
		if !ok {
			return 0, false
		}
		if p.End-p.Start >= d && add(p) {
			return p.Start, true
		}
	}
}

// room returns the servers of a region for r at t, or nil.
func (v *Within) room(g int, r bookahead.Request, t bookahead.Time) []int {
	f, region, n := &v.x.tree().fleet, v.regions.list[g], int(r.Units)
	if !v.adjacent {
		r.Servers = region
		found := f.best(r, t, nil)
		if len(found) < n {
			return nil
		}
		return f.serversOf(found)
	}
	var row []int
	for p := range f.covering(region, servers.Window(t, r)) {
		if len(row) > 0 && row[len(row)-1] != p.Server-1 {
			row = row[:0]
		}
		row = append(row, p.Server)
		if len(row) == n {
			return row
		}
	}
	return nil
}
