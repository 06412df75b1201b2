package main

import (
	"flag"
	"fmt"
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
	within     time.Duration
	ahead      bookahead.Duration // within, in ticks
	seed       uint64
	most       time.Duration // for a structure that is slower than the first
	structures []structures.Structure
	format     string
}

var formats = []string{"table", "csv"}

// flags declares the arguments.
func (s *settings) flags(f *flag.FlagSet) {
	s.structures = structures.Compared()
	f.StringVar(&s.trace, "trace", "", "replay this `file` in the Standard Workload Format, plain or gzip")
	f.IntVar(&s.jobs, "jobs", 0, fmt.Sprintf("replay the first `N` jobs (0: all of a trace, %d synthetic ones)", syntheticJobs))
	f.Float64Var(&s.share, "ar", 0.5, "book this `share` of the jobs ahead, from 0 to 1")
	f.DurationVar(&s.within, "ahead", 24*time.Hour, "book ahead by up to this `time`, such as 3h")
	f.Uint64Var(&s.seed, "seed", 1, "`seed` of the synthetic jobs and of the choice of those booked ahead")
	f.DurationVar(&s.most, "most", 5*time.Second, fmt.Sprintf("cut a structure short after this `time`, or %d times that of the first if it is more", slower))
	f.Func("impl", "compare these `structures` only, separated by commas", s.choose)
	f.StringVar(&s.format, "format", formats[0], "`form` of the output: "+strings.Join(formats, ", "))
}

// check finds a fault in the arguments.
func (s *settings) check() (err error) {
	switch {
	case s.jobs < 0:
		return fmt.Errorf("-jobs %d is negative", s.jobs)
	case !(s.share >= 0 && s.share <= 1):
		return fmt.Errorf("-ar %v is not between 0 and 1", s.share)
	case s.within < 0:
		return fmt.Errorf("-ahead %v is negative", s.within)
	case s.most < 0:
		return fmt.Errorf("-most %v is negative", s.most)
	case !slices.Contains(formats, s.format):
		return fmt.Errorf("-format %q is none of %s", s.format, strings.Join(formats, ", "))
	}
	s.ahead, err = bookahead.Clock{}.Ticks(s.within)
	return err
}

// choose takes the structures with these names, in that order. The default goes first
// if it is among them: the others are measured by it.
func (s *settings) choose(names string) (err error) {
	s.structures, err = structures.Named(names)
	i := slices.IndexFunc(s.structures, func(st structures.Structure) bool { return st.Name == structures.Default })
	if i > 0 {
		first := s.structures[i]
		s.structures = slices.Insert(slices.Delete(s.structures, i, i+1), 0, first)
	}
	return err
}
