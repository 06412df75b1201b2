package idletree

import (
	"errors"

	"github.com/bits-and-blooms/bitset"
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

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
