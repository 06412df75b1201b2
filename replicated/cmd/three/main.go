// Three starts three members of a replicated desk on loopback, books under load, kills the leader again and again,
// and prints the results:
//
//	go -C replicated run ./cmd/three
//	go -C replicated run ./cmd/three -kills 100 -for 3m
//	go -C replicated run ./cmd/three -members 1
//
// Each member is a process, and is killed by SIGKILL. The clients are in this process, and try each call until there
// is an answer. At the end each answer is compared with the state of each member. The exit code is 1 if a booking is
// lost or is there twice, or if members differ.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	"github.com/bookahead/bookahead/replicated/internal/trial"
)

func main() {
	trial.Member()
	var p trial.Plan
	flag.IntVar(&p.Kills, "kills", 5, "how often the leader is killed")
	flag.IntVar(&p.Clients, "clients", 8, "how many clients book at once")
	flag.IntVar(&p.Members, "members", 3, "how many members there are: 1 or 3")
	flag.DurationVar(&p.For, "for", 12*time.Second, "for how long they book, at least")
	flag.DurationVar(&p.Random, "random", 4*time.Second, "how often any member is killed besides, on average; 0 for never")
	flag.Uint64Var(&p.Seed, "seed", 1, "seed of the killer and of the clients")
	verbose := flag.Bool("v", false, "print each kill")
	flag.Parse()
	err := run(p, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "three:", err)
		os.Exit(1)
	}
}

func run(p trial.Plan, verbose bool) error {
	if flag.NArg() > 0 || p.Members < 1 || p.Clients < 1 || p.Kills < 0 || p.For <= 0 {
		return fmt.Errorf("flags %q are out of range or unknown; see -help", os.Args[1:])
	}
	if p.Random <= 0 {
		p.Random = -1
	}
	if verbose {
		begun := time.Now()
		p.Say = func(format string, args ...any) {
			fmt.Printf("%8v  %s\n", time.Since(begun).Round(time.Millisecond), fmt.Sprintf(format, args...))
		}
	}
	dir, err := os.MkdirTemp("", "three")
	if err != nil {
		return err
	}
	p.Dir = dir
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Printf("%d members, %d clients; the leader is killed %d times\n", p.Members, p.Clients, p.Kills)
	r, err := trial.Run(ctx, p)
	if err != nil {
		return fmt.Errorf("%w (the logs of the members are in %s)", err, dir)
	}
	print(r)
	if len(r.Wrong) > 0 {
		for _, w := range r.Wrong[:min(20, len(r.Wrong))] {
			fmt.Println("WRONG:", w)
		}
		return fmt.Errorf("%d things are wrong (the logs of the members are in %s)", len(r.Wrong), dir)
	}
	fmt.Println("nothing is lost, nothing is there twice, and all members have the same bytes")
	return os.RemoveAll(dir)
}

func print(r trial.Result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	line := func(name string, value any) { fmt.Fprintf(w, "%s\t%v\n", name, value) }
	line("booked", fmt.Sprintf("%d in %v, %.0f a second with all stops", r.Booked, r.Took.Round(time.Millisecond), float64(r.Booked)/r.Took.Seconds()))
	line("cancelled", r.Cancelled)
	line("without an answer", r.Unknown)
	line("killed", fmt.Sprintf("%d times, %d of them as the leader", r.Kills, r.LeaderKills))
	line("elections", r.Elections)
	line("longest stop", r.Stop.Round(time.Millisecond))
	line("after a kill of the leader", fmt.Sprint("the next answer comes in ", r.Back.Round(time.Millisecond), ", in half of the cases"))
	line("p50, p99, p99.9", fmt.Sprint(r.P50.Round(time.Microsecond), ", ", r.P99.Round(time.Microsecond), ", ", r.P999.Round(time.Microsecond)))
	line("entries of the log", r.Entries)
	line("state", fmt.Sprintf("%d bytes on each member", r.Bytes))
	_ = w.Flush()
}
