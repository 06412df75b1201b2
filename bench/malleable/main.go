// Malleable measures the gain of work whose rate may change while it runs, as package volume plans it, over work at one
// rate. RESULTS.md has the numbers of one run.
//
//	go run ./bench/malleable -data data   # a folder with topologies/mosp and swf: netMaker and KTH SP2
//	go run ./bench/malleable              # a network and jobs of the same kind, made from the seed
//	go run ./bench/malleable -quick       # the same in seconds
//
// # Transfers
//
// Transfers with deadlines cross a network of links, each a pool of 100 units. They come one by one, and each is accepted or
// refused at once. A transfer takes the path of the fewest links, and all links of the path have the same rate at
// the same tick. So the free units of a path are those of its fullest link. They are worked out exactly, from the steps of
// all links, and the plan on them is booked on each link. A transfer that fits is never refused, so the order of arrival decides.
// Two things are not the best there is: a transfer has one path, and nobody knows the transfers to come.
//
// A load of 1 asks the busiest link for as much as it can carry. A transfer wants 5, 10, 20 or 40 units at most, for an
// exponential number of ticks at this rate, 60 in the mean, and is ready up to 120 ticks after it comes. Its time until the
// deadline is between 1 and 2 slack - 1 times the time at the most rate: slack times in the mean. Chance decides the 12 sites
// and the transfers of a run. All policies meet the same transfers, and the first fifth of the time does not count.
//
// # Jobs
//
// Jobs of w processors and d seconds are booked in the order of submission (conservative backfilling). A job counts as a
// volume of w d, whatever its rate is: as if it had linear speedup, and could change its rate for nothing. d is the time that
// the job ran, cut at the time that its user asked for, so each policy knows the runs beforehand. With a deadline, the
// submission + k d, a job that would end later is refused.
//
// # Queues
//
// The same jobs run through a plan.Queue under EASY(1), which knows their estimates only: a job is over when its work is done. They are
// whole, or in pieces, or a volume of w times the estimate (plan.Part), which may yield to less work (plan.Config.Yield). Each change is made at the tick at which the queue tells it.
//
// # Policies
//
//	fixed, most rate     the most units, at the earliest place
//	fixed, least rate    the fewest units that meet the deadline
//	best of fixed rates  the most units, their half, quarter and so on, and the fewest: the plan that ends first
//	1, 2, 4, 8, any stretches    the plan of volume.Search that ends first
//	planned anew         when a request comes, all that meet it on a link are planned anew, the nearest deadline first. If one of
//	                     them would miss its deadline, the plans stay, and the request is refused. Without deadlines the
//	                     shortest job is first. Work at a fixed rate stays where it is once it has begun.
//
// Interrupt stops the program. It exits with 1 if it was stopped or if something failed, and with 2 if the arguments make
// no sense.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// settings are the arguments.
type settings struct {
	data   string        // folder; "" for a network and jobs that are made
	loads  trial.Numbers // of the busiest link
	slacks trial.Numbers
	runs   int
	ticks  int
	jobs   int           // at most; 0 for all
	denser trial.Numbers // how many times as fast as in the log the jobs come
	seed   uint64        // of the first run
	out    string        // folder; "" for none
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s := settings{loads: trial.Numbers{1, 2, 4}, slacks: trial.Numbers{1.5, 2, 4}, denser: trial.Numbers{1, 1.25}}
	return trial.Program{
		Name:  "malleable",
		Quick: "loads=1,4 slacks=2 runs=2 ticks=300 jobs=2000",
		Flags: func(f *flag.FlagSet) {
			f.StringVar(&s.data, "data", "", "`folder` with the network netMaker in topologies/mosp and the log KTH-*.swf* in swf; if empty, both are made")
			f.Var(&s.loads, "loads", "`list` of loads of the busiest link, by commas")
			f.Var(&s.slacks, "slacks", "`list` of mean times until the deadline, over the time at the most rate, by commas, each at least 1")
			f.IntVar(&s.runs, "runs", 5, "runs of each point, `times`")
			f.IntVar(&s.ticks, "ticks", 2000, "`ticks` in which transfers arrive")
			f.IntVar(&s.jobs, "jobs", 0, "`number` of jobs of the log; 0 for all, or 10 000 that are made")
			f.Var(&s.denser, "denser", "`list` of how many times as fast as in the log the jobs come, by commas")
			f.Uint64Var(&s.seed, "seed", 1, "`seed` of the first run")
			f.StringVar(&s.out, "out", "out/malleable", "`folder` for the CSV files; none if empty")
		},
		Check: func() error { return s.check() },
		Run:   func(stdout io.Writer, p trial.Progress) error { return experiments(ctx, s, stdout, p) },
	}.Main(args, stdout, stderr)
}

func (s settings) check() error {
	switch {
	case s.runs < 2:
		return fmt.Errorf("-runs %d is less than 2: there is no confidence interval", s.runs)
	case s.ticks < 10 || s.ticks > 1_000_000:
		return fmt.Errorf("-ticks %d is not between 10 and 1000000", s.ticks)
	case s.jobs < 0 || s.jobs > 1_000_000:
		return fmt.Errorf("-jobs %d is not between 0 and 1000000", s.jobs)
	}
	for _, slack := range s.slacks {
		if slack < 1 {
			return fmt.Errorf("-slacks %g is less than 1: no rate meets the deadline", slack)
		}
	}
	return nil
}

// experiments runs all parts, and prints and writes the tables.
func experiments(ctx context.Context, s settings, stdout io.Writer, p trial.Progress) error {
	n, about, err := s.network()
	if err != nil {
		return err
	}
	jobs, capacity, source, err := s.log()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "- Network: %s\n- Jobs: %s\n- Seed: %d\n\n", about, source, s.seed)
	tables, err := s.acceptance(ctx, n, p)
	if err != nil {
		return fmt.Errorf("transfers: %w", err)
	}
	more, err := s.turnarounds(ctx, jobs, capacity, p)
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	queues, err := s.queues(ctx, jobs, capacity, p)
	if err != nil {
		return fmt.Errorf("queues: %w", err)
	}
	return trial.WriteTables(stdout, s.out, append(append(tables, more...), queues)...)
}
