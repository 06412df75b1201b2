package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/trace"
)

// room is the small interface that each peer implements: the free units over time.
type room interface {
	// Search returns the earliest start from first to last at which n units are free for d
	// ticks. n is at most the capacity.
	Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool)
	// Take books a place, which is free. The ID is unique.
	Take(bookahead.ID, bookahead.Offer)
	// Give gives back the part of a place that lies ahead of now.
	Give(id bookahead.ID, o bookahead.Offer, now bookahead.Time)
	// Forget drops the part before now. Nothing before now is asked for again.
	Forget(now bookahead.Time)
}

// counter is a trace.Planner that has a peer behind it. It does the work that all peers share: it
// cuts requests to the clock and the horizon, and remembers bookings by ID.
type counter struct {
	room
	trace.Header
	now  bookahead.Time
	held []bookahead.Offer // by ID, less 1
}

// Search implements trace.Planner.
func (c *counter) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last := max(r.Ready, c.now), bookahead.MaxTime
	if c.Horizon > 0 {
		last = c.now + bookahead.Time(c.Horizon)
	}
	if r.Deadline != 0 {
		last = min(last, r.Deadline)
	}
	d := bookahead.Time(r.Duration)
	last -= d
	if first > last || r.Units > c.Capacity {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	t, ok := c.room.Search(first, last, d, r.Units)
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return bookahead.Offer{Interval: bookahead.Interval{Start: t, End: t + d}, Units: r.Units}, nil
}

// Reserve implements trace.Planner.
func (c *counter) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := c.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	c.held = append(c.held, o)
	id := bookahead.ID(len(c.held))
	c.Take(id, o)
	return bookahead.Reservation{ID: id, Offer: o}, nil
}

// Release implements trace.Planner. A trace releases nothing twice, and nothing that is over.
func (c *counter) Release(id bookahead.ID) error {
	c.Give(id, c.held[id-1], c.now)
	return nil
}

// Advance implements trace.Planner.
func (c *counter) Advance(now bookahead.Time) error {
	if now > c.now {
		c.now = now
		c.Forget(now)
	}
	return nil
}

// behind returns the Opener of a peer, which fill makes of the reservations that are booked from the start.
func behind(fill func(h trace.Header, booked []bookahead.Offer) (room, error)) trace.Opener {
	return func(h trace.Header, booked []bookahead.Offer) (trace.Planner, []bookahead.ID, error) {
		r, err := fill(h, booked)
		if err != nil {
			return nil, nil, err
		}
		return &counter{room: r, Header: h, now: h.Origin, held: slices.Clone(booked)}, inOrder(len(booked)), nil
	}
}

// inOrder returns the IDs from 1 to n.
func inOrder(n int) []bookahead.ID {
	ids := make([]bookahead.ID, n)
	for k := range ids {
		ids[k] = bookahead.ID(k + 1)
	}
	return ids
}

// step is a part of the step function of free units: as many are free from its start until the
// next one starts.
type step struct {
	start bookahead.Time
	free  int64
}

// stepsOf returns the steps that bookings leave, in one pass over their edges. The first starts
// at the origin, and neighbours differ.
func stepsOf(h trace.Header, booked []bookahead.Offer) ([]step, error) {
	edges := make([]step, 0, 2*len(booked)) // by how much it changes
	for _, b := range booked {
		edges = append(edges, step{b.Start, -b.Units}, step{b.End, b.Units})
	}
	slices.SortFunc(edges, func(a, b step) int { return cmp.Compare(a.start, b.start) })
	all := []step{{h.Origin, h.Capacity}}
	for i := 0; i < len(edges); {
		at, free := edges[i].start, all[len(all)-1].free
		for ; i < len(edges) && edges[i].start == at; i++ {
			free += edges[i].free
		}
		switch last := &all[len(all)-1]; {
		case free < 0:
			return nil, fmt.Errorf("the booked lines take %d units more than there are at %d", -free, at)
		case at == last.start:
			last.free = free
		case free != last.free:
			all = append(all, step{at, free})
		}
	}
	return all, nil
}
