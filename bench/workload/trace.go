package workload

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/swf"
)

// Import is what became of a trace.
type Import struct {
	Jobs  []Job // in order of submission
	Procs int64 // processors of the machine

	NoProcs int // jobs left out because they have no processors
	NoTime  int // jobs left out because they neither ran nor asked for time
	TooBig  int // jobs left out because the machine has not that many processors
	Clipped int // jobs that ran on after what they asked for, and are cut there
}

// Skipped is the number of jobs that were left out.
func (i Import) Skipped() int { return i.NoProcs + i.NoTime + i.TooBig }

// String accounts for all jobs of the trace.
func (i Import) String() string {
	return fmt.Sprintf("%d jobs on %d processors (%d cut at the time they asked for; left out: %d without processors, %d without time, %d too big)",
		len(i.Jobs), i.Procs, i.Clipped, i.NoProcs, i.NoTime, i.TooBig)
}

// FromSWF reads the jobs of a trace. A job asks for the processors requested,
// or else allocated, and for the time requested, or else used. The machine has
// procs processors; if that is 0, what the header says (MaxProcs, else
// MaxNodes), or else as many as the largest job. The first bad line ends it
// with an error.
func FromSWF(r *swf.Reader, procs int64) (Import, error) {
	if procs < 0 {
		return Import{}, invalid("procs", procs, "is negative")
	}
	i := Import{Procs: procs}
	for _, key := range []string{"MaxProcs", "MaxNodes"} {
		if n, ok := r.Header().Int(key); ok && n > 0 && i.Procs == 0 {
			i.Procs = n
		}
	}
	for j, err := range r.Jobs() {
		if err != nil {
			return Import{}, err
		}
		i.add(j)
	}
	if i.Procs == 0 {
		for _, j := range i.Jobs {
			i.Procs = max(i.Procs, j.Units)
		}
	}
	slices.SortStableFunc(i.Jobs, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return i, nil
}

func (i *Import) add(j swf.Job) {
	units, estimate, run := j.Requested, j.RequestedTime, j.Run
	if units <= 0 {
		units = j.Allocated
	}
	if estimate <= 0 {
		estimate = run
	}
	if run <= 0 {
		run = estimate // cancelled jobs, and those whose end nobody saw, hold what they asked for
	}
	switch {
	case units <= 0:
		i.NoProcs++
	case estimate <= 0:
		i.NoTime++
	case i.Procs > 0 && units > i.Procs:
		i.TooBig++
	default:
		if run > estimate {
			i.Clipped++
		}
		i.Jobs = append(i.Jobs, Job{
			Submit:   bookahead.Time(max(j.Submit, 0)),
			Run:      bookahead.Duration(min(run, estimate)),
			Estimate: bookahead.Duration(estimate),
			Units:    units,
		})
	}
}
