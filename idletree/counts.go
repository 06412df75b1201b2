package idletree

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/internal/profile"
)

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
