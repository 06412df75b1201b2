// Toporkov repeats the experiments of Toporkov, Toporkova and Yemelyanov ("Slot
// co-allocation optimization in distributed computing with heterogeneous
// resources", §4), prints their numbers beside ours, and claim by claim
// whether it holds, and writes the numbers as CSV and two windows as
// pictures. RESULTS.md has those of one run.
//
//	go run ./bench/paper/toporkov
//	go run ./bench/paper/toporkov -quick   # less than a minute
//
// The paper does not give these settings, which are assumed here: a tick on a node costs
// 0.117 times its performance, up to half more or less, which is calibrated so that the
// best quality is near that of Figure 3; the initial load of a node is 30 % of
// the interval times a hypergeometric share (10 draws out of 20, of which 10
// count), cut into tasks of 40 to 250 ticks that lie anywhere, which is calibrated
// by Table 1.
//
// Each algorithm meets the same environments. A time is the least of three calls,
// and of one for MultipleBest and MaxQ. MaxQ, DEP and COORD are run as published
// in the first environments only; in the others, starts at which a bound shows
// that nothing better is to be had are left out, which does not change the value.
package main

import (
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the arguments.
type settings struct {
	environments int
	plain        int // so many with the programs as published
	large        int // environments with 1 000 nodes
	seed         uint64
	out          string // folder; "" for none
}

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	return trial.Program{
		Name:  "toporkov",
		Quick: "environments=100 plain=2 large=3",
		Flags: func(f *flag.FlagSet) {
			f.IntVar(&s.environments, "environments", 2000, "`number` of environments")
			f.IntVar(&s.plain, "plain", 12, "`number` of environments in which MaxQ, DEP and COORD are run as published")
			f.IntVar(&s.large, "large", 40, "`number` of environments with 1 000 nodes")
			f.Uint64Var(&s.seed, "seed", 1, "`seed` of the environments")
			f.StringVar(&s.out, "out", "out/toporkov", "`folder` for the CSV and SVG files; none if empty")
		},
		Check: func() error { return s.check() },
		Run:   func(stdout io.Writer, p trial.Progress) error { return experiments(s, stdout, p) },
	}.Main(args, stdout, stderr)
}

func (s settings) check() error {
	if s.environments < 1 || s.plain < 1 || s.plain > s.environments || s.large < 1 {
		return errors.New("-environments, -plain and -large are at least 1, and -plain at most -environments")
	}
	return nil
}

// experiments runs all algorithms, and writes the tables and the verdicts.
func experiments(s settings, stdout io.Writer, progress trial.Progress) error {
	r, err := measure(paper, algorithms, s.environments, s.plain, s.seed, progress)
	if err != nil {
		return err
	}
	many, err := measure(large, largeAlgorithms, s.large, 0, s.seed, progress)
	if err != nil {
		return err
	}
	progress.Done("%d environments with 1 000 nodes", s.large)
	err = trial.WriteTables(stdout, s.out,
		r.table("The setting of the paper: 7 of 100 nodes", "table1.csv"),
		many.table("64 of 1 000 nodes", "large.csv"))
	if err != nil {
		return err
	}
	found := append(paperFindings(r), ownFindings(r, many)...)
	trial.WriteClaims(stdout, nil, found)
	err = trial.WriteCSV(s.out, "claims.csv", trial.ClaimRows(nil, found))
	if err != nil || s.out == "" {
		return err
	}
	return draw(s.out, paper, s.seed)
}

// random returns the generator of an environment.
func random(seed uint64, environment int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(environment)))
}
