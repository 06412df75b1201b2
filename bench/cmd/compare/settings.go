package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/structures"
)

// settings are the arguments.
type settings struct {
	trace      string // path; empty for the synthetic workload
	jobs       int    // how many; 0 means all
	share      float64
	ahead      bookahead.Duration
	seed       uint64
	most       time.Duration // for a structure that is slower than the first
	structures []structures.Structure
	format     string
}

var formats = []string{"table", "csv", "json"}

// parse reads the arguments; it writes the usage only when asked for help, and
// returns flag.ErrHelp then.
func parse(args []string, usage io.Writer) (settings, error) {
	var s settings
	var ahead time.Duration
	var names string
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&s.trace, "trace", "", "replay this `file` in the Standard Workload Format, plain or gzip")
	f.IntVar(&s.jobs, "jobs", 0, fmt.Sprintf("replay the first `N` jobs (0: all of a trace, %d synthetic ones)", syntheticJobs))
	f.Float64Var(&s.share, "ar", 0.5, "book this `share` of the jobs ahead, from 0 to 1")
	f.DurationVar(&ahead, "ahead", 24*time.Hour, "book ahead by up to this `time`, such as 3h")
	f.Uint64Var(&s.seed, "seed", 1, "`seed` of the synthetic jobs and of the choice of those booked ahead")
	f.DurationVar(&s.most, "most", 5*time.Second, fmt.Sprintf("cut a structure short after this `time`, or %d times that of the first if it is more", slower))
	f.StringVar(&names, "impl", "", "compare these `structures` only, separated by commas")
	f.StringVar(&s.format, "format", formats[0], "`form` of the output: "+strings.Join(formats, ", "))
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
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
	case !(s.share >= 0 && s.share <= 1):
		return s, fmt.Errorf("-ar %v is not between 0 and 1", s.share)
	case ahead < 0:
		return s, fmt.Errorf("-ahead %v is negative", ahead)
	case s.most < 0:
		return s, fmt.Errorf("-most %v is negative", s.most)
	case !slices.Contains(formats, s.format):
		return s, fmt.Errorf("-format %q is none of %s", s.format, strings.Join(formats, ", "))
	}
	var err error
	if s.ahead, err = (bookahead.Clock{}).Ticks(ahead); err != nil {
		return s, err
	}
	s.structures, err = choose(names)
	return s, err
}

// choose returns the structures with these names, in that order, or all. The default
// goes first if it is among them: the others are measured by it.
func choose(names string) ([]structures.Structure, error) {
	all := structures.Compared()
	if names == "" {
		return all, nil
	}
	var chosen []structures.Structure
	for name := range strings.SplitSeq(names, ",") {
		named := func(st structures.Structure) bool { return st.Name == name }
		i := slices.IndexFunc(all, named)
		if i < 0 {
			known := make([]string, len(all))
			for k, st := range all {
				known[k] = st.Name
			}
			return nil, fmt.Errorf("-impl %q is none of %s", name, strings.Join(known, ", "))
		}
		if slices.ContainsFunc(chosen, named) {
			return nil, fmt.Errorf("-impl %q is named twice", name)
		}
		if name == structures.Default {
			chosen = slices.Insert(chosen, 0, all[i])
		} else {
			chosen = append(chosen, all[i])
		}
	}
	return chosen, nil
}
