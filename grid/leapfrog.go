package grid

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// search is a job that is looked for. Its demands are fulfilled at a start
// independently of each other, unless they belong to a team.
type search struct {
	Job
	last    bookahead.Time // start that the deadline allows
	demands []demand
	teams   []team
	tooMany bool // units for the servers named, or for an int64
}

// demand is what has to be free on a member, at a distance from the job's start.
type demand struct {
	Part
	part  int             // of the job; of several that are asked for together, the first
	joint bool            // so there are others
	alone bool            // it is the part itself, which nothing is in the way of
	offer bookahead.Offer // for the last start it was asked for
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
	if err := s.split(); err != nil {
		return nil, err
	}
	if s.tooMany {
		return nil, bookahead.ErrUnavailable
	}
	// What is hardest to place leaps furthest, and is asked first.
	slices.SortStableFunc(s.demands, func(x, y demand) int { return cmp.Compare(y.area(), x.area()) })
	return s, nil
}

// checkServers returns an error that wraps bookahead.ErrInvalid if the part with index i names
// servers that its member has not, whatever is booked, so far as the member tells its Frame.
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
	if k := slices.Max(p.Servers); k >= has {
		return limits.Invalid(field(), k, fmt.Sprintf("is not below the %d servers of the member", has))
	}
	return nil
}

// earliest goes from start to start until nothing is left to be desired.
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
		if d := &s.demands[i]; d.alone {
			plan.Parts[d.part] = d.offer
		}
	}
	for i, p := range s.Parts {
		if plan.Parts[i].Empty() { // one of several on a pool
			plan.Parts[i] = bookahead.Offer{Interval: p.window(plan.Start), Units: p.Units}
		}
	}
	return plan, nil
}

// leapfrog returns the first start from t on at which each demand can be
// fulfilled on its own. Each start that is looked at is a bound: nothing earlier
// fits the member that named it.
func (s *search) leapfrog(t bookahead.Time) (bookahead.Time, error) {
	for k, named := 0, -1; k < len(s.demands); k++ {
		if k == named { // the start itself
			continue
		}
		d := &s.demands[k]
		o, err := s.ask(d.Part, t)
		if err != nil {
			return 0, d.explain(err)
		}
		d.offer = o
		if start := o.Start - bookahead.Time(d.Offset); start > t {
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
		if r.Deadline <= 0 { // 0 would be none
			return bookahead.Offer{}, bookahead.ErrUnavailable
		}
	}
	return earliest(p.On, r)
}

// earliest returns the first place that a member has. A Broker is asked for the first
// at any of its providers, whatever its policy would choose: that chooses when the
// part is booked.
func earliest(m Member, r bookahead.Request) (o bookahead.Offer, err error) {
	type leaper interface {
		earliest(bookahead.Request) (bookahead.Offer, error)
	}
	if s, ok := m.(bookahead.Schedule); ok && bookahead.View(s, func(l leaper) { o, err = l.earliest(r) }) {
		return o, err
	}
	return m.Search(r)
}

// area is a measure of how hard the demand is to place.
func (d *demand) area() float64 { return float64(d.Units) * float64(d.Duration) }

// window returns when the part runs if the job starts at t.
func (p Part) window(t bookahead.Time) bookahead.Interval {
	start := t + bookahead.Time(p.Offset)
	return bookahead.Interval{Start: start, End: start + bookahead.Time(p.Duration)}
}

// explain says which part it is that cannot be had, unless it just does not fit.
func (d *demand) explain(err error) error {
	switch {
	case errors.Is(err, bookahead.ErrUnavailable):
		return bookahead.ErrUnavailable
	case d.joint:
		return fmt.Errorf("grid: Job.Parts[%d] and those that it overlaps: %w", d.part, err)
	}
	return fmt.Errorf("grid: Job.Parts[%d]: %w", d.part, err)
}
