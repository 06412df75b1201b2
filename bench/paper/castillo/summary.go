package main

import (
	"math"
	"math/bits"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
)

// halfHours is how far waits are counted, as far as Figure 6 goes.
const halfHours = 28

// summary has the numbers of a run that the figures show. A delay is the time from the
// submission to the start. A wait begins at the ready time, which is the submission for
// jobs that are not booked ahead. Times are hours.
type summary struct {
	sim.Metrics
	delay   float64            // mean
	longest float64            // delay
	within  [halfHours]float64 // share of the jobs whose delay is less than 1, 2, ... half hours
	short   typical            // temporal penalty of jobs of less than two hours
	medium  typical            // and of two to ten hours
	lengths []sim.Class        // temporal penalty by hours of duration (Fig. 3)
	sizes   []sim.Class        // wait in hours by size: class k has those in (2^(k-1), 2^k] (Fig. 5)
	fifties []sim.Class        // wait in hours by size, in the classes of Table 2
	tries   []sim.Class        // attempts by size, in groups of 50 (Table 2)

	operations float64 // per request, of the search; NaN if they are not counted
	seconds    float64 // that the run took; NaN if it is the log's
}

// typical has the mean and the median of a number of some jobs; NaN if there are none.
type typical struct{ mean, median float64 }

func typicalOf(values []float64) typical {
	mean, median := sim.Typical(values)
	return typical{mean, median}
}

// group is the width of the classes of Table 2, in processors.
const group = 50

func summarise(r sim.Result) *summary {
	s := &summary{Metrics: r.Metrics(), operations: math.NaN(), seconds: math.NaN()}
	var ran float64
	var short, medium []float64
	for i, o := range r.Outcomes {
		if o.Rejected {
			continue
		}
		t := &r.Tasks[i]
		d := hours(float64(o.Start - t.Submit))
		ran++
		s.delay += d
		s.longest = max(s.longest, d)
		for k := int(2 * d); k < halfHours; k++ {
			s.within[k]++
		}
		switch length := bookahead.Duration(t.Estimate); {
		case length < 2*hour:
			short = append(short, r.Temporal(i))
		case length < 10*hour:
			medium = append(medium, r.Temporal(i))
		}
	}
	for k := range s.within {
		s.within[k] /= ran
	}
	s.delay /= ran
	s.short, s.medium = typicalOf(short), typicalOf(medium)
	s.lengths = r.TemporalPenalty(hour)
	units := func(i int) int64 { return r.Tasks[i].Units }
	doubling := func(i int) int64 { return int64(bits.Len64(uint64(units(i) - 1))) }
	wait := func(i int) float64 { return hours(float64(r.Wait(i))) }
	s.sizes, s.fifties = r.Classes(1, doubling, wait), r.Classes(group, units, wait)
	s.tries = r.Classes(group, units, func(i int) float64 { return float64(r.Outcomes[i].Attempts) })
	return s
}

func hours(ticks float64) float64 { return ticks / hour }

// metric is a number of a run.
type metric func(s *summary) float64

var (
	turnedAway metric = func(s *summary) float64 { return float64(s.Rejected) }
	meanDelay  metric = func(s *summary) float64 { return s.delay }
	meanWait   metric = func(s *summary) float64 { return hours(s.MeanWait) }
	longest    metric = func(s *summary) float64 { return s.longest }
	short      metric = func(s *summary) float64 { return s.short.mean }
	medium     metric = func(s *summary) float64 { return s.medium.mean }
	tried      metric = func(s *summary) float64 { return s.MeanAttempts }
	operations metric = func(s *summary) float64 { return s.operations }
	used       metric = func(s *summary) float64 { return s.Utilisation }
	seconds    metric = func(s *summary) float64 { return s.seconds }

	shortMedian  metric = func(s *summary) float64 { return s.short.median }
	mediumMedian metric = func(s *summary) float64 { return s.medium.median }
)

// under is the share of the jobs whose delay is less than so many hours, a multiple of
// a half.
func under(h float64) metric {
	return func(s *summary) float64 {
		if h == 0 {
			return 0
		}
		return s.within[int(2*h)-1]
	}
}

// between is the share of the jobs whose delay lies in [from, to) hours.
func between(from, to float64) metric {
	return func(s *summary) float64 { return under(to)(s) - under(from)(s) }
}
