// Drive runs a trace of operations through structures of the library, and prints a line of
// results for each: how many operations there were, how many requests were accepted, a checksum of all
// starts, and the mean, the median and the 99th percentile of each kind of call.
//
//	go run ./bench/cmd/traces -only AR-128-1000
//	go run ./bench/cmd/drive -trace out/traces/AR-128-1000.trace
//
// The format of the trace, and of the line, is that of bench/trace; bench/peers says how to
// drive a planner of another project by the same file. Reservations that are booked from the start are
// reserved piece by piece first, which is not timed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/trace"
	"github.com/bookahead/bookahead/internal/structures"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	s := settings{structures: []structures.Structure{structures.Compared()[0]}}
	return trial.Program{Name: "drive", Flags: s.flags, Check: s.check, Run: s.drive}.Main(args, stdout, stderr)
}

// settings are the arguments.
type settings struct {
	path       string
	structures []structures.Structure
	limit      time.Duration
}

func (s *settings) flags(f *flag.FlagSet) {
	f.StringVar(&s.path, "trace", "", "`file` with the operations, plain or gzip")
	f.Func("impl", fmt.Sprintf("run these `structures`, separated by commas (default %s)", structures.Default), func(names string) (err error) {
		s.structures, err = structures.Named(names)
		return err
	})
	f.DurationVar(&s.limit, "limit", 0, "stop a structure after this `time`; 0 is never")
}

func (s *settings) check() error {
	switch {
	case s.path == "":
		return errors.New("-trace names no file")
	case s.limit < 0:
		return fmt.Errorf("-limit %v is negative", s.limit)
	}
	return nil
}

// drive prints a line for each structure as soon as it is known.
func (s *settings) drive(stdout io.Writer, progress trial.Progress) error {
	t, err := trace.Load(s.path)
	if err != nil {
		return err
	}
	if t.Name == "" {
		t.Name = strings.Join(strings.Fields(filepath.Base(s.path)), "_")
	}
	for _, st := range s.structures {
		progress.Now("running %s", st.Name)
		r, err := trace.Run(t, st.Name, opener(st), s.limit)
		if err != nil {
			return err
		}
		progress.Now("")
		if _, err := fmt.Fprintln(stdout, r); err != nil {
			return err
		}
	}
	return nil
}

// opener opens a structure.
func opener(st structures.Structure) trace.Opener {
	return trace.Each(func(h trace.Header) (trace.Planner, error) {
		return st.New(h.Capacity, structures.Config{Origin: h.Origin, Horizon: h.Horizon})
	})
}
