package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
)

// The machine of the log, and the parts into which §5 splits it.
const (
	machine int64 = 128
	part    int64 = 64
)

// job is a job of a log.
type job struct {
	workload.Job
	number int64              // in the log
	wait   bookahead.Duration // in the log's batch system, in seconds
}

// log is a piece of a log. Its first job is submitted at 0.
type log struct {
	name  string
	about string
	jobs  []job // in order of submission

	synthetic bool
}

// pattern finds the log in a folder.
const pattern = "SDSC-SP2-*.swf*"

// pieces are what the paper takes from the log, by job numbers. The first is the
// lighter one.
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
	paths, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		return logs, err
	}
	if len(paths) != 1 {
		return logs, fmt.Errorf("%d files %s in %s, want one", len(paths), pattern, folder)
	}
	r, err := swf.Open(paths[0])
	if err != nil {
		return logs, err
	}
	defer r.Close()
	cut := [2]int{}
	for j, err := range r.Jobs() {
		if err != nil {
			return logs, fmt.Errorf("%s: %w", paths[0], err)
		}
		for k, p := range pieces {
			if j.Number < p.from || p.to < j.Number || j.Requested < 1 || j.Requested > machine || j.RequestedTime < 1 || j.Submit < 0 {
				continue
			}
			if j.Run > j.RequestedTime {
				cut[k]++
			}
			logs[k].jobs = append(logs[k].jobs, job{
				number: j.Number,
				wait:   bookahead.Duration(max(j.Wait, 0)),
				Job: workload.Job{
					Submit:   bookahead.Time(j.Submit),
					Run:      bookahead.Duration(min(max(j.Run, 1), j.RequestedTime)),
					Estimate: bookahead.Duration(j.RequestedTime),
					Units:    j.Requested,
				},
			})
		}
	}
	for k, p := range pieces {
		l := &logs[k]
		if len(l.jobs) < 2 {
			return logs, fmt.Errorf("%s: %d jobs of %s, want 2 or more", paths[0], len(l.jobs), p.name)
		}
		l.name = p.name
		l.about = fmt.Sprintf("%d jobs; %d cut at the time they asked for, %d numbers missing in the log", len(l.jobs), cut[k], p.to-p.from+1-int64(len(l.jobs)))
		l.settle()
	}
	return logs, nil
}

// settle puts the jobs in order, and lets time begin with the first.
func (l *log) settle() {
	slices.SortFunc(l.jobs, func(a, b job) int { return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(a.number, b.number)) })
	for i, first := 0, l.jobs[0].Submit; i < len(l.jobs); i++ {
		l.jobs[i].Submit -= first
	}
}

// syntheticOver is by how many run times users of a synthetic log overestimate at
// most: they ask for 2.2 times as much on average, as those of the real one do.
const syntheticOver = 2.4

// synthesize makes two logs after the model of Lublin and Feitelson, with the loads
// of the real ones. What they wait is what EASY makes of them.
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
		r, err := sim.Run(sim.Config{Providers: []sim.Provider{{Schedule: pool, Units: machine, Local: sim.Local{Backfill: sim.EASY{}}}}}, sim.FromJobs(made))
		if err != nil {
			return logs, err
		}
		l := &logs[k]
		l.name, l.synthetic = p.name, true
		l.about = fmt.Sprintf("Lublin and Feitelson's model in its place: %d jobs, load %g; waits are those of EASY", jobs, p.load)
		for i, j := range made {
			l.jobs = append(l.jobs, job{Job: j, number: int64(i + 1), wait: r.Wait(i)})
		}
		l.settle()
	}
	return logs, nil
}

// mean is the mean of what of says of the jobs.
func (l log) mean(of func(j job) float64) float64 {
	sum := 0.0
	for _, j := range l.jobs {
		sum += of(j)
	}
	return sum / float64(len(l.jobs))
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
