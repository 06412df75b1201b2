// Kurowski repeats the experiments of Kurowski, Oleksiak, Piątek and Węglarz
// ("Hierarchical scheduling strategies for parallel tasks and advance reservations
// in grids", §3.3 and §5), prints claim by claim whether their findings hold here,
// and writes the numbers as CSV. RESULTS.md has those of one run.
//
//	go run ./bench/paper/kurowski -traces swf   # a folder with the archive's SDSC SP2 log
//	go run ./bench/paper/kurowski               # synthetic logs
//	go run ./bench/paper/kurowski -quick        # short ones, in seconds
//
// The log is that of the Parallel Workloads Archive, plain or compressed. Of it come
// the jobs 1 to 1000 and 68 000 to 69 000, for a machine of 128 processors or, from
// §5.2 on, for two of 64; jobs that ask for more are cut to 64 there. Without -traces
// there are two synthetic logs, which each repeat draws anew.
//
// The paper's FCFS lets every task start that fits (§4.4.3). Batch tasks are
// booked for the time they asked for, and cut there. AR tasks are chosen at random,
// the same ones for all strategies; they are to start when their jobs did in the
// log, and those that cannot are late. Flexible intervals are in hours, as the paper
// does not say otherwise.
//
// The paper says that AR tasks are booked for their requested time, and that flow times
// begin at the ready time, but its numbers come out only if they are booked for their
// run time, and flow times begin at the submission. So each claim is judged in several
// readings; the first one decides.
//
// Two more choices are ours. The paper does not say which provider MCT takes of those
// that offer the same start: it is any, at random. And of its two ways to deal with AR
// tasks at the grid (§4.4.2) all experiments have AR FCFS, where they wait for the
// period δ as batch tasks do; with AR first they do not. Each claim is judged the other
// way too (the first of equals; AR first). And our copy of the log has lost 62 and 108 of
// the jobs: claims that depend on no chance are judged again on logs that have lost as
// large a share once more. A claim whose verdict is another in one of these ways cannot be
// told, and is not counted among those that hold.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the arguments.
type options struct {
	traces  string // folder; "" for synthetic logs
	jobs    int    // of each synthetic log
	repeats int
	seed    uint64 // of the first repeat
	out     string // folder; "" for none
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	return trial.Program{
		Name:  "kurowski",
		Quick: "jobs=250 repeats=5",
		Flags: func(f *flag.FlagSet) {
			f.StringVar(&o.traces, "traces", "", "`folder` with "+pattern+", in the Standard Workload Format; if empty, synthetic logs are made")
			f.IntVar(&o.jobs, "jobs", 1000, "`number` of jobs of each synthetic log")
			f.IntVar(&o.repeats, "repeats", 20, "how `often` what depends on chance is repeated")
			f.Uint64Var(&o.seed, "seed", 1, "`seed` of the first repeat")
			f.StringVar(&o.out, "out", "out/kurowski", "`folder` for the CSV files; none if empty")
		},
		Check: func() error {
			switch {
			case o.jobs < 2:
				return fmt.Errorf("-jobs %d is less than 2", o.jobs)
			case o.repeats < 2:
				return fmt.Errorf("-repeats %d is less than 2: there is no confidence interval", o.repeats)
			}
			return nil
		},
		Run: func(stdout io.Writer, p trial.Progress) error { return experiments(o, stdout, p) },
	}.Main(args, stdout, stderr)
}

// experiments runs all plans, and writes the tables and the verdicts.
func experiments(o options, stdout io.Writer, progress trial.Progress) error {
	scenes, err := o.scenes()
	if err != nil {
		return err
	}
	for k, l := range scenes[0].worlds[0].logs {
		fmt.Fprintf(stdout, "- %s: %s\n", pieces[k].name, l.about)
	}
	for _, r := range readings {
		fmt.Fprintf(stdout, "- Reading %s: %s\n", r.name, r.about)
	}
	for _, c := range choices {
		fmt.Fprintf(stdout, "- Choice %s; the other way: %s\n", c.name, c.other)
	}
	fmt.Fprintln(stdout)
	for _, of := range tables {
		t := of(scenes)
		if err := failed(scenes); err != nil {
			return err
		}
		progress.Done("%s", t.Title)
		if err := trial.WriteTables(stdout, o.out, t); err != nil {
			return err
		}
	}
	found, others := findings(claims(), scenes), otherwise(claims(), scenes)
	if err := failed(scenes); err != nil {
		return err
	}
	simulations := 0
	for _, s := range scenes {
		for _, w := range slices.Concat(s.worlds[:1], s.thinned) { // the memory is that of all worlds
			simulations += len(w.runs)
		}
	}
	progress.Done("%d simulations in all", simulations)
	trial.WriteClaims(stdout, circumstances, found)
	writeTally(stdout, claims(), scenes)
	if err := trial.WriteTables(stdout, o.out, others); err != nil {
		return err
	}
	return trial.WriteCSV(o.out, "claims.csv", trial.ClaimRows(circumstances, found))
}

// circumstances are those of a finding.
var circumstances = []string{"reading"}

// scenes reads or makes the logs.
func (o options) scenes() ([]scene, error) {
	var logs [2]log
	var err error
	if o.traces != "" {
		logs, err = readLogs(o.traces)
		if err != nil {
			return nil, err
		}
	}
	var all []scene
	for _, r := range readings {
		s := scene{reading: r}
		kept := &memory{runs: map[simulation]*summary{}}
		for k := range o.repeats {
			w := &world{logs: logs, reading: r, seed: o.seed + uint64(k), memory: kept}
			if o.traces == "" {
				w.logs, err = synthesize(o.jobs, w.seed)
				if err != nil {
					return nil, err
				}
			}
			s.worlds = append(s.worlds, w)
		}
		s.thin()
		all = append(all, s)
	}
	return all, nil
}

// failed is the first error of all simulations.
func failed(scenes []scene) error {
	for _, s := range scenes {
		for _, w := range slices.Concat(s.worlds, s.thinned) {
			if w.err != nil {
				return w.err
			}
		}
	}
	return nil
}
