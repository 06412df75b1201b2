package sim

import (
	"maps"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
)

// Metrics sums a result up. All means but the rate are over the tasks that were
// not rejected, and 0 where there are none.
type Metrics struct {
	Tasks, AR     int     // all, and those that are AR tasks
	Rejected      int     // of all
	RejectionRate float64 // Rejected / Tasks, from 0 to 1
	// MeanWait, MeanFlow are over all tasks, MeanTardiness over AR tasks, in ticks
	// (Kurowski et al., Equations 2 and 3).
	MeanWait, MeanFlow, MeanTardiness float64
	MaxWait                           bookahead.Duration
	MeanTemporal                      float64 // of P_r^l
	// Makespan is the time from the first submission to the last end, in ticks.
	Makespan bookahead.Duration
	// Utilisation is the mean over the providers of the share of their units that
	// did useful work during the makespan, from 0 to 1 (Equation 4), and Each the
	// shares themselves. Runs that were preempted do not count.
	Utilisation  float64
	Each         []float64
	MeanAttempts float64 // of all AR tasks, rejected ones included
	Preempted    int     // runs
}

// Metrics works them out. O(n).
func (r Result) Metrics() Metrics {
	m := Metrics{Tasks: len(r.Tasks), Each: make([]float64, len(r.Units))}
	var first, last bookahead.Time
	var wait, flow, tardy, temporal, attempts float64
	ran, ranAR := 0, 0
	for i := range r.Tasks {
		t, o := &r.Tasks[i], &r.Outcomes[i]
		if i == 0 || t.Submit < first {
			first = t.Submit
		}
		if t.AR {
			m.AR++
			attempts += float64(o.Attempts)
		}
		if o.Rejected {
			m.Rejected++
			continue
		}
		ran++
		wait += float64(r.Wait(i))
		flow += float64(r.Flow(i))
		temporal += r.Temporal(i)
		m.MaxWait = max(m.MaxWait, r.Wait(i))
		m.Preempted += o.Preempted
		m.Each[o.Provider] += float64(t.Units) * float64(o.End-o.Start)
		last = max(last, o.End)
		if t.AR {
			ranAR++
			tardy += float64(r.Tardiness(i))
		}
	}
	m.RejectionRate = ratio(float64(m.Rejected), float64(m.Tasks))
	m.MeanWait = ratio(wait, float64(ran))
	m.MeanFlow = ratio(flow, float64(ran))
	m.MeanTemporal = ratio(temporal, float64(ran))
	m.MeanTardiness = ratio(tardy, float64(ranAR))
	m.MeanAttempts = ratio(attempts, float64(m.AR))
	if ran > 0 {
		m.Makespan = bookahead.Duration(last - first)
	}
	for p, work := range m.Each {
		m.Each[p] = ratio(work, float64(r.Units[p])*float64(m.Makespan))
		m.Utilisation += m.Each[p] / float64(len(r.Units))
	}
	return m
}

// ratio is a/b, and 0 for nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Class is a part of the tasks: those whose key lies in (Above, To].
type Class struct {
	Above, To    int64
	Tasks        int
	Mean, Median float64 // of the value
}

// Classes groups the tasks that were not rejected by a key, which is not negative,
// in steps of width. It returns the mean and the median value of each group that is not
// empty, in order. key and value are given the task's place.
func (r Result) Classes(width int64, key func(i int) int64, value func(i int) float64) []Class {
	values := map[int64][]float64{}
	for i, o := range r.Outcomes {
		if o.Rejected {
			continue
		}
		to := (key(i) + width - 1) / width * width
		values[to] = append(values[to], value(i))
	}
	classes := make([]Class, 0, len(values))
	for _, to := range slices.Sorted(maps.Keys(values)) {
		of := values[to]
		mean, median := Typical(of)
		classes = append(classes, Class{Above: to - width, To: to, Tasks: len(of), Mean: mean, Median: median})
	}
	return classes
}

// Typical returns the mean and the median of some values, which it sorts: the upper of
// the two in the middle if there are two. Both are NaN if there are no values.
func Typical(values []float64) (mean, median float64) {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	if len(values) == 0 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(values)
	return sum / float64(len(values)), values[len(values)/2]
}

// TemporalPenalty returns P_r^l of tasks by the time for which they are booked, in
// classes of so many ticks (Castillo et al., Figure 3).
func (r Result) TemporalPenalty(width bookahead.Duration) []Class {
	return r.Classes(int64(width), func(i int) int64 { return int64(r.Tasks[i].Estimate) }, r.Temporal)
}
