// Stevens repeats the experiments of Stevens et al. ("Multi-cost job routing and
// scheduling in Grid networks", 2009, §5), prints claim by claim whether their
// findings hold here, and writes the numbers as CSV. RESULTS.md has those of one
// run.
//
//	go run ./bench/paper/stevens                            # about half an hour
//	go run ./bench/paper/stevens -quick                     # less than a minute
//	go run ./bench/paper/stevens -topology germany50.txt -without MC-T,MC-B
//
// Nine nodes and sixteen links of 1 Gb/s, three of the nodes with a cluster of 60
// CPUs of 25 000 MIPS; Poisson arrivals, exponential sizes, a deadline of twice the
// time for sending and working; 10 000 slots of 1 ms for links, and of 40 ms for
// clusters (-cluster-slot 1 books them to the millisecond).
//
// Some settings differ from the paper's. The table of Fig. 10 was not available, so that
// nine real places stand for it. The links are ours, with great-circle distances and the
// degrees that the paper's limit of the load implies. Delays are rounded up to
// milliseconds.
//
// The paper leaves other settings open. Here a tenth of the tasks comes first, and does
// not count. A task whose data is at the cluster sends nothing. ECT takes the completion
// with the contention of its path into account. SAMCRA sees which links and CPUs are free
// at the moment, and a burst or a task that meets another later is blocked; the limits of
// SAMCRA are 200 ms and one free CPU.
//
// All algorithms meet the same tasks in a run, each on a network of its own, and
// claims are judged by pairs.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
)

func main() { os.Exit(start(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the arguments.
type settings struct {
	rates      trial.Numbers // tasks in a second
	runs, jobs int
	slot       int64 // of clusters, in ticks
	seed       uint64
	out        string // folder; "" for none
	graph      graph
	algorithms []algorithm
}

func start(args []string, stdout, stderr io.Writer) int {
	s := settings{graph: phosphorus(), algorithms: algorithms, rates: trial.Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	return trial.Program{
		Name:  "stevens",
		Quick: "rates=2,5,8,10 runs=4 jobs=400",
		Flags: func(f *flag.FlagSet) {
			f.Var(&s.rates, "rates", "`list` of arrival rates λ in tasks per second, by commas")
			f.IntVar(&s.runs, "runs", 5, "runs of each point, `times`")
			f.IntVar(&s.jobs, "jobs", 10_000, "`tasks` of a run that count")
			f.Int64Var(&s.slot, "cluster-slot", clusterSlot, "slot of a cluster τₘ, in `milliseconds`")
			f.Uint64Var(&s.seed, "seed", 1, "`seed` of the first run")
			f.StringVar(&s.out, "out", "out/stevens", "`folder` for the CSV files; none if empty")
			f.Func("topology", "SNDlib `file` to take in place of the nine nodes", s.load)
			f.Func("without", "`list` of algorithms to leave out, by commas", s.leave)
		},
		Check: func() error { return s.check() },
		Run:   func(stdout io.Writer, p trial.Progress) error { return experiments(s, stdout, p) },
	}.Main(args, stdout, stderr)
}

func (s settings) check() error {
	switch {
	case s.runs < 2:
		return fmt.Errorf("-runs %d is less than 2: there is no confidence interval", s.runs)
	case s.jobs < 1:
		return fmt.Errorf("-jobs %d is less than 1", s.jobs)
	case s.slot < 1 || s.slot > clusterTicks:
		return fmt.Errorf("-cluster-slot %d is not between 1 and %d", s.slot, clusterTicks)
	case len(s.graph.nodes) < clusters:
		return fmt.Errorf("%s has fewer nodes than the %d clusters", s.graph.name, clusters)
	}
	return nil
}

// load reads the network from a file.
func (s *settings) load(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.graph, err = readSNDlib(f)
	return err
}

// leave takes all algorithms but those named.
func (s *settings) leave(names string) error {
	s.algorithms = slices.Clone(algorithms)
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(s.algorithms, func(a algorithm) bool { return a.name == name })
		if i < 0 {
			return fmt.Errorf("there is no algorithm %q", name)
		}
		s.algorithms = slices.Delete(s.algorithms, i, i+1)
	}
	return nil
}

// experiments runs the workloads in turn.
func experiments(s settings, stdout io.Writer, progress trial.Progress) error {
	var all []point
	for _, w := range workloads {
		for _, rate := range s.rates {
			points, err := s.points(w, rate)
			if err != nil {
				return fmt.Errorf("%s, λ = %g: %w", w.name, rate, err)
			}
			all = append(all, points...)
			progress.Done("%s, λ = %g", w.name, rate)
		}
	}
	err := trial.WriteTables(stdout, s.out, table(s.graph.name, all))
	if err != nil || len(s.algorithms) < len(algorithms) {
		return err
	}
	worst, pairs := findings(claims, s.rates, all)
	trial.WriteClaims(stdout, []string{"pairs"}, worst)
	return trial.WriteCSV(s.out, "claims.csv", trial.ClaimRows([]string{"pairs"}, pairs))
}

// points runs each algorithm on the same streams.
func (s settings) points(w workload, rate float64) ([]point, error) {
	points := make([]point, len(s.algorithms))
	warm := s.jobs / 10
	for i, a := range s.algorithms {
		points[i] = point{workload: w.name, algorithm: a.name, rate: rate}
	}
	for k := range s.runs {
		tasks := newStream(w, len(s.graph.nodes), warm+s.jobs, rate, s.seed+uint64(k))
		for i, a := range s.algorithms {
			o, err := run(s.graph, tasks, a, warm, bookahead.Duration(s.slot))
			if err != nil {
				return nil, err
			}
			points[i].runs = append(points[i].runs, o)
		}
	}
	return points, nil
}
