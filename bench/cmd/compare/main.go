// Compare replays a workload as advance reservations on every structure of the
// library, checks that those which promise the same answers give them, and
// prints what each accepted and what each call cost.
//
//	go run ./bench/cmd/compare                           # a synthetic workload
//	go run ./bench/cmd/compare -trace KTH-SP2-1996.swf.gz
//
// A share of the jobs (-ar) is booked ahead: ready at a random time within
// -ahead after its submission, and with a deadline that lets it wait for one
// duration at most. The others are ready at once and may wait as long as the
// horizon lets them, which lies 14 days behind the longest time to book ahead.
// A tick is a second.
//
// It exits with 1 if something failed or structures disagree, and with 2 if the
// arguments make no sense.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/bench/replay"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its surroundings; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "compare:", err)
		return 2
	}
	rep, err := compare(s, stderr)
	if err == nil {
		err = rep.write(stdout, s.format)
	}
	if err != nil {
		fmt.Fprintln(stderr, "compare:", err)
		return 1
	}
	return 0
}

// compare replays the workload on each structure.
func compare(s settings, stderr io.Writer) (report, error) {
	in, err := load(s)
	if err != nil {
		return report{}, err
	}
	results := make([]replay.Result, len(s.structures))
	for i, st := range s.structures {
		fresh := func() (bookahead.Schedule, error) {
			return st.New(in.Capacity, bench.Config{Origin: in.bookings[0].Submit, Horizon: in.Horizon})
		}
		p := newProgress(stderr, st.Name, len(in.bookings))
		results[i], err = replay.Run(fresh, in.Capacity, in.bookings, p.update)
		p.clear()
		if err != nil {
			return report{}, fmt.Errorf("%s: %w", st.Name, err)
		}
	}
	if err := agree(s.structures, in.bookings, results); err != nil {
		return report{}, err
	}
	return newReport(in, s.structures, results), nil
}
