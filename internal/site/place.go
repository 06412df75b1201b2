package site

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Place is a time, units, and buffers around them. It has the fields of desk.Place, which has their meaning, so a
// conversion is free. On is the caller's name for the site; the site neither reads nor sets it.
type Place struct {
	On string
	bookahead.Interval
	Units         int64
	Servers       []int
	Nodes         []nodes.Share
	Head          int
	Before, After bookahead.Duration
}

// unitsOf returns the place of an offer of a pool or servers.
func unitsOf(o bookahead.Offer, units int64) Place {
	return Place{Interval: o.Interval, Units: units, Servers: o.Servers, Head: -1}
}

// tasksOf returns the place of an offer of nodes.
func tasksOf(o nodes.Offer, units int64) Place {
	return Place{Interval: o.Interval, Units: units, Nodes: o.Tasks, Head: o.Head}
}

// Reserved returns the time for which the units are reserved, which includes the buffers.
func (p *Place) Reserved() bookahead.Interval {
	return bookahead.Interval{Start: p.Start - bookahead.Time(p.Before), End: p.End + bookahead.Time(p.After)}
}

// from returns the rest of the reserved time from a tick on.
func (p *Place) from(t bookahead.Time) bookahead.Interval {
	in := p.Reserved()
	in.Start = max(in.Start, t)
	return in
}

// Holds reports whether a place has one of the servers or nodes; nil stands for all. A place without named units may have
// any of them.
func (p *Place) Holds(list []int) bool {
	if list == nil || p.Servers == nil && p.Nodes == nil {
		return true
	}
	return slices.ContainsFunc(list, func(k int) bool {
		_, held := slices.BinarySearch(p.Servers, k)
		return held || p.Head == k && k >= 0 || slices.ContainsFunc(p.Nodes, func(s nodes.Share) bool { return s.Node == k })
	})
}

// Lesser returns the time and the units that two places of a running reservation of units or servers have in common: the earlier
// end, and the fewer units. A running reservation never swaps servers, so one of the two places has all servers of the other.
func (p Place) Lesser(o Place) Place {
	behind := min(p.Reserved().End, o.Reserved().End)
	if o.Units < p.Units {
		p.Units, p.Servers = o.Units, o.Servers
	}
	p.End = min(p.End, o.End)
	p.After = bookahead.Duration(behind - p.End)
	return p
}
