package idletree

import (
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
