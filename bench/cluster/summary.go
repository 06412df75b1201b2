package main

import (
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
)

// summary has the numbers of a run on one machine.
type summary struct {
	machine     string // "nodes" or "pools"
	nodes, jobs int

	// Of the gangs that asked for a reservation, some were refused at once, and the others were
	// promised a start. Each promise was kept, broken, or displaced by an outage. Of those broken,
	// some ran later. Of the displaced gangs, some ran elsewhere or later: moved; and of these, some
	// at the promised start.
	asked, refused, made, kept, broken, brokenRan, displaced, moved, punctual int

	late  []float64 // how many hours after the promised start the brokenRan began
	ahead []float64 // how many hours after its ready time each gang was promised a start

	rejected        int       // batch jobs that never ran
	waits           []float64 // of batch jobs in hours, without the runs that an outage stopped, ascending
	large           []float64 // the waits of those on more than largeTasks nodes
	utilisation     float64   // of the GPUs until the last submission, by runs that came to their end
	lost            float64   // the same by runs that an outage stopped
	finished        float64   // GPU-hours of all runs that came to their end
	wall, processor time.Duration
	longest         int

	used    []float64 // share of the GPUs that run in each step, on average
	waiting []float64 // batch jobs that wait in each step, on average
}

const (
	step       = 6 * hour // of used and waiting
	largeTasks = 64       // with 2 000 nodes, one batch job in 20 has more
)

// summarize works the numbers out, all but the times that the simulation took.
func (x *scenario) summarize(machine string, r sim.ClusterResult) summary {
	s := summary{machine: machine, nodes: x.nodes, jobs: len(x.gangs), longest: r.LongQueue}
	end := bookahead.Time(0)
	for _, run := range r.Runs {
		end = max(end, run.When.End)
	}
	s.used, s.waiting = make([]float64, end/step+1), make([]float64, end/step+1)
	ran := make([]bool, len(x.gangs)) // to the end
	since, waited := make([]bookahead.Time, len(x.gangs)), make([]bookahead.Time, len(x.gangs))
	for i, g := range x.gangs {
		since[i] = g.Ready
	}
	for _, run := range r.Runs {
		g, i := x.gangs[run.Task], run.Task
		if !g.AR {
			spread(s.waiting, bookahead.Interval{Start: since[i], End: run.When.Start}, 1)
		}
		waited[i] += run.When.Start - since[i]
		since[i] = run.When.End
		share := float64(g.On.Tasks*g.On.Each[0]) / float64(nodeGPUs*x.nodes)
		work := share * float64(max(0, min(run.When.End, x.span)-run.When.Start)) / float64(max(1, x.span))
		if run.When.End-run.When.Start < bookahead.Time(g.Run) {
			s.lost += work
			continue
		}
		ran[i] = true
		s.utilisation += work
		s.finished += float64(g.On.Tasks*g.On.Each[0]) * float64(run.When.End-run.When.Start) / hour
		spread(s.used, run.When, share)
	}
	for i, g := range x.gangs {
		s.count(g, r.Outcomes[i], broken(r, i), ran[i])
		if g.AR || r.Outcomes[i].Rejected {
			continue
		}
		s.waits = append(s.waits, float64(waited[i])/hour)
		if g.On.Tasks > largeTasks {
			s.large = append(s.large, float64(waited[i])/hour)
		}
	}
	slices.Sort(s.waits)
	return s
}

// count counts a gang. A run from the promised start to its end keeps a promise. A promise that was neither
// kept nor displaced by an outage is broken.
func (s *summary) count(g sim.Gang, o sim.Outcome, broken, ran bool) {
	punctual := ran && o.Start == o.Promised
	switch {
	case !g.AR:
		if o.Rejected {
			s.rejected++
		}
		return
	case o.Promised == sim.Never:
		s.asked++
		s.refused++
		return
	case broken || o.Displaced == 0 && !punctual:
		s.broken++
		if ran {
			s.brokenRan++
			s.late = append(s.late, float64(o.Start-o.Promised)/hour)
		}
	case o.Displaced == 0:
		s.kept++
	default:
		s.displaced++
		if ran {
			s.moved++
		}
		if punctual {
			s.punctual++
		}
	}
	s.asked++
	s.made++
	s.ahead = append(s.ahead, float64(o.Promised-g.Ready)/hour)
}

// spread adds an amount for the time of an interval to the means of the steps.
func spread(steps []float64, when bookahead.Interval, amount float64) {
	for at := when.Start; at < when.End; {
		k := at / step
		next := min(when.End, (k+1)*step)
		steps[k] += amount * float64(next-at) / step
		at = next
	}
}

// mean returns the mean of some hours; 0 if there are none.
func mean(hours []float64) float64 {
	sum := 0.0
	for _, h := range hours {
		sum += h
	}
	return sum / float64(max(1, len(hours)))
}

// quantile returns the wait in hours that a share of the batch jobs do not exceed; 0 if there are none.
func (s *summary) quantile(share float64) float64 {
	if len(s.waits) == 0 {
		return 0
	}
	return s.waits[min(len(s.waits)-1, int(share*float64(len(s.waits))))]
}

// percent returns a part of the promises made in per cent; 0 if there are none.
func (s *summary) percent(part int) float64 { return 100 * float64(part) / float64(max(1, s.made)) }
