// Mutants seeds faults into packages, one at a time, and finds out which tests find each.
//
//	go run ./internal/mutants -n 20 -seed 1 ./internal/ledger ./carts
//
// draws 20 of the possible faults of two packages: a comparison turned around or off by one, a
// number off by one, another operator, a branch that is never or always taken, a statement left
// out. Each test that reaches the place of a fault runs alone with it, from the cheapest up. First all
// tests of the package run that cost at most -bound, and then, as long as the fault lives, those of
// packages that depend on it, and the dearer ones. With -short the tests are short. The checkout stays as it is.
//
// With -dir, the drawn list, the cost and the coverage of each test, and each result are kept in a
// folder. The same command goes on where a run was broken off, and another depth tries only
// the faults that live. -table writes a page of the results:
//
//	go run ./internal/mutants -dir out/kills -n 400 -seed 39 -short ./carts ./nodes
//	go run ./internal/mutants -dir out/kills
//	go run ./internal/mutants -dir out/kills -table docs/kills.md
//
// -faults reads a list of faults instead, such as the faults.json of a folder, and finds them in
// this checkout. If a fault lives, a test is missing, or the fault is equivalent: the program with it
// behaves like the original, and no test could find it.
//
// The program needs a Unix shell, for the limits of tests. Gremlins and go-mutesting, which are kept, count
// the faults that a whole run of go test finds: neither records tests, nor their cost.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

type options struct {
	n        int
	seed     uint64
	list     string
	dir      string
	short    bool
	bound    float64
	table    string
	packages []string
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 20, "how many faults to draw")
	flag.Uint64Var(&o.seed, "seed", 1, "the same seed draws the same faults")
	flag.StringVar(&o.list, "faults", "", "read the faults from this file, and draw none")
	flag.StringVar(&o.dir, "dir", "", "keep the list and the results in this folder, and go on with those that are there")
	flag.BoolVar(&o.short, "short", false, "run the tests with -short")
	flag.Float64Var(&o.bound, "bound", 1, "run all tests that cost so many `seconds`; dearer ones only as long as the fault lives")
	flag.StringVar(&o.table, "table", "", "run nothing, and write the results of -dir to this page")
	flag.Parse()
	for _, arg := range flag.Args() {
		o.packages = append(o.packages, path.Clean(filepath.ToSlash(arg)))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := start(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, o options) error {
	if o.table != "" {
		return writeTable(o.dir, o.table)
	}
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	r := &runner{dir: o.dir, temp: temp, depth: full, bound: o.bound, least: 10, log: os.Stdout, suites: map[string]*suite{}}
	if o.short {
		r.depth = short
	}
	if r.dir == "" {
		r.dir = filepath.Join(temp, "results")
	}
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	if r.module, err = module(); err != nil {
		return err
	}
	faults, err := r.list(o)
	if err != nil {
		return err
	}
	return r.all(ctx, faults)
}

// module returns the name of the checkout's module.
func module() (string, error) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		return "", fmt.Errorf("start the program in the root of the checkout: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(line, "module "), nil
}

// drawing is the list of faults of a folder, and the flags that made it.
type drawing struct {
	Flags  string
	Faults []fault
}

// list returns the faults of the folder, or else draws or reads them, and keeps them there.
func (r *runner) list(o options) ([]fault, error) {
	d, err := readDrawing(r.dir)
	if !errors.Is(err, os.ErrNotExist) {
		return d.Faults, err
	}
	switch {
	case o.list != "":
		var lost []fault
		d.Flags = "-faults " + filepath.Base(o.list)
		if d.Faults, lost, err = readList(o.list); err != nil {
			return nil, err
		}
		for _, f := range lost {
			r.progress("no place here: %v\n", f)
		}
	case len(o.packages) == 0:
		return nil, errors.New("name the packages to draw from, -faults, or a -dir that has faults")
	default:
		d.Flags = fmt.Sprintf("-n %d -seed %d", o.n, o.seed)
		for _, dir := range o.packages {
			d.Flags += " ./" + strings.TrimPrefix(dir, ".")
		}
		if d.Faults, err = draw(o.packages, o.n, o.seed); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(d, "", "\t")
	if err != nil {
		return nil, err
	}
	return d.Faults, os.WriteFile(filepath.Join(r.dir, "faults.json"), text, 0o666)
}

func readDrawing(dir string) (d drawing, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "faults.json"))
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	return d, err
}

// all tries the faults that have no result at this depth, and lists those that live.
func (r *runner) all(ctx context.Context, faults []fault) error {
	old, err := readOutcomes(r.dir)
	if err != nil {
		return err
	}
	done := map[fault]outcome{}
	for _, o := range old {
		if o.Depth == r.depth || o.Verdict != alive {
			done[o.Fault] = o
		}
	}
	out, err := os.OpenFile(filepath.Join(r.dir, results), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer out.Close()
	count := map[string]int{}
	for i, f := range faults {
		o, ok := done[f]
		if !ok {
			if o, err = r.try(ctx, f); err != nil {
				return err
			}
			if err := json.NewEncoder(out).Encode(o); err != nil {
				return err
			}
			done[f] = o
			r.progress("%d of %d, %.0f s: %v\n", i+1, len(faults), o.Seconds, o)
		}
		count[o.Verdict]++
	}
	for _, f := range faults {
		if o := done[f]; o.Verdict == alive {
			r.progress("lives: %v\n", o)
		}
	}
	r.progress("%d of %d faults are killed, %d live, %d do not build\n", count[killed], len(faults), count[alive], count[unbuilt])
	return nil
}

// results is the file of outcomes, one a line.
const results = "results.jsonl"

// readOutcomes returns the outcomes of a folder. A line that was broken off is left out.
func readOutcomes(dir string) (list []outcome, err error) {
	file, err := os.Open(filepath.Join(dir, results))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err == nil {
			list = append(list, o)
		}
	}
	return list, lines.Err()
}
