package nodes

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead/internal/depth"
)

// The tests are tested with machines that are wrong on purpose. Each fault is a machine, or the
// oracle in the place of one, with one method spoilt.

// fault is a way to be wrong. It opens a machine that is.
type fault struct {
	name string
	open maker
	// late is set where only a long run can show the fault: on many nodes, with many reservations, or
	// where a request comes again.
	late bool
}

var faults = slices.Concat(startFaults, nodeFaults, policyFaults, offerFaults, changeFaults, stateFaults, sizeFaults, memoryFaults, queryFaults, termFaults)

// onMachine returns a machine with methods of its own, and onCells an oracle.
func onMachine(x spoilt) maker {
	return func(c Config, deal string) (booker, error) {
		m, err := newReal(c, deal)
		y := x
		y.booker = m
		return &y, err
	}
}

func onCells(x spoilt) maker {
	return func(c Config, deal string) (booker, error) {
		y := x
		y.booker = newIdeal(c, deal)
		return &y, nil
	}
}

// places makes Search and Reserve look for a place in their own way, which sees the oracle.
func places(look func(o *oracle, r Request) (Offer, error)) maker {
	return onCells(spoilt{
		search: func(b booker, r Request) (Offer, error) { return look(b.(*ideal).oracle, r) },
		reserve: func(b booker, r Request) (Reservation, error) {
			o := b.(*ideal).oracle
			offer, err := look(o, r)
			if err != nil {
				return Reservation{}, err
			}
			o.last++
			o.book(r.booked(o.last, offer))
			return o.live[o.last], nil
		},
	})
}

// asks changes each request on its way to a machine.
func asks(change func(r Request) Request) maker {
	return onMachine(spoilt{
		search:  func(b booker, r Request) (Offer, error) { return b.Search(change(r)) },
		reserve: func(b booker, r Request) (Reservation, error) { return b.Reserve(change(r)) },
	})
}

// broken is a test that may fail without failing ours.
type broken struct {
	rapid.TB
	failed bool
	said   string
}

// stop ends a test that is broken.
type stop struct{}

func (b *broken) Helper()                   {}
func (b *broken) Name() string              { return "broken" }
func (b *broken) Failed() bool              { return b.failed }
func (b *broken) Log(...any)                {}
func (b *broken) Logf(string, ...any)       {}
func (b *broken) Error(args ...any)         { b.failed, b.said = true, fmt.Sprint(args...) }
func (b *broken) Errorf(f string, a ...any) { b.failed, b.said = true, fmt.Sprintf(f, a...) }
func (b *broken) Fatal(args ...any)         { b.Error(args...); b.FailNow() }
func (b *broken) Fatalf(f string, a ...any) { b.Errorf(f, a...); b.FailNow() }
func (b *broken) Fail()                     { b.failed = true }
func (b *broken) FailNow()                  { b.failed = true; panic(stop{}) }

// breaks runs a test until it stops, and reports whether it failed. A panic is a failure, too.
func (b *broken) breaks(test func()) (failed bool) {
	defer func() {
		p := recover()
		failed = b.failed || p != nil
	}()
	test()
	return
}

// rapidFinds reports whether the model run shows a fault, and after how many operations, of at most
// so many, from the same seeds on every machine.
func rapidFinds(t *testing.T, open maker, most int) (ops int, found bool) {
	set := func(name, value string) { require.NoError(t, flag.Set("rapid."+name, value)) }
	defer set("seed", "0")
	defer set("nofailfile", flag.Lookup("rapid.nofailfile").Value.String())
	defer set("shrinktime", flag.Lookup("rapid.shrinktime").Value.String())
	set("nofailfile", "true")
	set("shrinktime", "0s")
	for seed := 1; ops < most; seed++ {
		set("seed", strconv.Itoa(seed))
		b := &broken{}
		if b.breaks(func() { rapid.Check(b, func(t *rapid.T) { model(t, open, &ops) }) }) {
			return ops, true
		}
	}
	return ops, false
}

// longFinds is the same for long runs.
func longFinds(open maker, most int) (ops int, found bool) {
	for seed := uint64(0); ops < most; seed++ {
		b := &broken{}
		s := shapes[seed%uint64(len(shapes))]
		if b.breaks(func() {
			l := newLong(b, s, seed, open)
			for range s.length {
				ops++
				l.step()
			}
		}) {
			return ops, true
		}
	}
	return ops, false
}

// mostOps is how many operations the model run may take to find a fault. A closure that ends for others too
// shows only where closures overlap: the model run took 133, 10 340 and 42 700 operations to find that fault,
// with three sequences of draws.
const mostOps = 100_000

// TestFaultsAreCaught checks that the model run finds each fault, and that the long runs find the faults
// that show only there. They find the others too, which is checked for each fourth, and for all in deep runs.
func TestFaultsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("the faults are machines, not this one")
	}
	for i, f := range faults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			if !f.late {
				ops, found := rapidFinds(t, f.open, mostOps)
				require.True(t, found, "the model run does not catch it in %d operations", ops)
				t.Logf("the model run catches it after %d operations", ops)
			}
			if f.late || i%4 == 0 || depth.Deep() {
				ops, found := longFinds(f.open, 30_000)
				require.True(t, found, "the long runs do not catch it in %d operations", ops)
				t.Logf("the long runs catch it after %d operations", ops)
			}
		})
	}
}

// A machine that only passes calls on has no fault, nor has the oracle in its place.
func TestNoFaultIsNone(t *testing.T) {
	if testing.Short() {
		t.Skip("the faults are in the test: they show that the comparison sees them")
	}
	for name, open := range map[string]maker{"machine": onMachine(spoilt{}), "cells": onCells(spoilt{}), "memory": remembering(memories{})} {
		ops, found := rapidFinds(t, open, 2_000)
		require.False(t, found, "%s: the model run after %d operations", name, ops)
		ops, found = longFinds(open, 2_500)
		require.False(t, found, "%s: a long run after %d operations", name, ops)
	}
}
