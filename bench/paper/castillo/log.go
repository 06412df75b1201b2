package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
)

// unknown stands for a wait that was not recorded.
const unknown = -1

// job is a job of a log.
type job struct {
	workload.Job
	wait bookahead.Duration // in the log's batch system, in seconds; or unknown
}

// log is what a machine was asked for.
type log struct {
	name  string
	about string // where it comes from
	jobs  []job  // in order of submission
	units int64  // processors of the machine
	table int64  // processors in Table 1; as many as the machine has if it is not there

	synthetic bool
	// other says why a log of the paper's name is another one; "" if it is the same.
	other string
}

// source is where a log is looked for in a folder.
type source struct {
	name, pattern string
	table         int64 // processors in Table 1; 0 if it is not there
	simulated     bool  // the waits are those of a simulator, and not used
	other         string
}

// otherCTC is why the CTC log that is to be had is not that of Table 1. Its KTH has
// eight jobs more than the table says, its HPC2N 46: these are the same logs.
const otherCTC = "the paper's log of CTC has 39 734 jobs on 512 processors, this one 77 222 on 338"

var sources = []source{
	{"CTC", "CTC-*.swf*", 512, false, otherCTC},
	{"KTH", "KTH-*.swf*", 128, false, ""},
	{"HPC2N", "HPC2N-*.swf*", 240, false, ""},
	{"SDSC", "SDSC-SP2-*.swf*", 0, true, ""},
}

// readLogs reads the logs of the given names from a folder, in the order of
// sources; at most the first jobs of each, or all if that is 0.
func readLogs(folder string, names []string, jobs int) ([]log, error) {
	var logs []log
	for _, s := range sources {
		if !slices.Contains(names, s.name) {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(folder, s.pattern))
		if err != nil {
			return nil, err
		}
		if len(paths) != 1 {
			return nil, fmt.Errorf("%d files %s in %s, want one", len(paths), s.pattern, folder)
		}
		l, err := readLog(paths[0])
		if err != nil {
			return nil, err
		}
		if jobs > 0 && jobs < len(l.jobs) {
			l.jobs = l.jobs[:jobs]
			l.about += fmt.Sprintf("; the first %d of them", jobs)
		}
		l.name, l.table, l.other = s.name, s.table, s.other
		if l.table == 0 {
			l.table = l.units
		}
		if s.simulated {
			l.about += "; the others are of a simulator, and not used"
			for i := range l.jobs {
				l.jobs[i].wait = unknown
			}
		}
		logs = append(logs, l)
	}
	return logs, nil
}

// readLog reads the jobs that workload.FromSWF reads, and their waits.
func readLog(path string) (log, error) {
	r, err := swf.Open(path)
	if err != nil {
		return log{}, err
	}
	defer r.Close()
	units, ok := r.Header().Int("MaxProcs")
	if !ok || units < 1 {
		return log{}, fmt.Errorf("%s: its header has no MaxProcs", path)
	}
	l := log{units: units}
	cut, skipped, waits := 0, 0, 0
	for j, err := range r.Jobs() {
		if err != nil {
			return log{}, fmt.Errorf("%s: %w", path, err)
		}
		k, ok := fromSWF(j)
		if !ok || k.Units > units {
			skipped++
			continue
		}
		if bookahead.Duration(j.Run) > k.Estimate {
			cut++
		}
		if k.wait == unknown {
			waits++
		}
		l.jobs = append(l.jobs, k)
	}
	if len(l.jobs) == 0 {
		return log{}, fmt.Errorf("%s: no jobs", path)
	}
	slices.SortStableFunc(l.jobs, func(a, b job) int { return cmp.Compare(a.Submit, b.Submit) })
	l.about = fmt.Sprintf("%d jobs on %d processors; %d cut at the time they asked for, %d left out, %d waits not recorded", len(l.jobs), units, cut, skipped, waits)
	return l, nil
}

// fromSWF is a job as workload.FromSWF makes it; ok is false if it has no
// processors, no time, or no submission.
func fromSWF(j swf.Job) (k job, ok bool) {
	units, estimate, run := j.Requested, j.RequestedTime, j.Run
	if units <= 0 {
		units = j.Allocated
	}
	if estimate <= 0 {
		estimate = j.Run
	}
	switch {
	case units <= 0 || estimate <= 0 || j.Submit < 0:
		return job{}, false
	case run < 0:
		run = estimate
	}
	k.Job = workload.Job{
		Submit:   bookahead.Time(j.Submit),
		Run:      bookahead.Duration(min(max(run, 1), estimate)),
		Estimate: bookahead.Duration(estimate),
		Units:    units,
	}
	k.wait = bookahead.Duration(max(j.Wait, unknown))
	return k, true
}

// The machine and the model of a synthetic log.
const (
	syntheticUnits = 128
	syntheticLoad  = 0.7 // of the machine
	syntheticOver  = 2   // by how many run times users overestimate at most
	syntheticJobs  = 10_000
)

// synthesize makes a log after the model of Lublin and Feitelson; 0 jobs mean as
// many as usual.
func synthesize(jobs int, seed uint64) (log, error) {
	if jobs == 0 {
		jobs = syntheticJobs
	}
	made, err := workload.Lublin{Nodes: syntheticUnits, Seed: seed, Load: syntheticLoad, Over: syntheticOver}.Generate(jobs)
	if err != nil {
		return log{}, err
	}
	l := log{name: "synthetic", units: syntheticUnits, table: syntheticUnits, synthetic: true}
	l.about = fmt.Sprintf("Lublin and Feitelson's model, seed %d: %d jobs on %d processors, load %g; no batch system has seen them",
		seed, jobs, syntheticUnits, syntheticLoad)
	for _, j := range made {
		l.jobs = append(l.jobs, job{j, unknown})
	}
	return l, nil
}
