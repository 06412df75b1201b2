package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench"
	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
)

const (
	// patience is how far the horizon lies behind the longest time to book
	// ahead, in ticks: what would end later is turned away.
	patience bookahead.Duration = 14 * 24 * 3600
	// slack is how much later than at the earliest a reservation that is
	// booked ahead may end, in durations.
	slack = 1
	// syntheticJobs is the number of jobs without a trace.
	syntheticJobs = 10_000
)

// settings are the arguments.
type settings struct {
	trace      string
	jobs       int // 0 means all
	fraction   float64
	ahead      time.Duration
	seed       uint64
	structures []bench.Structure
	format     string
}

func parse(args []string, usage io.Writer) (settings, error) {
	var s settings
	var names string
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&s.trace, "trace", "", "replay this `file` in the Standard Workload Format, plain or gzip")
	f.IntVar(&s.jobs, "jobs", 0, "replay the first `N` jobs (0: all of a trace, 10000 synthetic ones)")
	f.Float64Var(&s.fraction, "ar", 0.5, "book this `share` of the jobs ahead, from 0 to 1")
	f.DurationVar(&s.ahead, "ahead", 24*time.Hour, "book ahead by up to this `time`")
	f.Uint64Var(&s.seed, "seed", 1, "`seed` of the synthetic jobs and of the choice of those booked ahead")
	f.StringVar(&names, "impl", "", "compare these structures only, as `a,b`")
	f.StringVar(&s.format, "format", "table", "`form` of the output: table, csv or json")
	if err := f.Parse(args); err != nil {
		if err == flag.ErrHelp {
			f.SetOutput(usage)
			f.Usage()
		}
		return s, err
	}
	switch {
	case f.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case s.jobs < 0:
		return s, fmt.Errorf("-jobs %d is negative", s.jobs)
	case !(s.fraction >= 0 && s.fraction <= 1):
		return s, fmt.Errorf("-ar %v is not between 0 and 1", s.fraction)
	case s.ahead < 0:
		return s, fmt.Errorf("-ahead %v is negative", s.ahead)
	case !slices.Contains([]string{"table", "csv", "json"}, s.format):
		return s, fmt.Errorf("-format %q is not table, csv or json", s.format)
	}
	var err error
	s.structures, err = choose(names)
	return s, err
}

// choose returns the structures with these names, or all.
func choose(names string) ([]bench.Structure, error) {
	all := bench.Structures()
	if names == "" {
		return all, nil
	}
	var chosen []bench.Structure
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(s bench.Structure) bool { return s.Name == name })
		if i < 0 {
			known := make([]string, len(all))
			for k, s := range all {
				known[k] = s.Name
			}
			return nil, fmt.Errorf("-impl %q is not one of %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// replayed says what was replayed, so that it can be replayed again.
type replayed struct {
	Source       string             `json:"source"`
	Jobs         int                `json:"jobs"`
	Capacity     int64              `json:"capacity"`
	Ahead        int                `json:"booked_ahead"`
	LongestAhead bookahead.Duration `json:"longest_ahead_s"`
	Horizon      bookahead.Duration `json:"horizon_s"`
	Seed         uint64             `json:"seed"`

	bookings []workload.Booking
}

// load reads or makes the jobs, and books a share of them ahead.
func load(s settings) (replayed, error) {
	w := replayed{LongestAhead: bookahead.Duration(s.ahead / time.Second), Seed: s.seed}
	w.Horizon = w.LongestAhead + patience
	jobs, err := w.read(s)
	if err != nil {
		return w, err
	}
	if len(jobs) == 0 {
		return w, fmt.Errorf("%s: no jobs", w.Source)
	}
	w.Jobs = len(jobs)
	w.bookings, err = workload.Reservations{
		Fraction: s.fraction, Ahead: w.LongestAhead, Slack: slack, Seed: s.seed,
	}.Book(jobs)
	for _, b := range w.bookings {
		if b.Ahead {
			w.Ahead++
		}
	}
	return w, err
}

func (w *replayed) read(s settings) ([]workload.Job, error) {
	if s.trace == "" {
		n := s.jobs
		if n == 0 {
			n = syntheticJobs
		}
		w.Capacity = 128
		w.Source = "synthetic, Lublin-Feitelson, load 0.8, estimates up to 3 times the run time"
		return workload.Lublin{Nodes: w.Capacity, Seed: s.seed, Load: 0.8, Over: 2}.Generate(n)
	}
	r, err := swf.Open(s.trace)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	i, err := workload.FromSWF(r, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.trace, err)
	}
	w.Capacity, w.Source = i.Procs, fmt.Sprintf("%s: %v", s.trace, i)
	if s.jobs > 0 && s.jobs < len(i.Jobs) {
		return i.Jobs[:s.jobs], nil
	}
	return i.Jobs, nil
}
