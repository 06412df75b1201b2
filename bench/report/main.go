// Report measures bookings on all structures, from 100 to a million live reservations, on nodes, on a desk and on a
// replicated desk; it compares the structures with each other and with others, simulates a cluster that fails, and repeats
// the experiments of the five papers at a small scale. It writes all of that as one HTML
// page with pictures. The page needs no other file: it opens offline, and on a telephone.
//
//	go -C bench/report run .                       # two to three minutes; writes out/report.html
//	go -C bench/report run . -keep ../../out       # and keeps the numbers
//	go -C bench/report run . -from ../../out       # draws the numbers that were kept
//
// Paths are relative to bench/report. The folder of -from and -keep has a folder for each chapter: bench.txt is the
// output of benchmarks, compare/compare.csv that of bench/cmd/compare, and the other programs write to a folder of
// their name. So -from may name the folder that these programs write to by themselves.
//
// The machine should have nothing else to do. The page has the load average in one line, and a claim about times that
// a busy machine cannot decide says so. At a small scale many claims are inconclusive; RESULTS.md beside each program
// has the numbers of a run in full. The exit code is 1 if a command failed: then the page has the
// reason in the place of its chapter.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var out, from, keep string
	return trial.Program{
		Name: "report",
		Flags: func(f *flag.FlagSet) {
			f.StringVar(&out, "out", filepath.Join("..", "..", "out", "report.html"), "`file` for the page")
			f.StringVar(&from, "from", "", "draw from the CSV files in this `folder`, and measure nothing")
			f.StringVar(&keep, "keep", "", "keep the CSV files in this `folder`")
		},
		Check: func() error {
			if from != "" && keep != "" {
				return fmt.Errorf("-keep %q has nothing to keep, as -from measures nothing", keep)
			}
			return nil
		},
		Run: func(stdout io.Writer, _ trial.Progress) error {
			failed, err := report(out, from, keep, stderr)
			if err != nil {
				return err
			}
			if path, err := filepath.Abs(out); err == nil {
				out = path
			}
			fmt.Fprintln(stdout, out)
			if failed {
				return errors.New("something is missing in the page, which has the reason")
			}
			return nil
		},
	}.Main(args, stdout, stderr)
}

// report measures, unless there are numbers already, and writes the page. It
// reports whether a part of the page is missing because something failed.
func report(out, from, keep string, stderr io.Writer) (failed bool, err error) {
	folder := cmp.Or(from, keep)
	if folder == "" {
		folder, err = os.MkdirTemp("", "report")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(folder)
	}
	if from == "" {
		err = measure(folder, chapters, stderr)
	} else {
		_, err = os.Stat(from)
	}
	if err != nil {
		return false, err
	}
	p, failed := compose(folder, chapters)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return false, err
	}
	var text bytes.Buffer
	if err := p.write(&text); err != nil {
		return false, err
	}
	return failed, os.WriteFile(out, text.Bytes(), 0o644)
}
