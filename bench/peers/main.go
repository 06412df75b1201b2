// Peers runs the same traces of operations through the structures of the library, and through structures that
// a program could have in their place: a step function on google/btree, an interval tree, a sorted
// slice. It prints one table in Markdown.
//
//	go -C bench/peers run .                                  # the standard traces, some minutes
//	go -C bench/peers run . -only AR-128-1000 -limit 1s
//	go -C bench/peers run . -traces mine.trace -lines flux.txt
//
// No planner gets more than -limit for a trace; the table has the number of operations that each managed.
// The time to fill a planner does not count. Ratios are to the default structure in the same run. With -lines, the
// results of other programs that were driven by the same files stand beside them. It exits with 1 if planners disagree.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/trace"
	"github.com/bookahead/bookahead/bench/workload"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	return trial.Program{
		Name: "peers", Flags: s.flags, Check: s.check, Run: s.run,
		Quick: "only=AR-128-1000,AR-128-100000,BATCH-4096-10000 limit=300ms turns=20000",
	}.Main(args, stdout, stderr)
}

// settings are the arguments.
type settings struct {
	only, impl, traces, lines string // lists, with commas between
	folder                    string
	limit                     time.Duration
	turns                     int

	churns   []workload.Churn
	planners []planner
}

func (s *settings) flags(f *flag.FlagSet) {
	f.StringVar(&s.only, "only", "", "run the standard traces of these `names` only, such as AR-128-1000")
	f.StringVar(&s.traces, "traces", "", "run the traces in these `files` instead")
	f.StringVar(&s.impl, "impl", "", "compare these `planners` with the default only: "+known(planners()))
	f.StringVar(&s.lines, "lines", "", "enter the lines of results in these `files`, of other programs")
	f.StringVar(&s.folder, "out", "", "write the numbers to peers.csv in this `folder`")
	f.DurationVar(&s.limit, "limit", 5*time.Second, "stop a planner after this `time`")
	f.IntVar(&s.turns, "turns", 200_000, "`number` of requests in each standard trace")
}

// list splits a list; an empty one has nothing.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

func (s *settings) check() (err error) {
	switch {
	case s.limit <= 0:
		return fmt.Errorf("-limit %v is not above 0", s.limit)
	case s.turns < 1:
		return fmt.Errorf("-turns %d is less than 1", s.turns)
	case s.only != "" && s.traces != "":
		return errors.New("-only and -traces exclude each other")
	}
	s.churns, err = trace.Choose(s.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	s.planners = planners()
	if s.impl != "" {
		s.planners, err = choose(list(s.impl))
		if err != nil {
			return fmt.Errorf("-impl: %w", err)
		}
	}
	return nil
}

// run prints a row as soon as it is known. The CSV file is written at the end.
func (s *settings) run(stdout io.Writer, progress trial.Progress) error {
	others, err := readLines(list(s.lines))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, head); err != nil {
		return err
	}
	rows, differ := [][]string{columns}, ""
	err = s.each(func(t *trace.Trace) error {
		progress.Now("running %s", t.Name)
		done, err := s.trace(t, others, func(r row) error {
			rows = append(rows, r.cells())
			if !r.Same {
				differ += fmt.Sprintf("; %s on %s", r.Planner, r.Trace)
			}
			return r.write(stdout)
		})
		progress.Done("%s: %d planners", t.Name, done)
		return err
	})
	if err != nil {
		return err
	}
	if err := trial.WriteCSV(s.folder, "peers.csv", rows); err != nil {
		return err
	}
	if differ != "" {
		return fmt.Errorf("other starts than %s: %s", s.planners[0].name, differ[2:])
	}
	return nil
}

// each makes, or reads, one trace after the other: the largest have millions of lines.
func (s *settings) each(do func(*trace.Trace) error) error {
	if s.traces != "" {
		for _, path := range list(s.traces) {
			t, err := trace.Load(path)
			if err != nil {
				return err
			}
			if t.Name == "" {
				return fmt.Errorf("%s: the trace has no name, so that no row can say which it is", path)
			}
			if err := do(t); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range s.churns {
		t, err := trace.Record(c, s.turns)
		if err != nil {
			return fmt.Errorf("%s: %w", trace.NameOf(c), err)
		}
		if err := do(t); err != nil {
			return err
		}
	}
	return nil
}

// trace runs the planners on a trace. It returns the number of rows, with those of other programs.
func (s *settings) trace(t *trace.Trace, others []trace.Line, report func(row) error) (done int, err error) {
	var reference trace.Result
	for i, p := range s.planners {
		if p.most > 0 && len(t.Booked) > p.most {
			continue
		}
		r, err := trace.Run(t, p.name, p.open, s.limit)
		if err != nil {
			return done, err
		}
		if i == 0 {
			reference = r
		}
		if err := report(compare(reference, r.Line)); err != nil {
			return done, err
		}
		done++
	}
	for _, l := range others {
		if l.Trace != t.Name {
			continue
		}
		if err := report(compare(reference, l)); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// readLines reads the lines of results in files. All lines that do not begin with "planner=" are
// passed over, since a driver may print more.
func readLines(paths []string) ([]trace.Line, error) {
	var all []trace.Line
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in := bufio.NewScanner(f)
		for n := 1; in.Scan(); n++ {
			if !strings.HasPrefix(in.Text(), "planner=") {
				continue
			}
			l, err := trace.ParseLine(in.Text())
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
			}
			all = append(all, l)
		}
		if err := in.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}
