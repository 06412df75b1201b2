package idletree

import (
	"errors"
	"fmt"
	"iter"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
)

// Within is a view of a Tree as a schedule whose reservations lie together, as a Layout asks. The
// Layout belongs to the view, so that a bookahead.Request stays the same, and all functions on
// schedules work with the view: Openings, SearchLatest, Explain, grid.CoAllocate.
//
//	seats, err := tree.Within(idletree.Layout{Adjacent: true, Groups: rows})
//	res, err := seats.Reserve(bookahead.Request{Ready: evening, Duration: 3 * hour, Units: 4})
//
// A reservation through the view is a reservation of the tree, with an ID among the others, and can be
// released through either. Rebook is a method of the tree alone, and does not keep servers together.
// Search finds the earliest start at which enough servers lie together. The first group that has room is
// used. Within the group, Config.Prefer chooses the servers; if they must be adjacent, the lowest are
// taken.
//
// The free units of groups do not add up: a RangeQuery returns the servers of the group with the most free
// servers, or of the longest row of adjacent free servers. A group or row must be free throughout the
// window, so that a view may have fewer units in a window than at each of its ticks. A request that names
// servers allows these servers alone.
//
// Two views of one tree share its servers, and so do the tree and a view. Package grid finds this out by
// Viewed, and takes no two of them for a Broker, or for overlapping parts of a Job. It also refuses parts
// that overlap on one view, unless each names servers of its own. The view reads and writes its tree, so
// that both need one lock: behind bookahead.Locked, use the view in View and Update of the tree. Servers
// that are added to the tree (bookahead.Closable) are in no group.
type Within struct {
	x        *Tree
	adjacent bool
	regions  regions
	counts   *counts // while Track is on
}

var _ bookahead.Schedule = (*Within)(nil)

// Within returns the tree as a schedule of servers that lie together. The error wraps
// bookahead.ErrInvalid if l asks for nothing, or if a group names a server twice or a server that the
// tree does not have. O(s log s) for s servers of all groups.
func (x *Tree) Within(l Layout) (*Within, error) {
	p, err := l.regions(x.s.Limits.Servers)
	if err != nil {
		return nil, err
	}
	return &Within{x: x, adjacent: l.Adjacent, regions: p}, nil
}

// Search implements bookahead.Schedule. At the ready time it takes O(log p + k + s) for p idle periods,
// of which k contain the window there, and s servers of all groups. If there is no room, it goes through
// the j idle periods that are long enough and begin by the start found: O(s + j log n) for n units, or
// O(N + j log N) for adjacent servers of N. If servers are named, it reads all their idle periods, and no
// others.
func (v *Within) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := v.x.s.Starts(r)
	if err == nil {
		err = v.check()
	}
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, list := v.seek(r, first, last)
	if list == nil {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return servers.OfferAt(t, r, list), nil
}

// seek returns the first start from first to last, and its servers; no servers if there is no start.
func (v *Within) seek(r bookahead.Request, first, last bookahead.Time) (bookahead.Time, []int) {
	if v.counts != nil && v.counts.free != nil && r.Servers == nil {
		return v.tracked(r, first, last)
	}
	list := v.at(r, first)
	if list != nil || first == last {
		return first, list
	}
	t, ok := v.later(r, first, last)
	if !ok {
		return 0, nil
	}
	return t, v.at(r, t)
}

// Reserve implements bookahead.Schedule. It takes a Search, and a Reserve of the tree for a request that
// names the servers.
func (v *Within) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := v.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return v.x.Reserve(o.Request())
}

// Release implements bookahead.Schedule by the Release of the tree.
func (v *Within) Release(id bookahead.ID) error { return v.x.Release(id) }

// Advance implements bookahead.Schedule by the Advance of the tree.
func (v *Within) Advance(now bookahead.Time) error { return v.x.Advance(now) }

// RangeQuery implements bookahead.Schedule. It returns the most servers that one reservation can have
// throughout w. O(log p + k + s), with the letters of Search.
func (v *Within) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return v.Among(nil, w)
}

// Among is RangeQuery for a request that names servers: it returns the most of the named servers that one
// reservation can have throughout w. The answer of RangeQuery may lie in another group, so that it need
// not contain these servers. bookahead.Explain and Openings call Among. Nil names all servers. The error
// wraps bookahead.ErrInvalid if w is empty, or if a request could not name these servers. O(m log n + s)
// for m names.
func (v *Within) Among(named []int, w bookahead.Interval) (bookahead.Availability, error) {
	w, err := v.x.s.Window(w)
	if err == nil {
		err = v.check()
	}
	if err == nil && named != nil {
		_, _, err = v.x.s.Starts(bookahead.Request{Duration: 1, Units: 1, Servers: named})
		if errors.Is(err, bookahead.ErrUnavailable) { // the names are valid, and only the clock is in the way
			err = nil
		}
	}
	if err != nil {
		return bookahead.Availability{}, err
	}
	a := bookahead.Availability{Servers: []int{}}
	if w.Empty() {
		return a, nil
	}
	a.Window = w
	a.Servers = append(a.Servers, v.largest(v.free(named, w))...)
	a.Free = int64(len(a.Servers))
	return a, nil
}

// Viewed returns the tree of the view.
func (v *Within) Viewed() bookahead.Schedule { return v.x }

// Frame returns the limits of the view, which a grid.Broker asks for: the limits of the tree, but the
// Capacity is the greatest number of servers that are open now and lie together. O(N + s) for N servers,
// and s servers of all groups.
func (v *Within) Frame() bookahead.Frame {
	f := v.x.Frame()
	open := bitset.New(uint(f.Servers))
	for k := range f.Servers {
		open.SetTo(uint(k), v.x.s.IsOpen(k))
	}
	f.Capacity = int64(len(v.largest(open)))
	return f
}

// check returns an error if the tree has been restored from a snapshot with fewer servers than the groups
// name.
func (v *Within) check() error {
	named, n := len(v.regions.first)-2, v.x.s.Limits.Servers
	if named > n {
		return limits.Invalid("Layout.Groups", named-1, fmt.Sprintf("is not below the %d servers that there are now", n))
	}
	return nil
}

// at returns the servers for r at t, or nil.
func (v *Within) at(r bookahead.Request, t bookahead.Time) []int {
	free, n := v.free(r.Servers, servers.Window(t, r)), int(r.Units)
	for room := range v.rooms(free) {
		if len(room) < n {
			continue
		}
		if v.adjacent {
			return room[:n]
		}
		r.Servers = room
		f := &v.x.tree().fleet
		return f.serversOf(f.best(r, t, nil))
	}
	return nil
}

// largest returns the most free servers that lie together; of several such sets, the first.
func (v *Within) largest(free *bitset.BitSet) (most []int) {
	for room := range v.rooms(free) {
		if len(room) > len(most) {
			most = append(most[:0], room...)
		}
	}
	return most
}

// rooms yields the free servers of each group or, if servers must be adjacent, each row of free servers, by
// group and then by index. Each slice overwrites the one before.
func (v *Within) rooms(free *bitset.BitSet) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var room []int
		if v.regions.list == nil {
			for k := range free.EachSet() {
				if len(room) > 0 && room[len(room)-1] != int(k)-1 {
					if !yield(room) {
						return
					}
					room = room[:0]
				}
				room = append(room, int(k))
			}
			if len(room) > 0 {
				yield(room)
			}
			return
		}
		for _, region := range v.regions.list {
			room = room[:0]
			for _, k := range region {
				if free.Test(uint(k)) {
					room = append(room, k)
					continue
				}
				if v.adjacent && len(room) > 0 {
					if !yield(room) {
						return
					}
					room = room[:0]
				}
			}
			if len(room) > 0 && !yield(room) {
				return
			}
		}
	}
}

// free returns the servers, of the named or of all, that are free throughout w.
func (v *Within) free(named []int, w bookahead.Interval) *bitset.BitSet {
	free := bitset.New(uint(v.x.s.Limits.Servers))
	v.x.tree().throughout(named, w, func(p Period) bool {
		free.Set(uint(p.Server))
		return true
	})
	return free
}

// throughout yields the idle periods that contain w, of the servers named or of all.
func (x *tree) throughout(named []int, w bookahead.Interval, yield func(Period) bool) {
	if named == nil {
		x.index.root.descend(w, nil, yield)
		return
	}
	x.fleet.covering(named, w)(yield)
}

// beginning yields the idle periods of the servers named, or of all, that begin after first and no later
// than last and are at least d long, by start. It may leave out periods that end before first + d.
func (x *tree) beginning(named []int, first, last, d bookahead.Time, yield func(Period) bool) {
	if named == nil {
		x.index.root.ascend(span{after: first, by: last, end: first + d, length: d}, yield)
		return
	}
	m := x.merged(named, first, last)
	for {
		p, ok := m.pull()
		if !ok {
			return
		}
		if p.End-p.Start >= d && !yield(p) {
			return
		}
	}
}
