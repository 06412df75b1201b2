package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
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
