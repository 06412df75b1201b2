// Report compares the structures of the library with each other and with others, simulates a cluster that fails, repeats
// the experiments of the five papers at a small scale, and writes all of it as one HTML
// page with pictures, which needs nothing else: it opens offline, and on a telephone.
//
//	go -C bench/report run .                       # two minutes; writes out/report.html
//	go -C bench/report run . -keep ../../out       # and keeps the numbers as CSV
//	go -C bench/report run . -from ../../out       # draws what is there already
//
// Paths are relative to bench/report. The folder of -from and -keep has a folder for
// the comparison, for the peers, for the cluster and for each paper: bench/cmd/compare writes CSV to
// compare/compare.csv, bench/peers to peers/peers.csv, and bench/cluster and the programs in bench/paper
// write to a folder of their name. So it may be the folder that these programs write to by themselves.
//
// At a small scale many claims are inconclusive; RESULTS.md beside each program
// has the numbers of a run in full. It exits with 1 if something failed: then the
// page says what, in its place.
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
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var out, from, keep string
	f := flag.NewFlagSet("report", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&out, "out", filepath.Join("..", "..", "out", "report.html"), "`file` for the page")
	f.StringVar(&from, "from", "", "draw from the CSV files in this `folder`, and measure nothing")
	f.StringVar(&keep, "keep", "", "keep the CSV files in this `folder`")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	switch {
	case f.NArg() > 0:
		fmt.Fprintf(stderr, "report: unexpected argument %q\n", f.Arg(0))
		return 2
	case from != "" && keep != "":
		fmt.Fprintf(stderr, "report: -keep %q has nothing to keep, as -from measures nothing\n", keep)
		return 2
	}
	failed, err := report(out, from, keep, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "report:", err)
		return 1
	}
	if path, err := filepath.Abs(out); err == nil {
		out = path
	}
	fmt.Fprintln(stdout, out)
	if failed {
		fmt.Fprintln(stderr, "report: something is missing in the page, which says what")
		return 1
	}
	return 0
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
