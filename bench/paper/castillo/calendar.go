package main

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

const (
	hour = 3600 // ticks
	day  = 24 * hour
	// horizon is H: room for the longest wait and the longest job of all logs.
	horizon bookahead.Duration = 180 * day
	// slot is τ, and the Δt of the paper.
	slot bookahead.Duration = 15 * 60
	// attempts is R_max = Q/2, and patience the longest wait that they allow for.
	attempts = int(horizon / slot / 2)
	patience = bookahead.Duration(attempts-1) * slot
)

// calendar is a schedule that counts the efforts of its searches. Each search finds a start
// within patience. A calendar without find makes no searches.
type calendar struct {
	bookahead.Schedule
	find       func(r bookahead.Request) (o bookahead.Offer, attempts int, err error)
	attempts   []int // starts tried, of each search
	operations int   // tree nodes read by all searches; 0 if they are not counted
}

// opener opens a calendar at an origin.
type opener func(units int64, origin bookahead.Time) (*calendar, error)

// Search implements bookahead.Schedule.
func (c *calendar) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, tried, err := c.find(r)
	c.attempts = append(c.attempts, tried)
	return o, err
}

// stepped opens the structure as published: a tree of idle periods for each slot. It
// tries starts that are step apart, until a job has waited for as long as R_max steps
// of the paper take.
func stepped(step bookahead.Duration) opener {
	return func(units int64, origin bookahead.Time) (*calendar, error) {
		s, err := idletree.NewSlotted(units, idletree.SlottedConfig{
			Origin: origin, Horizon: horizon, Slot: slot, Step: step, Attempts: int(patience/step) + 1,
		})
		c := &calendar{Schedule: s}
		c.find = func(r bookahead.Request) (bookahead.Offer, int, error) {
			o, effort, err := s.Trace(r)
			c.operations += effort.Visits
			return o, effort.Attempts, err
		}
		return c, err
	}
}

// fromBoundaries opens the same calendar, but its first attempt of each search is at a
// boundary of slots:
//
//	slots     |         |         |         |
//	attempts       r    1         2         3     r is the ready time
func (open opener) fromBoundaries() opener {
	return func(units int64, origin bookahead.Time) (*calendar, error) {
		c, err := open(units, origin)
		if err != nil {
			return nil, err
		}
		from := c.find
		c.find = func(r bookahead.Request) (bookahead.Offer, int, error) {
			into := bookahead.Duration(r.Ready-origin) % slot
			if into > 0 {
				r.Ready += bookahead.Time(slot - into)
			}
			return from(r)
		}
		return c, nil
	}
}

// openExact opens one tree, which finds the earliest start there is.
func openExact(units int64, origin bookahead.Time) (*calendar, error) {
	t, err := idletree.NewTree(units, idletree.Config{Origin: origin, Horizon: horizon})
	return &calendar{Schedule: t, find: func(r bookahead.Request) (bookahead.Offer, int, error) {
		r.Deadline = r.Ready + bookahead.Time(patience+r.Duration)
		o, err := t.Search(r)
		return o, 1, err
	}}, err
}

// openStepping opens the one tree of the exact search for the attempts of the
// published structure, and takes the same servers. It does not count operations.
func openStepping(units int64, origin bookahead.Time) (*calendar, error) {
	c, err := openExact(units, origin)
	c.find = func(r bookahead.Request) (bookahead.Offer, int, error) { return leap(c.Schedule, r) }
	return c, err
}

// openEASY opens a pool for batch tasks. EASY plans with the same durations as the other
// schedulers.
func openEASY(units int64, origin bookahead.Time) (*calendar, error) {
	pool, err := carts.NewIndexed(units, carts.Config{Origin: origin})
	return &calendar{Schedule: pool}, err
}

// leap finds the start of the published search among ready, ready + slot, ... Trying each
// of these starts would take thousands of searches where waits are long. So leap asks for
// the earliest start of all, and goes on with the first attempt that is not before it: the
// attempts between must fail.
//
//	attempts   1     2     3     4
//	           |     |     |     |
//	busy   ───────────────────┐  :          earliest start
//	                          ^──^          attempt 4 is the next one to try
func leap(s bookahead.Schedule, r bookahead.Request) (bookahead.Offer, int, error) {
	ready := r.Ready
	for {
		o, err := s.Search(r)
		if err != nil {
			return o, attempts, err
		}
		steps := int((bookahead.Duration(o.Start-ready) + slot - 1) / slot)
		if steps >= attempts {
			return bookahead.Offer{}, attempts, bookahead.ErrUnavailable
		}
		r.Ready = ready + bookahead.Time(steps)*bookahead.Time(slot)
		if o.Start == r.Ready {
			return o, steps + 1, nil
		}
	}
}
