package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
)

// log has the jobs that a machine was asked for.
type log struct {
	source
	about     string         // where it comes from
	jobs      []workload.Job // in order of submission
	units     int64          // processors of the machine
	synthetic bool
}

// source is where a log is looked for in a folder.
type source struct {
	name, pattern string
	table         int64  // processors in Table 1; 0 if it is not there
	simulated     bool   // the waits are those of a simulator, and not used
	other         string // why it is another log than the paper's of that name; "" if it is the same
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
// sources; at most the first jobs of each, or all if that is 0. Each is alone.
func readLogs(folder string, names []string, jobs int) (logs [][]log, err error) {
	for _, s := range sources {
		if !slices.Contains(names, s.name) {
			continue
		}
		path, err := trial.File(folder, s.pattern)
		if err != nil {
			return nil, err
		}
		l, err := readLog(path)
		if err != nil {
			return nil, err
		}
		l.source = s
		if jobs > 0 && jobs < len(l.jobs) {
			l.jobs = l.jobs[:jobs]
			l.about += fmt.Sprintf("; the first %d of them", jobs)
		}
		if s.simulated {
			l.about += "; the others are of a simulator, and not used"
			l.forgetWaits()
		}
		logs = append(logs, []log{l})
	}
	return logs, nil
}

// forgetWaits has no wait known.
func (l log) forgetWaits() {
	for i := range l.jobs {
		l.jobs[i].Wait = workload.Unknown
	}
}

// readLog reads a log whose header says how many processors its machine has.
func readLog(path string) (log, error) {
	read, err := swf.Load(path)
	all := workload.FromSWF(read, 0, nil)
	switch {
	case err != nil:
		return log{}, err
	case len(all.Jobs) == 0:
		return log{}, fmt.Errorf("%s: no jobs", path)
	case all.ProcsFrom != "":
		return log{}, fmt.Errorf("%s: its header has no MaxProcs", path)
	}
	waits := 0
	for _, j := range all.Jobs {
		if j.Wait == workload.Unknown {
			waits++
		}
	}
	about := fmt.Sprintf("%d jobs on %d processors; %d cut at the time they asked for, %d left out, %d waits not recorded", len(all.Jobs), all.Procs, all.Clipped, all.Skipped(), waits)
	return log{jobs: all.Jobs, units: all.Procs, about: about}, nil
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
	jobs = cmp.Or(jobs, syntheticJobs)
	made, err := workload.Lublin{Nodes: syntheticUnits, Seed: seed, Load: syntheticLoad, Over: syntheticOver}.Generate(jobs)
	l := log{source: source{name: "synthetic"}, jobs: made, units: syntheticUnits, synthetic: true}
	l.about = fmt.Sprintf("Lublin and Feitelson's model, seed %d: %d jobs on %d processors, load %g; no batch system has seen them",
		seed, jobs, syntheticUnits, syntheticLoad)
	l.forgetWaits()
	return l, err
}
