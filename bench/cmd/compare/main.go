// Compare replays a workload as advance reservations on every structure of the
// library. It prints the share of requests that each accepted, and the cost of its calls.
// It checks that structures which promise the same answers give them, and names these
// structures below the table.
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
// The default structure, carts.Indexed, runs first. No other gets more than 10 times
// its time, and -most if that is more: one that needs longer is cut short, and is
// measured and compared over its first jobs. A structure that cannot be made for the
// workload has a row without numbers, and the reason below the table.
//
// It exits with 1 if something failed or structures disagree, and with 2 if the
// arguments make no sense.
package main

import (
	"io"
	"os"
	"time"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main with its surroundings; it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	return trial.Program{
		Name:  "compare",
		Flags: s.flags,
		Check: s.check,
		Run:   func(stdout io.Writer, p trial.Progress) error { return compare(s, stdout, p) },
	}.Main(args, stdout, stderr)
}

// compare replays the workload on each structure. The table has each row as soon as it
// is known; CSV is written at the end, so that no program reads half of it.
func compare(s settings, stdout io.Writer, progress trial.Progress) error {
	in, err := load(s)
	if err != nil {
		return err
	}
	shown := stdout
	if s.format == "csv" {
		shown = io.Discard
	}
	t := newTable(shown, in)
	if err := t.head(); err != nil {
		return err
	}
	c := newComparison(in, time.Now, progress)
	for _, st := range s.structures {
		r, err := c.run(st)
		if err != nil {
			return err
		}
		if err := t.row(r); err != nil {
			return err
		}
	}
	if s.format == "csv" {
		return writeCSV(stdout, t.rows)
	}
	return t.tail()
}
