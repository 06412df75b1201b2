package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/swf"
)

// Import is a trace as a workload, with a count of the jobs that were left out or
// changed.
type Import struct {
	Jobs  []Job // in order of submission
	Procs int64 // processors of the machine
	// ProcsFrom names the source of Procs if they are a guess: MaxNodes, or the
	// largest job. It is empty if they are known.
	ProcsFrom string

	NoProcs  int // jobs left out because they have no processors
	NoTime   int // jobs left out because they neither ran nor asked for time
	NoSubmit int // jobs left out because their submit time is negative; -1 is unknown
	TooBig   int // jobs left out because the machine has not that many processors

	Clipped    int // jobs that ran on after the time they asked for, and are cut there
	NoEstimate int // jobs that asked for no time, and are given the time they ran
	NoRun      int // jobs that asked for time but have no run time, and are given one
}

// Skipped is the number of jobs that were left out.
func (i Import) Skipped() int { return i.NoProcs + i.NoTime + i.NoSubmit + i.TooBig }

// String accounts for all jobs of the trace, and for all that is guessed.
func (i Import) String() string {
	s := fmt.Sprintf("%d jobs on %d processors (%d cut at the time they asked for; left out: %d without processors, %d without time, %d with a negative submit time, %d too big)",
		len(i.Jobs), i.Procs, i.Clipped, i.NoProcs, i.NoTime, i.NoSubmit, i.TooBig)
	g := i.guesses()
	if len(g) > 0 {
		s += "; guessed: " + strings.Join(g, ", ")
	}
	return s
}

// guesses lists the values that the trace does not record.
func (i Import) guesses() []string {
	var list []string
	if i.ProcsFrom != "" {
		list = append(list, "the processors ("+i.ProcsFrom+")")
	}
	if i.NoEstimate > 0 {
		list = append(list, count(i.NoEstimate, "estimate")+" (the run time)")
	}
	if i.NoRun > 0 {
		list = append(list, count(i.NoRun, "run time")+" (the estimate, or a second)")
	}
	return list
}

// count formats n things, such as "1 job" and "2 jobs".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// FromSWF reads the jobs of a trace. A job asks for the processors requested,
// or else allocated, and for the time requested, or else used. If it asked for
// time, a run of 0 seconds counts as one second, and an unknown run as
// all the time that it asked for. The machine has procs processors; if procs is 0, the number
// in the header (MaxProcs, else MaxNodes), or else that of the largest job.
//
// The jobs that keep rejects are left out, and not counted; nil keeps all.
func FromSWF(l swf.Log, procs int64, keep func(swf.Job) bool) Import {
	i := Import{Procs: procs}
	if n := l.Int("MaxProcs"); n > 0 && i.Procs == 0 {
		i.Procs = n
	}
	if n := l.Int("MaxNodes"); n > 0 && i.Procs == 0 {
		i.Procs, i.ProcsFrom = n, "MaxNodes"
	}
	for _, j := range l.Jobs {
		if keep == nil || keep(j) {
			i.add(j)
		}
	}
	if i.Procs == 0 {
		i.ProcsFrom = "of the largest job"
		for _, j := range i.Jobs {
			i.Procs = max(i.Procs, j.Units)
		}
	}
	slices.SortStableFunc(i.Jobs, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return i
}

func (i *Import) add(j swf.Job) {
	units, estimate := j.Requested, j.RequestedTime
	if units <= 0 {
		units = j.Allocated
	}
	if estimate <= 0 {
		estimate = j.Run
	}
	switch {
	case units <= 0:
		i.NoProcs++
	case estimate <= 0:
		i.NoTime++
	case j.Submit < 0:
		i.NoSubmit++
	case i.Procs > 0 && units > i.Procs:
		i.TooBig++
	default:
		if j.RequestedTime <= 0 {
			i.NoEstimate++
		}
		i.Jobs = append(i.Jobs, Job{
			Submit:   bookahead.Time(j.Submit),
			Run:      bookahead.Duration(i.run(j.Run, estimate)),
			Estimate: bookahead.Duration(estimate),
			Units:    units,
			Number:   j.Number,
			Wait:     bookahead.Duration(max(j.Wait, swf.Unknown)),
		})
	}
}

// run fits a run time into 1 to estimate.
func (i *Import) run(recorded, estimate int64) int64 {
	switch {
	case recorded > estimate:
		i.Clipped++
		return estimate
	case recorded > 0:
		return recorded
	}
	i.NoRun++
	if recorded == 0 {
		return 1
	}
	return estimate
}
