package main

import (
	"cmp"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
)

// summary has the criteria of the paper for a simulation, and a few more. Times are
// seconds.
type summary struct {
	u, f, d     float64 // mean utilisation, flow time and tardiness (§4.3)
	wait        float64 // mean
	makespan    float64
	flowAR      float64   // mean flow time of AR tasks
	flowBatch   float64   // and of batch tasks
	slots, nano float64   // per search that found something; 0 if they were not counted
	daily       []float64 // share of all processors in use, by days
}

// world is both pieces of the log under one seed, understood in one way.
type world struct {
	logs    [2]log
	reading reading
	seed    uint64
	*memory
	instead func(plan) plan // the plan that is simulated in place of another; nil if each is itself
}

// memory has all simulations in a reading.
type memory struct {
	runs map[simulation]*summary
	err  error // the first
}

// simulation is a plan under a seed; under 0 if it does not depend on that.
type simulation struct {
	plan plan
	seed uint64
}

// run simulates a plan, once. If that fails, the summary is empty, and the memory
// keeps the error.
func (w *world) run(p plan) *summary {
	if w.instead != nil {
		p = w.instead(p)
	}
	key := simulation{plan: p}
	if p.chance() || w.logs[p.piece].synthetic {
		key.seed = w.seed
	}
	s := w.runs[key]
	if s == nil {
		var err error
		s, err = w.simulate(p)
		if err != nil {
			s = &summary{}
			w.err = cmp.Or(w.err, fmt.Errorf("%s, %s, %+v: %w", pieces[p.piece].name, w.reading.name, p, err))
		}
		w.runs[key] = s
	}
	return s
}

func (w *world) simulate(p plan) (*summary, error) {
	l := w.logs[p.piece]
	tasks, err := p.tasks(l, w.reading, w.seed)
	if err != nil {
		return nil, err
	}
	c, err := p.config(horizon(tasks), w.seed)
	if err != nil {
		return nil, err
	}
	r, err := sim.Run(c, tasks)
	if err != nil {
		return nil, err
	}
	n := r.Metrics().Rejected
	if n > 0 {
		return nil, fmt.Errorf("%d tasks were turned away", n) // the criteria are for the same tasks
	}
	w.reading.done(l, r)
	s := summarise(r, w.reading.byReady)
	searches := 0
	for _, provider := range c.Providers {
		if p, ok := provider.Schedule.(*probe); ok {
			searches += p.searches
			s.slots += float64(p.slots)
			s.nano += float64(p.took.Nanoseconds())
		}
	}
	s.slots /= float64(max(1, searches))
	s.nano /= float64(max(1, searches))
	return s, nil
}

// horizon is so long that all tasks fit one after the other, wherever each stands in a
// slot.
func horizon(tasks []sim.Task) bookahead.Duration {
	var h bookahead.Duration
	var last bookahead.Time
	for _, t := range tasks {
		h += t.Estimate + longSlot
		last = max(last, t.Ready)
	}
	return h + bookahead.Duration(last)
}

// summarise sums a simulation up, with flow times from the submission or from the
// ready time.
func summarise(r sim.Result, byReady bool) *summary {
	m := r.Metrics()
	s := &summary{
		u: m.Utilisation, d: m.MeanTardiness, wait: m.MeanWait,
		makespan: float64(m.Makespan), daily: daily(r),
	}
	var flow, n [2]float64 // of batch and AR tasks
	for i, o := range r.Outcomes {
		t := &r.Tasks[i]
		from, k := t.Submit, 0
		if byReady {
			from = t.Ready
		}
		if t.AR {
			k = 1
		}
		flow[k] += float64(o.End - from)
		n[k]++
	}
	s.f = (flow[0] + flow[1]) / (n[0] + n[1])
	s.flowBatch, s.flowAR = flow[0]/max(n[0], 1), flow[1]/max(n[1], 1)
	return s
}

// daily is the share of all processors that work, by days from 0 on.
func daily(r sim.Result) []float64 {
	const day = 24 * hour
	var units int64
	for _, n := range r.Units {
		units += n
	}
	var shares []float64
	for i, o := range r.Outcomes {
		for from := o.Start; from < o.End; {
			k := int(from / day)
			to := min(o.End, bookahead.Time(k+1)*day)
			for len(shares) <= k {
				shares = append(shares, 0)
			}
			shares[k] += float64(r.Tasks[i].Units) * float64(to-from) / float64(units*day)
			from = to
		}
	}
	return shares
}
