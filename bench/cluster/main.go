// Cluster simulates a GPU cluster whose nodes fail and are drained, on two kinds of schedule: a
// nodes.Machine, which books nodes, and two pools, which book sums of GPUs and of cores and choose nodes
// when a gang starts. It prints how many promises of a start each kept and broke. RESULTS.md has
// the numbers of one run.
//
//	go run ./bench/cluster              # 20 000 jobs on 2 000 nodes
//	go run ./bench/cluster -quick       # a tenth of it, in seconds
//
// Nodes have 8 GPUs and 64 cores, in racks of 20. The jobs are those of workload.Gangs: 5 % are booked
// ahead, and estimates are 1 to 3 times the runs. Nodes fail when nobody expects it, and are
// repaired after 2 to 10 hours; racks are drained for 4 hours, which is known a day ahead. Both
// machines meet the same jobs and the same outages, one machine after the other, so that neither
// disturbs the other's wall time.
//
// At the default load of 0.8 some jobs wait from the second day on, until two days after the last
// submission. Estimates that are too long, gangs that want whole nodes or a rack, and work that
// outages undo leave two thirds of the GPUs in use; at a load of 1 the queue grows until the
// last job is submitted.
//
// A promise is a reservation that was accepted. It is broken if the gang finds no nodes at the start
// that it was booked for. It is displaced, and counts apart, if an outage took its nodes or its amounts.
//
// All runs are checked by a count of their tasks on each node, which uses no schedule. A run that is
// wrong is an error.
//
// Interrupt stops the program. It exits with 1 if it was stopped or if something failed, and with 2 if
// the arguments make no sense.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/plan"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// settings are the arguments.
type settings struct {
	nodes, jobs      int
	load, ahead      float64 // as in workload.Gangs
	failures, drains int
	policy, order    string
	seed             uint64
	out              string // folder; "" for none
}

// The values of -policy and -order.
var (
	policies = map[string]plan.Backfill{"fcfs": plan.None(), "firstfit": plan.FirstFit(), "easy": plan.EASY(1), "conservative": plan.Conservative()}
	orders   = map[string]plan.Order{"fcfs": plan.FCFS(), "sjf": plan.SJF(), "lsf": plan.LSF()}
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	return trial.Program{
		Name:  "cluster",
		Quick: "nodes=200 jobs=2000 failures=5 drains=10",
		Flags: func(f *flag.FlagSet) {
			f.IntVar(&s.nodes, "nodes", 2000, "`number` of nodes")
			f.IntVar(&s.jobs, "jobs", 20_000, "`number` of jobs")
			f.Float64Var(&s.load, "load", 0.8, "work of the jobs, over that of all GPUs until the last is submitted")
			f.Float64Var(&s.ahead, "ahead", 0.05, "`share` of the jobs that are booked ahead")
			f.IntVar(&s.failures, "failures", 50, "`number` of nodes that fail")
			f.IntVar(&s.drains, "drains", 100, "`number` of racks that are drained")
			f.StringVar(&s.policy, "policy", "easy", "who may overtake in the queue: fcfs (nobody), firstfit, easy, conservative")
			f.StringVar(&s.order, "order", "fcfs", "who is next in the queue: fcfs, sjf (shortest), lsf (largest)")
			f.Uint64Var(&s.seed, "seed", 1, "`seed` of jobs and outages")
			f.StringVar(&s.out, "out", "out/cluster", "`folder` for the CSV files; none if empty")
		},
		Check: func() error { return s.check() },
		Run:   func(stdout io.Writer, p trial.Progress) error { return compare(ctx, s, stdout, p) },
	}.Main(args, stdout, stderr)
}

func (s settings) check() error {
	switch {
	case s.nodes < 2 || s.nodes > 100_000:
		return fmt.Errorf("-nodes %d is not between 2 and 100000", s.nodes)
	case s.jobs < 1 || s.jobs > 1_000_000:
		return fmt.Errorf("-jobs %d is not between 1 and 1000000", s.jobs)
	case !(s.load >= 0.001 && s.load <= 1000):
		return fmt.Errorf("-load %g is not between 0.001 and 1000", s.load)
	case !(s.ahead >= 0 && s.ahead <= 1):
		return fmt.Errorf("-ahead %g is not between 0 and 1", s.ahead)
	case min(s.failures, s.drains) < 0 || max(s.failures, s.drains) > 100_000:
		return fmt.Errorf("-failures %d and -drains %d are not between 0 and 100000", s.failures, s.drains)
	case !have(policies, s.policy):
		return fmt.Errorf("-policy %q is none of fcfs, firstfit, easy, conservative", s.policy)
	case !have(orders, s.order):
		return fmt.Errorf("-order %q is none of fcfs, sjf, lsf", s.order)
	}
	return nil
}

func have[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}

// compare runs the scenario on both machines, and prints and writes the tables.
func compare(ctx context.Context, s settings, stdout io.Writer, p trial.Progress) error {
	x, err := newScenario(s)
	if err != nil {
		return err
	}
	var all []summary
	for _, machine := range []string{"nodes", "pools"} {
		sum, err := x.simulate(ctx, machine, p)
		if err != nil {
			return fmt.Errorf("%s: %w", machine, err)
		}
		all = append(all, sum)
	}
	shown, files := tables(all)
	shown.Write(stdout)
	foreseen, err := forecasts(ctx, s, p)
	if err != nil {
		return err
	}
	shown, file := forecastTables(foreseen)
	shown.Write(stdout)
	return trial.WriteTables(stdout, s.out, append(files, file)...)
}
