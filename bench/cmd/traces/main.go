// Traces writes the operations of the library's benchmarks as text files, which any planner can
// be driven by. The format is that of bench/trace.
//
//	go run ./bench/cmd/traces                                  # the standard ones, to out/traces
//	go run ./bench/cmd/traces -only AR-128-1000,BATCH-64-500   # others: kind, capacity, live
//
// AR, RARE and SPAN are booked to -load. Requests are for powers of two. The kinds are explained in
// bench/workload.Churn.
package main

import (
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/trace"
	"github.com/bookahead/bookahead/bench/workload"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	return trial.Program{Name: "traces", Flags: s.flags, Check: s.check, Run: s.write}.Main(args, stdout, stderr)
}

// settings are the arguments.
type settings struct {
	folder string
	only   string
	load   float64
	turns  int
	zip    bool
	churns []workload.Churn
}

func (s *settings) flags(f *flag.FlagSet) {
	f.StringVar(&s.folder, "out", filepath.Join("out", "traces"), "`folder` for the files")
	f.StringVar(&s.only, "only", "", "write the traces of these `names` only, separated by commas, such as AR-128-1000")
	f.Float64Var(&s.load, "load", 0.70, "`share` of the capacity that is booked, from 0 to 1, of traces other than BATCH")
	f.IntVar(&s.turns, "turns", 200_000, "`number` of requests in each trace")
	f.BoolVar(&s.zip, "gzip", false, "compress the files")
}

// check reads the names.
func (s *settings) check() error {
	if s.turns < 1 {
		return fmt.Errorf("-turns %d is less than 1", s.turns)
	}
	var err error
	s.churns, err = trace.Choose(s.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	for i := range s.churns {
		if s.churns[i].Kind != workload.Batch {
			s.churns[i].Load = s.load
		}
		if _, err := s.churns[i].Work(); err != nil {
			return err
		}
	}
	return nil
}

// write writes the files, and prints their paths.
func (s *settings) write(stdout io.Writer, progress trial.Progress) error {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return err
	}
	for _, c := range s.churns {
		name := trace.NameOf(c)
		progress.Now("recording %s", name)
		t, err := trace.Record(c, s.turns)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		path := filepath.Join(s.folder, name+".trace")
		if s.zip {
			path += ".gz"
		}
		if err := s.file(path, t, comment(c)); err != nil {
			return err
		}
		progress.Done("%s: %d booked, %d operations", name, len(t.Booked), len(t.Operations))
		fmt.Fprintln(stdout, path)
	}
	return nil
}

// comment describes a trace.
func comment(c workload.Churn) string {
	about := "Ready times lie anywhere; for each reservation that comes, another is released."
	if c.Kind == workload.Batch {
		about = "All requests are ready now, without a deadline; the clock moves on when a reservation ends."
	}
	load := ""
	if c.Kind != workload.Batch {
		load = fmt.Sprintf(", load %v", c.Load)
	}
	return fmt.Sprintf("%s of BenchmarkBooking: capacity %d, %d live%s.\n%s\nThe format: go doc github.com/bookahead/bookahead/bench/trace", c.Kind, c.Capacity, c.Live, load, about)
}

// file writes a trace to a file.
func (s *settings) file(path string, t *trace.Trace, comment string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if !s.zip {
		return errors.Join(t.Write(f, comment), f.Close())
	}
	z := gzip.NewWriter(f)
	return errors.Join(t.Write(z, comment), z.Close(), f.Close())
}
