package desk

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/account"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// spot is the place of a shape: where each part lies, and on which schedule.
type spot struct {
	shape  int
	places []Place
	on     []int32
}

// end returns the end of the last part.
func (x *spot) end() bookahead.Time { return spanOf(x.places).End }

// shapeOf returns the shape that a request has in the place.
func (x *spot) shapeOf(r *Request) Shape {
	laid := r.laid(x.places)
	return laid.Shapes[x.shape]
}

// find returns the place of a request: the place of the shape that ends first. It is a query. The error is
// bookahead.ErrUnavailable, or wraps bookahead.ErrInvalid.
func (s *trial) find(r *Request) (best spot, err error) {
	refused := error(bookahead.ErrUnavailable)
	for i, shape := range r.Shapes {
		if !r.inTime(shape) {
			continue
		}
		x, err := s.findOne(r, i)
		if err == bookahead.ErrUnavailable {
			continue
		}
		if err != nil {
			return spot{}, fmt.Errorf("desk: Request.Shapes[%d]: %w", i, err)
		}
		if refused != nil || x.end() < best.end() {
			best, refused = x, nil
			best.shape = i
		}
	}
	return best, refused
}

// findOne returns the place of one of the shapes of a request, or the plan of work that bends.
func (s *trial) findOne(r *Request, shape int) (spot, error) {
	if r.bent() {
		return s.bend(r)
	}
	return s.findShape(r, r.Shapes[shape])
}

// findShape returns the place of a shape: the first place, or if a quota counts two of its steps together, a place with
// fixed distances between the steps (keepJoint in gaps.go).
func (s *trial) findShape(r *Request, shape Shape) (spot, error) {
	// One part on one schedule, as most requests have, needs no steps.
	if len(shape) == 1 && shape[0].Offset == 0 {
		at := s.at(s.names[shape[0].On])
		if at.of == nil && !s.isRelaxed(&shape[0]) {
			return s.findPatient(r, &shape[0], at)
		}
	}
	steps := s.steps(r, shape)
	err := s.pad(r, steps)
	if err == nil {
		err = chain(steps, r.Ready, s.now, s.meter)
	}
	if err == nil {
		joint := s.jointQuotas(r, shape)
		if len(joint) > 0 {
			err = s.keepJoint(joint, r, steps)
		}
	}
	if err != nil {
		return spot{}, notBefore(steps[0].from, err)
	}
	x := spot{places: make([]Place, 0, len(shape)), on: make([]int32, 0, len(shape))}
	for _, st := range steps {
		err := st.add(s, &x)
		if err != nil {
			return spot{}, err
		}
	}
	return x, nil
}

// notBefore adds to the error of a search that was given up how far it came.
func notBefore(start bookahead.Time, err error) error {
	if errors.Is(err, bookahead.ErrStopped) {
		return fmt.Errorf("no place starts before %d: %w", start, err)
	}
	return err
}

// findPart is findShape for a shape of one part on one schedule, which needs neither steps nor a CoSearch.
func (s *trial) findPart(r *Request, p *Part, at *schedule) (spot, error) {
	x := spot{places: make([]Place, 1), on: []int32{s.names[p.On]}}
	var err error
	t := s.terms(at)
	if t == nil {
		x.places[0], err = s.search(at, p, r.Ready, r.Deadline, p.Duration)
		return x, err
	}
	x.places[0], err = t.search(r, p, s.now, s.meter, func(ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
		if s.isRelaxed(p) {
			o, err := (&alwaysFree{s.now}).Search(bookahead.Request{Ready: ready, Deadline: deadline, Duration: length, Units: p.Units})
			return Place{Interval: o.Interval}, err
		}
		return s.search(at, p, ready, deadline, length)
	})
	return x, err
}

// search returns the earliest place of some length for the units of a part, and counts the search.
func (s *trial) search(at *schedule, p *Part, ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
	err := s.spend(at, p.Units)
	if err != nil {
		return Place{}, err
	}
	place, err := at.Search(p.within(ready, deadline, length), p.Tasks)
	place.On = p.On
	return Place(place), err
}

// within returns the request for the units of a part.
func (p *Part) within(ready, deadline bookahead.Time, length bookahead.Duration) bookahead.Request {
	return bookahead.Request{Ready: ready, Deadline: deadline, Duration: length, Units: p.Units, Servers: p.Servers}
}

// step is the parts of a shape that start at fixed distances from each other.
type step struct {
	job    grid.Job
	parts  []Part
	on     []int32            // the schedule of each part, or its broker
	eased  []bool             // whether the units of the part are always free; nil if none are
	length bookahead.Duration // from its start to the end of its last part
	gap    Gap                // after the step before
	plan   grid.Plan
	from   bookahead.Time // no start before this one will do
	claims account.Claims // of this step alone
	free   bool           // only the claims bind it, as if all schedules had room

	meter *effort.Meter
	cost  int64 // of a search of the schedule of a part, in steps of the meter: the largest of all parts

	request *Request
	terms   []*Terms           // of each part; nil if no schedule has any
	lead    bookahead.Duration // how long before the step its job begins, with a buffer
	whole   bookahead.Duration // from the start of the job to the end of the last buffer
	apart   []apart            // the buffers between parts of steps before and parts of this one
}

// steps divides a shape. Each step has the claims of its own parts, even on a quota that counts several steps: no step may
// break the quota alone, and keepJoint looks at all together.
func (s *trial) steps(r *Request, shape Shape) []*step {
	var list []*step
	for i := range shape {
		p := &shape[i]
		if i == 0 || p.After != nil {
			st := &step{job: grid.Job{Deadline: r.Deadline}, request: r, meter: s.meter}
			if p.After != nil {
				st.gap = *p.After
			}
			list = append(list, st)
		}
		st := list[len(list)-1]
		k := s.names[p.On]
		at := s.at(k)
		part := grid.Part{Offset: p.Offset, Duration: p.Duration, Units: p.Units, Servers: p.Servers}
		part.On = brokered{s, at.of, p, r}
		if at.of == nil {
			part.On = s.member(at, p)
		}
		st.job.Parts = append(st.job.Parts, part)
		st.parts, st.on = append(st.parts, *p), append(st.on, k)
		if s.relaxed != nil {
			st.eased = append(st.eased, s.isRelaxed(p))
		}
		st.length = max(st.length, p.Offset+p.Duration)
		st.cost = max(st.cost, at.Steps(p.Units))
	}
	for _, st := range list {
		st.claims = s.quotaClaims(s.rules, r, st.parts)
	}
	return list
}

// search finds the earliest start from st.from on that the schedules, their terms and the quotas allow.
func (st *step) search(now bookahead.Time) error {
	for {
		var err error
		if st.free {
			st.plan.Start = st.from
		} else {
			err = st.seek(now)
		}
		if err != nil || len(st.claims) == 0 {
			return err
		}
		// The quotas may allow only a later start, which is a lower bound of all that remain: the schedules go on there.
		next, err := st.claims.Next(st.plan.Start, lastStart(st.request.Deadline, st.length), st.meter)
		if err != nil || next == st.plan.Start {
			return err
		}
		st.from = next
	}
}

// chain finds the earliest start of each step. Two steps that follow each other bound each other from below:
//
//	start of step 1  ≥  end of step 0 + Least
//	start of step 0  ≥  start of step 1 - Most - length of step 0
//
// So the steps leap in turn to the next start that has room, until no bound is broken. Here step 0 needs a line for 3
// ticks, and step 1 needs all GPUs for 4 ticks, 1 to 5 ticks later. The line is booked from 5 to 8, the GPUs until 12:
//
//	step 0 from 0:   at 0     ends at 3, so step 1 is searched for from 4 on
//	step 1 from 4:   at 12    9 ticks after 3, which is too late, so step 0 comes at 12 - 5 - 3 = 4 or later
//	step 0 from 4:   at 8     the line is booked from 5 on; it ends at 11
//	step 1 from 12:  at 12    1 tick after 11: no bound is broken
//
// Each bound holds in every place, since no step of any place starts before the bounds of that moment. So each start found
// is the earliest of all places, even that of the last step: a later start of one step lets no other start earlier.
//
// A chain that leaps very often is asked now and then whether its quotas will ever agree.
func chain(steps []*step, ready, now bookahead.Time, m *effort.Meter) error {
	steps[0].from = ready
	for i, leaps := 0, 1; i < len(steps); leaps++ {
		if !m.Spend(account.StepsOfLeap) {
			return m.Err()
		}
		if leaps >= manyLeaps && leaps&(leaps-1) == 0 && neverAgree(steps, now, m) {
			return bookahead.ErrUnavailable
		}
		st := steps[i]
		if i > 0 {
			before := steps[i-1]
			if before.end() > bookahead.MaxTime-bookahead.Time(st.gap.Least) {
				return bookahead.ErrUnavailable
			}
			st.from = max(st.from, before.end()+bookahead.Time(st.gap.Least))
		}
		for _, x := range st.apart {
			from, ok := x.from(steps)
			if !ok {
				return bookahead.ErrUnavailable
			}
			st.from = max(st.from, from)
		}
		err := st.search(now)
		if err != nil {
			return err
		}
		// No earlier start will do later on, since the bounds only rise.
		st.from = st.plan.Start
		if i == 0 {
			i++
			continue
		}
		before := steps[i-1]
		wait := bookahead.Duration(st.plan.Start - before.end())
		if wait <= st.gap.Most {
			i++
			continue
		}
		// The wait is too long by wait - Most ticks, so the step before has to come later by as many.
		before.from = before.plan.Start + bookahead.Time(wait-st.gap.Most)
		i--
	}
	return nil
}

// manyLeaps is how many leaps a chain takes before neverAgree is asked for the first time; later it is asked each time that
// they have doubled.
const manyLeaps = 1 << 12

// end returns when the step is over.
func (st *step) end() bookahead.Time { return st.plan.Start + bookahead.Time(st.length) }

// add adds the places of a step that has a plan.
func (st *step) add(s *trial, x *spot) error {
	for i, p := range st.parts {
		o := st.plan.Parts[i]
		place := Place{On: p.On, Interval: o.Interval, Units: p.Units, Servers: o.Servers, Head: -1}
		k := st.on[i]
		of := s.at(k).of
		if st.eased != nil && st.eased[i] {
			// The part lies on no schedule, and has only a time.
		} else if of != nil {
			var err error
			k, place, err = s.choose(st.request, of, p, o)
			if err != nil {
				return err
			}
		} else if s.at(k).Machine() != nil {
			n := st.plan.Nodes[i]
			place.Nodes, place.Head, place.Servers = n.Tasks, n.Head, nil
		}
		if st.terms != nil && st.terms[i] != nil {
			place = st.terms[i].around(place, st.plan.Start+bookahead.Time(p.Offset), p.Duration)
		}
		x.places, x.on = append(x.places, place), append(x.on, k)
	}
	return nil
}

// isRelaxed reports whether the units of a part are always free on the trial. The part is one of the request itself and no
// copy, since relaxed has addresses.
func (s *trial) isRelaxed(p *Part) bool { return slices.Contains(s.relaxed, p) }

// member returns a schedule as a grid.Member for a part of a step.
func (s *trial) member(at *schedule, p *Part) grid.Member {
	if s.isRelaxed(p) {
		return &alwaysFree{s.now}
	}
	return at.Member(p.Tasks)
}

// alwaysFree is the schedule of a part whose units are always free: it has room at any time from the clock on, also beyond the
// horizon. Each part has an alwaysFree of its own, so that grid.CoSearch does not search for two parts together.
type alwaysFree struct{ now bookahead.Time }

// Search implements grid.Member.
func (x *alwaysFree) Search(r bookahead.Request) (bookahead.Offer, error) {
	start := max(r.Ready, x.now)
	last := bookahead.MaxTime
	if r.Deadline != 0 {
		last = r.Deadline
	}
	if start > last-bookahead.Time(r.Duration) {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}, Units: r.Units}, nil
}

// Reserve and Release implement grid.Member; a trial books nothing through it.
func (x *alwaysFree) Reserve(bookahead.Request) (bookahead.Reservation, error) {
	return bookahead.Reservation{}, limits.Invalid("part", "eased", "is searched only")
}

func (x *alwaysFree) Release(bookahead.ID) error { return bookahead.ErrNotFound }
