// Schneider repeats the experiments of Schneider and Linnert ("List-based data
// structures for efficient management of advance reservations", 2012, §8), prints
// claim by claim whether their findings hold here, and writes the numbers as
// CSV. RESULTS.md has those of one run.
//
//	go run ./bench/paper/schneider            # less than half an hour
//	go run ./bench/paper/schneider -quick     # less than a minute
//
// The paper does not give these settings, which are assumed here: the book-ahead time is
// 900 000 s (800 000 s in Figure 8), so that all slots are whole seconds wide and the
// narrowest are exact; a job is submitted up to half of the book-ahead time before its
// ready time, which is its lead, and has twice its duration to spare (the paper takes both
// from Aida and Casanova); short jobs run for five hours on average, or half of that in a
// workflow, and long ones seven times as long.
//
// A list is walked from now on, so that its time grows with the lead. So the claims on the
// list's time are judged at leads of 0, 1/100 and 1/20 of the book-ahead time as well. A
// verdict that is the opposite there cannot be told.
//
// A run begins with one book-ahead time of warm-up, which counts for nothing. Then comes
// the steady part. Its load is the work that is submitted, over the work that the machine
// can do meanwhile; each run has exactly its load. Jobs that would not fit into the
// book-ahead time of an empty machine are left out. All loads are above 1, as in the
// paper.
//
// All structures meet the same jobs in a repeat, and claims are judged by pairs.
// A fast structure makes all repeats, and the success rate of another is its
// rate and their difference. Repeats end when the intervals are narrow, or the
// time for a point is up; then the claims that rest on the point say so. The time of a
// reading of the clock is subtracted from each call. A call that takes a hundred times the
// median was interrupted, and counts as the median.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the arguments.
type settings struct {
	loads   trial.Numbers
	length  float64       // of the steady part, in book-ahead times
	repeats int           // at most, of each run
	most    time.Duration // for the repeats of a point, but for the fewest
	large   []int64       // units of the larger clusters, the largest last
	seed    uint64        // of the first repeat
	out     string        // folder; "" for none
}

func run(args []string, stdout, stderr io.Writer) int {
	s := settings{loads: trial.Numbers{3, 2, 1.3}, large: []int64{512, 2048, 4096}}
	return trial.Program{
		Name:  "schneider",
		Quick: "length=0.3 repeats=4 most=1ms large=512",
		Flags: func(f *flag.FlagSet) {
			f.Var(&s.loads, "loads", "`list` of loads, by commas")
			f.Float64Var(&s.length, "length", 3, "length of the steady part, in book-ahead `times`")
			f.IntVar(&s.repeats, "repeats", 100, "repeat each run until the confidence intervals are narrow, or this `often`")
			f.DurationVar(&s.most, "most", 20*time.Second, "`time` after which a point that has five repeats gets no more")
			f.Func("large", "`list` of the units of the larger clusters, by commas (default 512,2048,4096)", s.sizes)
			f.Uint64Var(&s.seed, "seed", 1, "`seed` of the first repeat")
			f.StringVar(&s.out, "out", "out/schneider", "`folder` for the CSV files; none if empty")
		},
		Check: func() error { return s.check() },
		Run:   func(stdout io.Writer, p trial.Progress) error { return experiments(s, stdout, p) },
	}.Main(args, stdout, stderr)
}

func (s settings) check() error {
	switch {
	case !(s.length > 0 && s.length <= 1000):
		return fmt.Errorf("-length %g is not between 0 and 1000", s.length)
	case s.repeats < 2:
		return fmt.Errorf("-repeats %d is less than 2: there is no confidence interval", s.repeats)
	case slices.Contains(s.large, smallUnits):
		return fmt.Errorf("-large %d is as large as the smaller cluster", s.large)
	}
	return nil
}

// sizes reads the units of the larger clusters.
func (s *settings) sizes(text string) error {
	s.large = nil
	for _, field := range strings.Split(text, ",") {
		units, err := strconv.ParseInt(field, 10, 64)
		if err != nil || units < 1 {
			return fmt.Errorf("%q is not a number of units", field)
		}
		s.large = append(s.large, units)
	}
	slices.Sort(s.large)
	s.large = slices.Compact(s.large)
	return nil
}

// experiments runs the figures in turn.
func experiments(s settings, stdout io.Writer, progress trial.Progress) error {
	var all []point
	for _, figure := range figures(s.large) {
		var points []point
		for _, e := range figure.experiments {
			for _, load := range s.loads {
				more, err := sweep(e, s, load, progress)
				if err != nil {
					return fmt.Errorf("%s: load %g: %w", figure.name, load, err)
				}
				points = append(points, more...)
			}
		}
		err := trial.WriteTables(stdout, s.out, figure.table(points))
		if err != nil {
			return err
		}
		all = append(all, points...)
	}
	fmt.Fprintf(stdout, "%d of %d points did not converge to ± %g points of success and ± %g %% of the time.\n\n",
		len(all)-count(all, point.converged), len(all), 100*narrowSuccess, 100*narrowTime)
	found, err := findings(claims(s.large), s.loads, all)
	if err != nil {
		return err
	}
	found = append(found, always(all)...)
	trial.WriteClaims(stdout, []string{"loads"}, found)
	return trial.WriteCSV(s.out, "claims.csv", trial.ClaimRows([]string{"loads"}, found))
}
