package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	batch "github.com/bookahead/bookahead/plan"
)

// The machine of the log, and the parts into which §5 splits it.
const (
	machine int64 = 128
	part    int64 = 64
)

// job is a job of a log.
type job = workload.Job

// log is a piece of a log. Its first job is submitted at 0.
type log struct {
	about     string
	jobs      []job // in order of submission
	missing   int   // numbers of the piece that no job has
	synthetic bool
}

// pattern finds the log in a folder.
const pattern = "SDSC-SP2-*.swf*"

// pieces are the two parts of the log that the paper runs, by job numbers. The first is
// the lighter one.
var pieces = [2]struct {
	name     string
	from, to int64
	load     float64 // of a synthetic log in its place: the utilisation in Table 5
}{
	{"1-1000", 1, 1000, 0.54},
	{"68000-69000", 68000, 69000, 0.83},
}

// readLogs reads both pieces from the log in a folder.
func readLogs(folder string) (logs [2]log, err error) {
	path, err := trial.File(folder, pattern)
	if err != nil {
		return logs, err
	}
	all, err := swf.Load(path)
	if err != nil {
		return logs, err
	}
	for k, p := range pieces {
		logs[k] = piece(all, p.from, p.to)
		n := len(logs[k].jobs)
		if n < 2 {
			return logs, fmt.Errorf("%s: %d jobs of %s, want 2 or more", path, n, p.name)
		}
		logs[k].settle()
	}
	return logs, nil
}

// piece returns the jobs whose numbers lie between from and to. It leaves out those that do
// not say how many processors they ask for, or for how long.
func piece(all swf.Log, from, to int64) log {
	made := workload.FromSWF(all, machine, func(j swf.Job) bool {
		return from <= j.Number && j.Number <= to && j.Requested > 0 && j.RequestedTime > 0
	})
	missing := int(to-from) + 1 - len(made.Jobs)
	return log{jobs: made.Jobs, missing: missing, about: fmt.Sprintf("%d jobs; %d cut at the time they asked for, %d numbers missing in the log",
		len(made.Jobs), made.Clipped, missing)}
}

// settle puts the jobs in order, and lets time begin with the first. Lines of the log that
// are submitted together are not in the order of their numbers.
func (l log) settle() {
	slices.SortFunc(l.jobs, func(a, b job) int { return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.Number, b.Number)) })
	first := l.jobs[0].Submit
	for i := range l.jobs {
		l.jobs[i].Submit -= first
	}
}

// syntheticOver is by how many run times users of a synthetic log overestimate at
// most: they ask for 2.2 times as much on average, as those of the real one do.
const syntheticOver = 2.4

// synthesize makes two logs after the model of Lublin and Feitelson, with the loads
// of the real ones. Their waits are those under EASY.
func synthesize(jobs int, seed uint64) (logs [2]log, err error) {
	for k, p := range pieces {
		made, err := workload.Lublin{Nodes: machine, Seed: 2*seed + uint64(k), Load: p.load, Over: syntheticOver}.Generate(jobs)
		if err != nil {
			return logs, err
		}
		pool, err := carts.NewIndexed(machine, carts.Config{})
		if err != nil {
			return logs, err
		}
		r, err := sim.Run(sim.Config{Providers: []sim.Provider{{Schedule: pool, Units: machine, Local: sim.Local{Backfill: batch.EASY(1)}}}}, sim.FromJobs(made))
		if err != nil {
			return logs, err
		}
		for i := range made {
			made[i].Number, made[i].Wait = int64(i+1), r.Wait(i)
		}
		logs[k] = log{synthetic: true, jobs: made, about: fmt.Sprintf("Lublin and Feitelson's model in its place: %d jobs, load %g; waits are those of EASY", jobs, p.load)}
		logs[k].settle()
	}
	return logs, nil
}

// gap is the mean time from one submission to the next, in seconds.
func (l log) gap() float64 { return float64(l.jobs[len(l.jobs)-1].Submit) / float64(len(l.jobs)-1) }

// mode is the number of processors for which most jobs ask, and how many do.
func (l log) mode() (units int64, jobs int) {
	count := map[int64]int{}
	for _, j := range l.jobs {
		n := count[j.Units] + 1
		count[j.Units] = n
		if n > jobs || n == jobs && j.Units < units {
			units, jobs = j.Units, n
		}
	}
	return units, jobs
}

// asking is the log with the jobs that ask for so many processors only.
func (l log) asking(units int64) log {
	l.jobs = slices.DeleteFunc(slices.Clone(l.jobs), func(j job) bool { return j.Units != units })
	return l
}
