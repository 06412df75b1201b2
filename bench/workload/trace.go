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
	NoTime  int // jobs left out because they neither ran nor asked for time, or have no submit time
	TooBig  int // jobs left out because the machine has not that many processors
	Clipped int // jobs that ran on after what they asked for, and are cut there
	NoRun   int // jobs that asked for time but have no run time, and are given one
}

// Skipped is the number of jobs that were left out.
func (i Import) Skipped() int { return i.NoProcs + i.NoTime + i.TooBig }

// String accounts for all jobs of the trace.
func (i Import) String() string {
	return fmt.Sprintf("%d jobs on %d processors (%d cut at the time they asked for; left out: %d without processors, %d without time, %d too big); %d given a run time",
		len(i.Jobs), i.Procs, i.Clipped, i.NoProcs, i.NoTime, i.TooBig, i.NoRun)
}

// FromSWF reads the jobs of a trace. A job asks for the processors requested,
// or else allocated, and for the time requested, or else used. If it asked for
// time, a run of 0 seconds counts as one second, and a run that is unknown as
// all it asked for. The machine has procs processors; if that is 0, what the
// header says (MaxProcs, else MaxNodes), or else as many as the largest job. The
// first bad line ends it with an error.
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
	case estimate <= 0 || j.Submit < 0:
		i.NoTime++
	case i.Procs > 0 && units > i.Procs:
		i.TooBig++
	default:
		i.Jobs = append(i.Jobs, Job{
			Submit:   bookahead.Time(j.Submit),
			Run:      bookahead.Duration(i.run(j.Run, estimate)),
			Estimate: bookahead.Duration(estimate),
			Units:    units,
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
