package main

import (
	"github.com/bookahead/bookahead"
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

// effort is what it took to place a request.
type effort struct {
	attempts   int // starts tried
	operations int // nodes of trees read, or servers named looked up; 0 if they are not counted
}

// calendar places requests one after the other, as they come.
type calendar interface {
	bookahead.Schedule
	// place books r within patience. The error is ErrUnavailable if it cannot be.
	place(r bookahead.Request) (bookahead.Reservation, effort, error)
}

// published is the structure as published: a tree of idle periods for each slot,
// and starts in steps.
type published struct{ *idletree.Slotted }

// openPublished tries starts that are step apart, until a job has waited for as
// long as R_max steps of the paper take.
func openPublished(units int64, origin bookahead.Time, step bookahead.Duration) (calendar, error) {
	s, err := idletree.NewSlotted(units, idletree.SlottedConfig{
		Origin: origin, Horizon: horizon, Slot: slot, Step: step, Attempts: int(patience/step) + 1,
	})
	return published{s}, err
}

func (p published) place(r bookahead.Request) (bookahead.Reservation, effort, error) {
	o, e, err := p.Trace(r)
	cost := effort{e.Attempts, e.Visits}
	if err != nil {
		return bookahead.Reservation{}, cost, err
	}
	booked, err := p.Reserve(o.Request())
	return booked, cost, err
}

// exact asks one tree for the earliest start there is.
type exact struct{ *idletree.Tree }

func openExact(units int64, origin bookahead.Time) (calendar, error) {
	t, err := idletree.NewTree(units, idletree.Config{Origin: origin, Horizon: horizon})
	return exact{t}, err
}

func (x exact) place(r bookahead.Request) (bookahead.Reservation, effort, error) {
	r.Deadline = r.Ready + bookahead.Time(patience+r.Duration)
	booked, err := x.Reserve(r)
	return booked, effort{attempts: 1}, err
}
