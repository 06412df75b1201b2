package grid

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Part is one of several bookings that belong together.
type Part struct {
	// On is the member on which the part is booked.
	On Member
	// Offset is the time from the start of the job to the start of the part, in ticks;
	// at least 0.
	Offset bookahead.Duration
	// Duration is the time for which the units are held, in ticks; at least 1.
	Duration bookahead.Duration
	// Units is the number of units; at least 1.
	Units int64
	// Servers limits the choice to the servers named, as in bookahead.Request.
	Servers []int
}

// Job is a set of parts that start at fixed distances from each other: all at once, or
// one part when another has ended.
type Job struct {
	// Ready is the first tick at which the job may start. No part starts before its
	// member's clock, even if the job starts earlier.
	Ready bookahead.Time
	// Deadline is the tick by which all parts must have ended; with 0, only the
	// horizons of the members bound them.
	Deadline bookahead.Time
	// Parts may lie on different members, or several parts on one member. They are
	// booked in this order.
	Parts []Part
	// Effort limits CoSearch, and CoAllocate. A step is a Search of a member, or a match of servers
	// to parts.
	Effort bookahead.Effort
}

// Plan is a place for all parts of a job.
type Plan struct {
	Start bookahead.Time
	Parts []bookahead.Offer // in the order of the job
	// Nodes has the nodes of each part on a Gang, by the index of the part.
	Nodes map[int]nodes.Offer
	// Spent is the number of steps that the search took. A Plan that comes with an error has nothing else.
	Spent int64
}

// Allocation is a job that has been booked. Only the process that booked it can use its
// methods: an Allocation that was made from its exported fields does not know its
// members, and its methods return an error.
type Allocation struct {
	Start bookahead.Time
	Parts []bookahead.Reservation // in the order of the job
	// Nodes has the machine's reservation, as it was booked, for each part on a Gang, by
	// the index of the part. It has the same ID as the part.
	Nodes   map[int]nodes.Reservation
	members []Member
}

// CoSearch returns the earliest place for all parts of the job, and books nothing. It
// asks one member after the other for its earliest start, and goes on from this start,
// until all members agree (leapfrogging). It returns bookahead.ErrUnavailable if there is
// no place, also if parts that overlap need more servers than they name.
//
// Parts that overlap on one member are searched together. On a pool, CoSearch searches for
// the sum of their units at each tick. On servers, it finds servers for each part by
// bipartite matching. It does so under these conditions, and refuses other parts that
// overlap:
//
//   - The member is a Schedule, and the same value in each part.
//   - It is no Broker, which may place each part elsewhere. For the same reason a Broker
//     beside one of its own providers is refused, and members that share a schedule through
//     a lock, a Binder or views.
//   - It is no idletree.Within: servers that must lie together are not matched.
//   - Servers are matched only if all the parts overlap each other. A chain whose first
//     and last part do not overlap is refused.
//
// Parts that name disjoint servers never stand in each other's way. A machine of nodes
// takes at most one part of a job: see Gang.
//
// The start is the earliest if members are exact to the tick. If a member tries starts in
// steps, an earlier start may be missed. If a member rounds bookings to slots, parts that
// do not overlap but share a slot may not fit together, and CoAllocate then returns
// bookahead.ErrUnavailable.
//
// The error wraps bookahead.ErrInvalid if a part is invalid for its member, whatever is
// booked, and bookahead.ErrStopped if Effort does not suffice. It takes O(k p) searches for p parts and k starts at which a part does not fit,
// and O(s u) for each start at which s servers are matched to parts of u units. Each Gang
// is asked once more, for its nodes.
func CoSearch(j Job) (Plan, error) {
	plan, err := coSearch(j)
	if err == nil {
		err = plan.place(j)
	}
	if err != nil {
		return Plan{Spent: plan.Spent}, err
	}
	return plan, nil
}

// coSearch is CoSearch without the nodes.
func coSearch(j Job) (Plan, error) {
	s, err := newSearch(j)
	if err != nil {
		return Plan{}, err
	}
	plan, err := s.earliest()
	plan.Spent = s.meter.Steps()
	return plan, err
}

// CoAllocate books all parts of the job at the place that CoSearch finds, or none of them.
// If a part cannot be booked nevertheless, because its member is used by others or fails,
// the parts before it are given back. If the reason was bookahead.ErrUnavailable, another
// user was quicker, and CoAllocate searches again, three times at most; any other error is
// returned. If a part cannot be given back, the error names it. Parts that were given back
// leave no trace but higher IDs. It takes a CoSearch, and a Reserve for each part.
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

// races is how often another user may be quicker before CoAllocate gives up.
const races = 3

// book books all parts at their places in the plan, or none.
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

// undo gives back the parts that have been booked, because part i could not be booked.
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
		return limits.Invalid("Allocation.Parts", len(a.Parts), fmt.Sprintf("is not the number of parts that CoAllocate has booked, %d", len(a.members)))
	}
	return nil
}

// Release gives back all parts, and of a running part the rest. It returns
// bookahead.ErrNotFound if all parts have ended or been released, and an error that wraps
// bookahead.ErrInvalid if CoAllocate has not returned this Allocation. If a part cannot be
// given back, the error names it, and the others are given back. It takes a Release for
// each part.
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

// validate checks the fields that do not depend on the members, and returns the last
// start that the deadline allows.
func (j Job) validate() (last bookahead.Time, err error) {
	if len(j.Parts) == 0 {
		return 0, limits.Invalid("Job.Parts", 0, "is less than 1")
	}
	var span bookahead.Time // from the start to the last end
	for i, p := range j.Parts {
		name := func() string { return fmt.Sprintf("Job.Parts[%d]", i) } // a function, as most jobs never need the name
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
