package grid

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// search is the search for a job. Whether a demand can be met at a start does not depend
// on the other demands, unless they belong to a team.
type search struct {
	Job
	last    bookahead.Time // the last start that the deadline allows
	demands []demand
	teams   []team
	tooMany bool // parts that overlap have more units than servers, or than an int64 holds
	meter   effort.Meter
}

// demand is a number of units that must be free on a member, at a distance from the
// job's start.
type demand struct {
	Part
	part  int             // the index in the job; of several parts, the first
	joint bool            // the demand is of several parts
	alone bool            // the demand is a part that overlaps no other part on its member
	offer bookahead.Offer // for the last start asked for
}

func newSearch(j Job) (*search, error) {
	last, err := j.validate()
	if err != nil {
		return nil, err
	}
	for i, p := range j.Parts {
		if err := p.checkServers(i); err != nil {
			return nil, err
		}
	}
	err = j.checkGangs()
	if err != nil {
		return nil, err
	}
	s := &search{Job: j, last: last, demands: make([]demand, 0, len(j.Parts))}
	s.meter, err = effort.New(j.Effort)
	if err != nil {
		return nil, err
	}
	err = s.split()
	if err != nil {
		return nil, err
	}
	if s.tooMany {
		return nil, bookahead.ErrUnavailable
	}
	// The demand that is hardest to place leaps furthest, and is asked first.
	slices.SortStableFunc(s.demands, func(x, y demand) int { return cmp.Compare(y.area(), x.area()) })
	return s, nil
}

// checkServers returns an error that wraps bookahead.ErrInvalid if part i names servers that its
// member does not have. Members without a Frame are not checked.
func (p Part) checkServers(i int) error {
	m, ok := p.On.(framer)
	if p.Servers == nil || !ok {
		return nil
	}
	field := func() string { return fmt.Sprintf("Job.Parts[%d].Servers", i) }
	has := m.Frame().Servers
	if has == 0 {
		return limits.Invalid(field(), p.Servers, "are named, but a pool has units only")
	}
	k := slices.Max(p.Servers)
	if k >= has {
		return limits.Invalid(field(), k, fmt.Sprintf("is not below the %d servers of the member", has))
	}
	return nil
}

// earliest goes from start to start until all demands are met and all teams have servers.
func (s *search) earliest() (Plan, error) {
	plan := Plan{Start: s.Ready, Parts: make([]bookahead.Offer, len(s.Parts))}
search:
	for {
		t, err := s.leapfrog(plan.Start)
		if err != nil {
			return Plan{}, err
		}
		plan.Start = t
		for _, team := range s.teams {
			if !s.meter.Go(1) {
				return Plan{}, s.meter.Err()
			}
			next, err := team.match(s, t, plan.Parts)
			if err != nil {
				return Plan{}, err
			}
			if next > t {
				plan.Start = next
				continue search
			}
		}
		break
	}
	for i := range s.demands {
		d := &s.demands[i]
		if d.alone {
			plan.Parts[d.part] = d.offer
		}
	}
	for i, p := range s.Parts {
		if plan.Parts[i].Empty() { // the part is one of several on a pool
			plan.Parts[i] = bookahead.Offer{Interval: p.window(plan.Start), Units: p.Units}
		}
	}
	return plan, nil
}

// leapfrog returns the first start from t on at which each demand can be met on its own.
// Each start that it looks at is a bound, because nothing earlier fits the member that
// has named the start. When a demand names a later start, all others are asked again:
//
//	t        demand 0   demand 1   demand 2
//	0        3                                  demand 0 names 3, and need not be asked at 3
//	3        -          8                       demand 1 names 8
//	8        8          -          8            all agree
func (s *search) leapfrog(t bookahead.Time) (bookahead.Time, error) {
	for k, named := 0, -1; k < len(s.demands); k++ {
		if k == named { // this demand has named the start
			continue
		}
		d := &s.demands[k]
		if !s.meter.Go(1) {
			return 0, s.meter.Err()
		}
		o, err := s.ask(d.Part, t)
		if err != nil {
			return 0, d.explain(err)
		}
		d.offer = o
		start := o.Start - bookahead.Time(d.Offset)
		if start > t {
			t, named, k = start, k, -1
		}
	}
	return t, nil
}

// ask searches for a part of a job that starts at t or later.
func (s *search) ask(p Part, t bookahead.Time) (bookahead.Offer, error) {
	if t > s.last {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	r := bookahead.Request{
		Ready:    t + bookahead.Time(p.Offset),
		Duration: p.Duration,
		Units:    p.Units,
		Servers:  p.Servers,
	}
	if s.Deadline != 0 {
		r.Deadline = p.window(s.last).End
		if r.Deadline <= 0 { // 0 would mean no deadline
			return bookahead.Offer{}, bookahead.ErrUnavailable
		}
	}
	return earliest(p.On, r)
}

// earliest returns the first place that a member has. A Broker is asked for the first place
// at any of its providers. Its policy has no say here: it chooses when the part is booked.
func earliest(m Member, r bookahead.Request) (o bookahead.Offer, err error) {
	if s, ok := m.(bookahead.Schedule); ok && bookahead.View(s, func(l leaper) { o, err = l.earliest(r) }) {
		return o, err
	}
	return m.Search(r)
}

// area is units times duration: the larger, the harder the demand is to place.
func (d *demand) area() float64 { return float64(d.Units) * float64(d.Duration) }

// window returns the time in which the part runs if the job starts at t.
func (p Part) window(t bookahead.Time) bookahead.Interval {
	start := t + bookahead.Time(p.Offset)
	return bookahead.Interval{Start: start, End: start + bookahead.Time(p.Duration)}
}

// explain adds to an error which part has caused it, unless the part just does not fit.
func (d *demand) explain(err error) error {
	switch {
	case errors.Is(err, bookahead.ErrUnavailable):
		return bookahead.ErrUnavailable
	case d.joint:
		return fmt.Errorf("grid: Job.Parts[%d] and the parts that it overlaps: %w", d.part, err)
	}
	return fmt.Errorf("grid: Job.Parts[%d]: %w", d.part, err)
}
