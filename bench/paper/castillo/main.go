// Castillo repeats the experiments of Castillo, Rouskas and Harfoush ("Resource
// co-allocation for large-scale distributed environments", HPDC 2009,
// doi:10.1145/1551609.1551634, §5), prints claim by claim whether what they found
// holds here, and writes the numbers as CSV. RESULTS.md has those of one run.
//
//	go run ./bench/paper/castillo -traces swf   # a folder with the logs of the archive
//	go run ./bench/paper/castillo -traces swf -logs KTH -repeats 2
//	go run ./bench/paper/castillo               # a synthetic log
//	go run ./bench/paper/castillo -quick        # the first 2000 jobs of it, in seconds
//
// The logs are those of the Parallel Workloads Archive, plain or compressed: the
// paper's CTC, KTH and HPC2N, and SDSC for what is said of all. Without -traces
// there is a synthetic log, which each repeat draws anew, and which stands for
// each of them.
//
// Online, each job is booked when it is submitted, by the structure as published:
// Δt = τ = 15 min, and R_max = Q/2 attempts. The paper does not say what H is; it
// is 180 days here, so that the longest job fits in. Beside it stand the exact
// earliest start, from one tree of all idle periods, what the log says of its own
// batch system, and our EASY, which is given the same durations.
//
// The paper says that a reservation lasts for the estimate. But its mean durations
// are those of the run times in the logs, and so most of what it found can only be
// found with these. So each log is read in three ways: booked for the run time on
// the processors of the log, the same on those of Table 1, and booked for the
// estimate. Claims are judged in each, and the first decides.
//
// Operations are the tree nodes that a search reads in all its attempts; what it
// takes to enter a booking is in the seconds only.
//
// A log is what it is: only what is booked ahead is left to chance, and repeated.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the arguments.
type options struct {
	traces  string   // folder; "" for a synthetic log
	logs    []string // of sources
	jobs    int      // at most, of each log; 0 for all
	repeats int
	seed    uint64 // of the first repeat
	out     string // folder; "" for none
}

func run(args []string, stdout, stderr io.Writer) int {
	o := options{}
	for _, s := range sources {
		o.logs = append(o.logs, s.name)
	}
	return trial.Program{
		Name:  "castillo",
		Quick: "jobs=2000 repeats=2",
		Flags: func(f *flag.FlagSet) {
			f.StringVar(&o.traces, "traces", "", "`folder` with the logs, in the Standard Workload Format; if empty, a synthetic one is made")
			f.Func("logs", "`list` of the logs to read there, by commas (default "+strings.Join(o.logs, ",")+")", func(text string) error {
				o.logs = strings.Split(text, ",")
				for _, name := range o.logs {
					if !slices.ContainsFunc(sources, func(s source) bool { return s.name == name }) {
						return fmt.Errorf("no log %q is known", name)
					}
				}
				return nil
			})
			f.IntVar(&o.jobs, "jobs", 0, "`number` of jobs of each log; 0 for all, or 10 000 synthetic ones")
			f.IntVar(&o.repeats, "repeats", 5, "how `often` what depends on chance is repeated")
			f.Uint64Var(&o.seed, "seed", 1, "`seed` of the first repeat")
			f.StringVar(&o.out, "out", "out/castillo", "`folder` for the CSV files; none if empty")
		},
		Check: func() error { return o.check() },
		Run:   func(stdout io.Writer, p trial.Progress) error { return experiments(o, stdout, p) },
	}.Main(args, stdout, stderr)
}

func (o options) check() error {
	switch {
	case o.jobs < 0 || o.jobs == 1:
		return fmt.Errorf("-jobs %d is neither 0 nor more than 1", o.jobs)
	case o.repeats < 2:
		return fmt.Errorf("-repeats %d is less than 2: there is no confidence interval", o.repeats)
	}
	return nil
}

// experiments runs all, and writes what came out.
func experiments(o options, stdout io.Writer, progress trial.Progress) error {
	scenes, err := o.scenes(progress)
	if err != nil {
		return err
	}
	match(scenes)
	sweeps, err := sweepSteps(scenes, progress)
	if err != nil {
		return err
	}
	writeLogs(stdout, scenes)
	for _, t := range append(tables(scenes), sweeps) {
		t.Write(stdout)
		if err := t.CSV(o.out); err != nil {
			return err
		}
	}
	found := findings(claims(), scenes)
	trial.WriteClaims(stdout, circumstances, found)
	return trial.WriteCSV(o.out, "claims.csv", trial.ClaimRows(circumstances, found))
}

// match tells KTH of CTC in the same setting.
func match(scenes []*scene) {
	for _, k := range scenes {
		for _, c := range scenes {
			if k.first().log.name != "KTH" || c.first().log.name != "CTC" || k.first().setting != c.first().setting {
				continue
			}
			for _, w := range k.worlds {
				w.peer = c.first()
			}
		}
	}
}

// scenes runs all logs in all settings.
func (o options) scenes(progress trial.Progress) ([]*scene, error) {
	if o.traces == "" {
		return o.synthetic(progress)
	}
	logs, err := readLogs(o.traces, o.logs, o.jobs)
	if err != nil {
		return nil, err
	}
	var scenes []*scene
	for _, l := range logs {
		for _, s := range settings {
			if !s.apply(l) {
				continue
			}
			base, err := simulate(l, s)
			if err != nil {
				return nil, err
			}
			progress.Done("%s, %s: online %.1f s, exact %.1f s, EASY %.1f s", l.name, s.name, base.online.took.Seconds(), base.exact.took.Seconds(), base.easy.took.Seconds())
			sc := &scene{fixed: true}
			for k := range o.repeats {
				w, err := base.bookAhead(o.seed + uint64(k))
				if err != nil {
					return nil, err
				}
				sc.worlds = append(sc.worlds, w)
			}
			progress.Done("%s, %s: %d times %d shares booked ahead", l.name, s.name, o.repeats, len(shares)-1)
			scenes = append(scenes, sc)
		}
	}
	return scenes, nil
}

// synthetic runs a new synthetic log in each repeat.
func (o options) synthetic(progress trial.Progress) ([]*scene, error) {
	var scenes []*scene
	for _, s := range settings {
		sc := &scene{}
		for k := range o.repeats {
			seed := o.seed + uint64(k)
			l, err := synthesize(o.jobs, seed)
			if err != nil {
				return nil, err
			}
			if !s.apply(l) {
				break
			}
			base, err := simulate(l, s)
			if err != nil {
				return nil, err
			}
			w, err := base.bookAhead(seed)
			if err != nil {
				return nil, err
			}
			sc.worlds = append(sc.worlds, w)
			progress.Done("%s, %s: repeat %d of %d", l.name, s.name, k+1, o.repeats)
		}
		if len(sc.worlds) > 0 {
			scenes = append(scenes, sc)
		}
	}
	return scenes, nil
}
