// Schneider repeats the experiments of Schneider and Linnert ("List-based data
// structures for efficient management of advance reservations", 2012, §8), prints
// claim by claim whether what they found holds here, and writes the numbers as
// CSV.
//
//	go run ./bench/paper/schneider            # a few minutes
//	go run ./bench/paper/schneider -jobs 500 -repeats 3 -out ""
//
// What the paper does not say, and is assumed here: the book-ahead time is
// 900 000 s, so that 900 000 slots are exact; a job may start up to half of that
// after its submission, and has twice its duration to spare (the paper takes
// both from Aida and Casanova); short jobs run for five hours on average, long
// ones seven times that, so that some thousand jobs fill the book-ahead time. Loads
// are given as the work that is submitted over what the machine can do, and all
// are overloads, as in the paper.
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the arguments.
type settings struct {
	jobs    int    // of each run
	repeats int    // at most, of each run
	seed    uint64 // of the first repeat
	out     string // folder; "" for none
}

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	f := flag.NewFlagSet("schneider", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.IntVar(&s.jobs, "jobs", 6000, "`number` of jobs of each run")
	f.IntVar(&s.repeats, "repeats", 12, "repeat each run until the confidence interval is narrow, or this `often`")
	f.Uint64Var(&s.seed, "seed", 1, "`seed` of the first repeat")
	f.StringVar(&s.out, "out", "out/schneider", "`folder` for the CSV files; none if empty")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case s.jobs < 1 || s.repeats < 2:
		fmt.Fprintf(stderr, "schneider: -jobs %d is less than 1, or -repeats %d less than 2\n", s.jobs, s.repeats)
		return 2
	}
	if err := experiments(s, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "schneider:", err)
		return 1
	}
	return 0
}

// experiments runs the figures in turn.
func experiments(s settings, stdout, stderr io.Writer) error {
	progress := func(format string, args ...any) {
		if f, ok := stderr.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				fmt.Fprintf(stderr, "\r\x1b[K"+format, args...)
			}
		}
	}
	var all []point
	for _, figure := range figures {
		points, err := figure.run(s, progress)
		if err != nil {
			return fmt.Errorf("%s: %w", figure.name, err)
		}
		progress("")
		writePoints(stdout, figure.name+": "+figure.about, points)
		if err := writeCSV(s.out, figure.file, points); err != nil {
			return err
		}
		all = append(all, points...)
	}
	writeClaims(stdout, all)
	return nil
}

func writePoints(out io.Writer, title string, points []point) {
	fmt.Fprintf(out, "%s\n\n%-24s %6s %7s %5s %20s %22s\n", title, "structure", "units", "gap s", "load", "success", "µs per reservation")
	for _, p := range points {
		fmt.Fprintf(out, "%-24s %6d %7.0f %5.1f %10.2f%% ± %5.2f%% %14.2f ± %5.2f\n",
			p.structure, p.units, p.gap, p.load, 100*p.success.mean, 100*p.success.half, p.micros.mean, p.micros.half)
	}
	fmt.Fprintln(out)
}

func writeCSV(folder, file string, points []point) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, file))
	if err != nil {
		return err
	}
	defer f.Close()
	c := csv.NewWriter(f)
	rows := [][]string{{"figure", "structure", "units", "mean_interarrival_s", "load", "success_rate", "success_ci95", "reserve_us", "reserve_us_ci95", "repeats"}}
	for _, p := range points {
		row := []string{p.figure, p.structure, strconv.FormatInt(p.units, 10)}
		for _, x := range []float64{p.gap, p.load, p.success.mean, p.success.half, p.micros.mean, p.micros.half} {
			row = append(row, strconv.FormatFloat(x, 'g', 6, 64))
		}
		rows = append(rows, append(row, strconv.Itoa(len(p.success.values))))
	}
	if err := c.WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}
