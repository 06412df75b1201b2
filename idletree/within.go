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

// Within is a view of a Tree as a schedule whose reservations lie together, as a Layout asks. So a
// bookahead.Request says nothing new, and the functions on schedules work with the view: Openings,
// SearchLatest, Explain, grid.CoAllocate.
//
//	seats, err := tree.Within(idletree.Layout{Adjacent: true, Groups: rows})
//	res, err := seats.Reserve(bookahead.Request{Ready: evening, Duration: 3 * hour, Units: 4})
//
// A reservation through the view is one of the tree, with an ID among the others. It can be released
// through either; Rebook is the tree's, and does not know of the view. Search finds the earliest start
// at which the servers are there. Of the groups that have room, the first is used. In it
// Config.Prefer chooses the servers; if they are to be adjacent, the lowest are taken.
//
// Units that are free do not add up: in the answer to a RangeQuery they are those of the group with the
// most free servers, or the longest row of adjacent ones, and the Servers are these. So a view can have
// fewer units in a window than at each of its ticks, as its group or row must be free throughout.
// A request that names servers allows these alone.
//
// Two views of one tree share its servers, and so do the tree and a view. Package grid sees that by Viewed, and
// takes no two of them for a Broker, or for parts of a Job that overlap. Parts that overlap on one view are
// refused as well, unless they name servers of their own. The view reads
// and writes its tree, so the lock of one is the lock of the other: behind
// bookahead.Locked, use the view in View and Update of the tree. Servers that are added to the tree
// (bookahead.Closable) are in no group.
type Within struct {
	x        *Tree
	adjacent bool
	regions  regions
	counts   *counts // while Track is on
}

var _ bookahead.Schedule = (*Within)(nil)

// Within returns the tree as a schedule of servers that lie together. The error wraps
// bookahead.ErrInvalid: l asks for nothing, or a group names a server that the tree has not, or one
// twice. O(s log s) for s servers of all groups.
func (x *Tree) Within(l Layout) (*Within, error) {
	p, err := l.regions(x.s.Limits.Servers)
	if err != nil {
		return nil, err
	}
	return &Within{x: x, adjacent: l.Adjacent, regions: p}, nil
}

// Search implements bookahead.Schedule. At the ready time it takes O(log p + k + s) for p idle periods,
// of which k contain the window there, and s servers of all groups. If there is no room, it goes through
// the j idle periods that are long enough and begin by the start that is found: O(s + j log n) for n
// units; O(N + j log N) if they are to be adjacent, of N servers. If servers are named, only theirs are
// read, and all of theirs.
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

// seek returns the first start from first to last, and the servers; or no servers.
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

// Reserve implements bookahead.Schedule. It takes a Search, and what the tree takes for a request that
// names the servers.
func (v *Within) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := v.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return v.x.Reserve(o.Request())
}

// Release implements bookahead.Schedule, as the tree does.
func (v *Within) Release(id bookahead.ID) error { return v.x.Release(id) }

// Advance implements bookahead.Schedule, as the tree does.
func (v *Within) Advance(now bookahead.Time) error { return v.x.Advance(now) }

// RangeQuery implements bookahead.Schedule: the most servers that one reservation can have throughout w.
// O(log p + k + s), as Search says.
func (v *Within) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return v.Among(nil, w)
}

// Among is RangeQuery for a request that names servers: the most of them that one reservation can have
// throughout w. They need not be among those of the RangeQuery, which may lie in another group.
// bookahead.Explain and Openings ask so. The error wraps bookahead.ErrInvalid if w is empty, or the names
// are none of a request; nil stands for all servers. O(m log n + s) for m names.
func (v *Within) Among(named []int, w bookahead.Interval) (bookahead.Availability, error) {
	w, err := v.x.s.Window(w)
	if err == nil {
		err = v.check()
	}
	if err == nil && named != nil {
		_, _, err = v.x.s.Starts(bookahead.Request{Duration: 1, Units: 1, Servers: named})
		if errors.Is(err, bookahead.ErrUnavailable) { // the clock alone is in the way
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

// Viewed returns the tree that the view is of.
func (v *Within) Viewed() bookahead.Schedule { return v.x }

// Frame returns the limits of the view, as a grid.Broker asks for them: those of the tree, with the
// greatest number of servers that are open now and lie together as the Capacity. O(N + s) for N servers,
// and s of all groups.
func (v *Within) Frame() bookahead.Frame {
	f := v.x.Frame()
	open := bitset.New(uint(f.Servers))
	for k := range f.Servers {
		open.SetTo(uint(k), v.x.s.IsOpen(k))
	}
	f.Capacity = int64(len(v.largest(open)))
	return f
}

// check returns an error if the tree has been restored, and has fewer servers now than the groups name.
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

// rooms yields the free servers of each group, or if they are to be adjacent the rows of free servers, in
// the order of the groups, then of the indices. The slice is overwritten by the next.
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

// free returns the servers that are free throughout w, of those named or of all.
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

// beginning yields the idle periods that begin after first and by last and have the length d at least,
// by start, of the servers named or of all. Those that end before first + d may be left out.
func (x *tree) beginning(named []int, first, last, d bookahead.Time, yield func(Period) bool) {
	if named == nil {
		x.index.root.ascend(span{after: first, by: last, end: first + d, length: d}, yield)
		return
	}
	m := x.merged(named, first, last)
	for p, ok := m.pull(); ok; p, ok = m.pull() {
		if p.End-p.Start >= d && !yield(p) {
			return
		}
	}
}
