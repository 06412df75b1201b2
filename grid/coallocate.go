package grid

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Member is what a part of a job is booked on: any bookahead.Schedule, or what
// finds and books places in a way of its own, such as a path through a network, or a Gang
// on the nodes of a machine.
// It is searched only forwards, and keeps the laws of a Schedule so far as they
// concern these methods.
type Member interface {
	Search(r bookahead.Request) (bookahead.Offer, error)
	Reserve(r bookahead.Request) (bookahead.Reservation, error)
	Release(id bookahead.ID) error
}

// Part is one of several bookings that belong together.
type Part struct {
	// On is where it is booked.
	On Member
	// Offset is how long after the job it starts, in ticks; at least 0.
	Offset bookahead.Duration
	// Duration is how long its units are held, in ticks; at least 1.
	Duration bookahead.Duration
	// Units is how many are held; at least 1.
	Units int64
	// Servers limits the choice to those named, as in bookahead.Request.
	Servers []int
}

// Job is a set of parts that start at fixed distances from each other: at once,
// or one when another has ended.
type Job struct {
	// Ready is the first tick at which the job may start. No part starts before
	// its member's clock, whatever the job's start is.
	Ready bookahead.Time
	// Deadline is the tick by which all parts have ended; 0 for none but the
	// members' horizons.
	Deadline bookahead.Time
	// Parts may lie on different members, or several on one. Their order is that
	// in which they are booked.
	Parts []Part
}

// Plan is a place for all parts of a job.
type Plan struct {
	Start bookahead.Time
	Parts []bookahead.Offer // in the order of the job's
	// Nodes says, for each part that is on a Gang, by its index, which nodes it gets.
	Nodes map[int]nodes.Offer
}

// Allocation is a job that has been booked. It is good for the process that booked it:
// made again from its exported fields, it has no members to ask, and its methods return
// an error.
type Allocation struct {
	Start bookahead.Time
	Parts []bookahead.Reservation // in the order of the job's
	// Nodes has, for each part that is on a Gang, by its index, the reservation of the machine
	// as it was booked. It has the ID that the part has.
	Nodes   map[int]nodes.Reservation
	members []Member
}

// CoSearch returns the earliest place for all parts of the job, and books nothing. It
// asks one member after the other for its earliest start, and goes on from there, until
// all agree (leapfrogging). It returns bookahead.ErrUnavailable if there is no place, also
// if parts that overlap have more units than the servers that they name.
//
// Parts on one member that overlap are looked for together: if it is a pool, the
// sum of what they hold at each tick; if it has servers, as many for each part, by
// bipartite matching. For that the member must be a Schedule, the same value in
// each part, and no Broker, which may place each part elsewhere. A Broker beside one
// of its own providers is refused for the same reason, and so are members that share a
// schedule through a lock, a Binder or views (idletree.Within). On one view, servers that must lie together
// are not matched. Others are matched only if all of the
// parts overlap each other; a chain, of which the first and the last do not meet, is
// refused. Parts that name servers, and not the same ones, are never in each other's way.
// A machine of nodes takes one part of a job: see Gang.
//
// The start is the earliest if members are exact to the tick. Where a member
// tries starts at a distance of each other, an earlier one may be missed; where it
// rounds bookings to slots, parts on it that do not overlap but share a slot may
// turn out not to fit, and CoAllocate then returns bookahead.ErrUnavailable.
//
// The error wraps bookahead.ErrInvalid if no state of a member makes sense of a part. O(k p) searches
// for p parts and k starts at which one is found wanting, and O(s u) for each start at
// which s servers are matched to parts of u units. Each Gang is asked once more, for its nodes.
func CoSearch(j Job) (Plan, error) {
	plan, err := coSearch(j)
	if err == nil {
		err = plan.place(j)
	}
	if err != nil {
		return Plan{}, err
	}
	return plan, nil
}

// coSearch is CoSearch without the nodes.
func coSearch(j Job) (Plan, error) {
	s, err := newSearch(j)
	if err != nil {
		return Plan{}, err
	}
	return s.earliest()
}

// CoAllocate books all parts of the job at the place that CoSearch finds: all of
// them or none. If a part cannot be booked nevertheless, because its member is
// used by others or fails, those before it are given back. If another was quicker, the
// job is looked for again, three times at most; otherwise the error is returned. A part
// that cannot be given back is named, and joined to it. The next IDs are all that is
// left of what was given back. A CoSearch, and a Reserve for each part.
func CoAllocate(j Job) (Allocation, error) {
	for range 1 + races {
		plan, err := coSearch(j)
		if err != nil {
			return Allocation{}, err
		}
		a, err := plan.book(j)
		if err != bookahead.ErrUnavailable {
			return a, err
		}
	}
	return Allocation{}, bookahead.ErrUnavailable
}

// races is how often another may be quicker.
const races = 3

// book books all parts where the plan has them, or none.
func (plan Plan) book(j Job) (Allocation, error) {
	n := len(plan.Parts)
	a := Allocation{Start: plan.Start, Parts: make([]bookahead.Reservation, 0, n), members: make([]Member, 0, n)}
	for i, o := range plan.Parts {
		res, err := j.Parts[i].On.Reserve(o.Request())
		if err != nil {
			return Allocation{}, a.undo(i, err)
		}
		a.Parts, a.members = append(a.Parts, res), append(a.members, j.Parts[i].On)
		err = a.place(i)
		if err != nil {
			return Allocation{}, a.undo(i, err)
		}
	}
	return a, nil
}

// undo gives back what has been booked when part i could not be.
func (a Allocation) undo(i int, why error) error {
	if why != bookahead.ErrUnavailable {
		why = fmt.Errorf("grid: Parts[%d]: %w", i, why)
	}
	all := []error{why}
	for k, res := range a.Parts {
		if err := a.members[k].Release(res.ID); err != nil {
			all = append(all, stuck(k, res, err))
		}
	}
	if len(all) == 1 {
		return why
	}
	return errors.Join(all...)
}

func stuck(k int, res bookahead.Reservation, err error) error {
	return fmt.Errorf("grid: Parts[%d] is still booked as %v: %w", k, res, err)
}

// check returns an error that wraps bookahead.ErrInvalid unless each part has the
// member on which it was booked.
func (a Allocation) check() error {
	if len(a.Parts) != len(a.members) {
		return limits.Invalid("Allocation.Parts", len(a.Parts), fmt.Sprintf("are not the %d that CoAllocate has booked", len(a.members)))
	}
	return nil
}

// Release gives back all parts, or the rest of those that run. It returns
// bookahead.ErrNotFound if all have ended or been released, and an error that wraps
// bookahead.ErrInvalid if the Allocation is not one that CoAllocate has
// returned. A part that cannot be given back is named, and the others are. A Release
// for each part.
func (a Allocation) Release() error {
	if err := a.check(); err != nil {
		return err
	}
	var failed []error
	gone := 0
	for k, res := range a.Parts {
		switch err := a.members[k].Release(res.ID); {
		case err == bookahead.ErrNotFound:
			gone++
		case err != nil:
			failed = append(failed, stuck(k, res, err))
		}
	}
	if gone == len(a.Parts) {
		return bookahead.ErrNotFound
	}
	return errors.Join(failed...)
}

// validate checks what does not depend on the members, and returns the last start
// that the deadline allows.
func (j Job) validate() (last bookahead.Time, err error) {
	if len(j.Parts) == 0 {
		return 0, limits.Invalid("Job.Parts", 0, "are too few")
	}
	var span bookahead.Time // from the start to the last end
	for i, p := range j.Parts {
		name := func() string { return fmt.Sprintf("Job.Parts[%d]", i) } // which most jobs never need
		if limits.IsNil(p.On) {
			return 0, limits.CheckNil(name()+".On", p.On)
		}
		if p.Offset < 0 {
			return 0, limits.Invalid(name()+".Offset", int64(p.Offset), "is negative")
		}
		r := bookahead.Request{Ready: bookahead.Time(p.Offset), Duration: p.Duration, Units: p.Units, Servers: p.Servers}
		if err := r.Validate(); err != nil {
			return 0, fmt.Errorf("grid: %s: %w", name(), err)
		}
		span = max(span, bookahead.Time(p.Offset)+bookahead.Time(p.Duration))
	}
	switch {
	case j.Ready > bookahead.MaxTime-span:
		return 0, limits.Invalid("Job.Ready", int64(j.Ready), fmt.Sprintf("plus the %d ticks of the parts overflows", span))
	case j.Deadline == 0:
		return bookahead.MaxTime - span, nil
	case j.Deadline < j.Ready+span:
		return 0, limits.Invalid("Job.Deadline", int64(j.Deadline), fmt.Sprintf("is before Ready + the %d ticks of the parts", span))
	}
	return j.Deadline - span, nil
}
