package main

import (
	"math/bits"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
)

// halfHours is how far waits are counted, as far as Figure 6 goes.
const halfHours = 28

// mean is the mean of some values.
type mean struct {
	n   int
	sum float64
}

func (m *mean) add(x float64) { m.n++; m.sum += x }

// value is NaN if there are none.
func (m mean) value() float64 { return m.sum / float64(m.n) }

// summary is what the figures show of a run. A delay is the time from the
// submission to the start; a wait begins at the ready time, and is the same for
// what is not booked ahead. Times are hours.
type summary struct {
	sim.Metrics
	delay   float64            // mean
	longest float64            // delay
	within  [halfHours]float64 // share of the jobs whose delay is less than 1, 2, ... half hours
	short   mean               // temporal penalty of jobs of less than two hours
	medium  mean               // and of two to ten hours
	lengths []sim.Class        // temporal penalty by hours of duration (Fig. 3)
	sizes   []sim.Class        // wait in hours by size: class k has those in (2^(k-1), 2^k] (Fig. 5)
	tries   []sim.Class        // attempts by size, in groups of 50 (Table 2)
	trials  float64            // attempts, mean

	operations float64 // per request, of the search; NaN if they are not counted
	took       time.Duration
}

func summarise(r sim.Result) *summary {
	s := &summary{Metrics: r.Metrics()}
	var delay, trials mean
	for i, o := range r.Outcomes {
		trials.add(float64(o.Attempts))
		if o.Rejected {
			continue
		}
		t := &r.Tasks[i]
		d := hours(float64(o.Start - t.Submit))
		delay.add(d)
		s.longest = max(s.longest, d)
		for k := int(2 * d); k < halfHours; k++ {
			s.within[k]++
		}
		switch length := bookahead.Duration(t.Estimate); {
		case length < 2*hour:
			s.short.add(r.Temporal(i))
		case length < 10*hour:
			s.medium.add(r.Temporal(i))
		}
	}
	for k := range s.within {
		s.within[k] /= float64(delay.n)
	}
	s.delay, s.trials = delay.value(), trials.value()
	s.lengths = r.TemporalPenalty(hour)
	s.sizes = r.Classes(1,
		func(i int) int64 { return int64(bits.Len64(uint64(r.Tasks[i].Units - 1))) },
		func(i int) float64 { return hours(float64(r.Wait(i))) })
	s.tries = r.Classes(50,
		func(i int) int64 { return r.Tasks[i].Units },
		func(i int) float64 { return float64(r.Outcomes[i].Attempts) })
	return s
}

func hours(ticks float64) float64 { return ticks / hour }

// under is the share of the jobs whose delay is less than so many hours, a
// multiple of a half.
func (s *summary) under(h float64) float64 { return s.within[int(2*h)-1] }

// between is the share of the jobs whose delay lies in [from, to) hours.
func (s *summary) between(from, to float64) float64 { return s.under(to) - s.under(from) }
