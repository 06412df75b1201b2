// Castillo repeats the experiments of Castillo, Rouskas and Harfoush ("Resource
// co-allocation for large-scale distributed environments", HPDC 2009,
// doi:10.1145/1551609.1551634, §5), prints claim by claim whether their findings
// hold here, and writes the numbers as CSV. RESULTS.md has those of one run.
//
//	go run ./bench/paper/castillo -traces swf   # a folder with the logs of the archive
//	go run ./bench/paper/castillo -traces swf -logs KTH -repeats 2
//	go run ./bench/paper/castillo               # a synthetic log
//	go run ./bench/paper/castillo -quick        # the first 2000 jobs of it, in seconds
//
// The logs are those of the Parallel Workloads Archive, plain or compressed: the
// paper's CTC, KTH and HPC2N, and SDSC for the claims about any log. Without -traces
// there is a synthetic log, which each repeat draws anew. It stands for each of the
// paper's.
//
// Online, each job is booked when it is submitted, by the structure as published:
// Δt = τ = 15 min, and R_max = Q/2 attempts. The paper does not give the horizon H; here
// H is 180 days, so that the longest job fits in. Beside the published structure stand
// three more: the exact earliest start, from one tree of all idle periods, the batch
// system whose waits the log records, and our EASY, which is given the same durations.
//
// The paper says that a reservation lasts for the estimate. But its mean durations are
// those of the run times in the logs, and most of its findings can only be repeated with
// run times. So each log is read in four ways: booked for the run time on the processors
// of the log; the same on the processors of Table 1; booked for the estimate; and booked
// for the run time, but with starts at the boundaries of slots only. Claims are judged in
// each, and the first decides. The paper does not say whether starts lie at boundaries: a
// verdict of the first way that is the opposite in the last one cannot be told.
//
// The paper does not say either whether a penalty is a mean or a median. A few waits of
// days decide a mean, so that the claims on penalties are judged by both.
//
// Operations are the tree nodes that a search reads in all its attempts. The cost of
// entering a booking is in the seconds only.
//
// Chance decides only which jobs are booked ahead, and by how much; repeats differ in
// that alone.
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
		Quick: "jobs=2000 repeats=5",
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
		Check: func() error {
			switch {
			case o.jobs < 0 || o.jobs == 1:
				return fmt.Errorf("-jobs %d is neither 0 nor more than 1", o.jobs)
			case o.repeats < 2:
				return fmt.Errorf("-repeats %d is less than 2: there is no confidence interval", o.repeats)
			}
			return nil
		},
		Run: func(stdout io.Writer, p trial.Progress) error { return experiments(o, stdout, p) },
	}.Main(args, stdout, stderr)
}

// experiments runs all logs, and writes the tables and the verdicts.
func experiments(o options, stdout io.Writer, progress trial.Progress) error {
	scenes, err := o.scenes(progress)
	if err != nil {
		return err
	}
	writeLogs(stdout, scenes)
	for _, f := range figures {
		if err := trial.WriteTables(stdout, o.out, f.table(scenes)); err != nil {
			return err
		}
	}
	found := findings(claims(), scenes)
	trial.WriteClaims(stdout, circumstances, found)
	return trial.WriteCSV(o.out, "claims.csv", trial.ClaimRows(circumstances, found))
}

// writeLogs prints where the logs come from, and the settings.
func writeLogs(out io.Writer, scenes []scene) {
	said := map[string]bool{}
	for _, s := range scenes {
		l := s[0].log
		if !said[l.name] {
			said[l.name] = true
			fmt.Fprintf(out, "- %s: %s\n", l.name, l.about)
		}
	}
	for _, s := range settings {
		fmt.Fprintf(out, "- Setting %s: %s\n", s.name, s.about)
	}
	fmt.Fprintln(out)
}

// scenes runs all logs in all settings.
func (o options) scenes(progress trial.Progress) ([]scene, error) {
	logs, err := o.read()
	if err != nil {
		return nil, err
	}
	ctc := map[setting]*world{}
	var scenes []scene
	for _, repeats := range logs {
		for _, s := range settings {
			if !s.apply(repeats[0]) {
				continue
			}
			var sc scene
			var base *world
			for k := range o.repeats {
				if k < len(repeats) { // another log
					base, err = simulate(repeats[k], s)
					if err != nil {
						return nil, err
					}
				}
				if base.log.name == "CTC" {
					ctc[s] = base
				}
				base.peer = ctc[s]
				w, err := base.bookAhead(o.seed + uint64(k))
				if err != nil {
					return nil, err
				}
				sc = append(sc, w)
				progress.Done("%s, %s: repeat %d of %d", w.log.name, s.name, k+1, o.repeats)
			}
			if s == settings[0] {
				if err := sc[0].sweepSteps(); err != nil {
					return nil, err
				}
			}
			scenes = append(scenes, sc)
		}
	}
	return scenes, nil
}

// read returns the logs of each scene: one for all repeats, or a synthetic one for
// each.
func (o options) read() (logs [][]log, err error) {
	if o.traces == "" {
		var repeats []log
		for k := range o.repeats {
			l, err := synthesize(o.jobs, o.seed+uint64(k))
			if err != nil {
				return nil, err
			}
			repeats = append(repeats, l)
		}
		return [][]log{repeats}, nil
	}
	return readLogs(o.traces, o.logs, o.jobs)
}
