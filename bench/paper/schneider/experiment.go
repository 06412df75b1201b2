package main

import (
	"fmt"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/slotted"
)

// experiment is a set of runs: each load with each structure.
type experiment struct {
	figure     string
	units      int64              // of each resource
	ahead      bookahead.Duration // the longest time to book ahead, in seconds
	short      float64            // mean run time of short jobs, in seconds
	flows      bool               // workflows on the grid, not jobs on one cluster
	structures []structure        // coarser slots come before finer ones
}

// reference is the one of the structures that meets all streams: a fast one.
const reference = 1

// structure is what a resource keeps its schedule in.
type structure struct {
	name  string
	slots int // 0 for a list
	open  func(units int64, ahead bookahead.Duration) (bookahead.Schedule, error)
}

// slots divides the book-ahead time into n slots. The ring has one more, as the
// clock may stand inside a slot.
func slots(n int) structure {
	return structure{fmt.Sprintf("%d slots", n), n, func(units int64, ahead bookahead.Duration) (bookahead.Schedule, error) {
		if ahead%bookahead.Duration(n) != 0 {
			return nil, fmt.Errorf("%d seconds do not divide into %d slots", ahead, n)
		}
		return slotted.NewScan(units, slotted.Config{Horizon: ahead, Slot: ahead / bookahead.Duration(n)})
	}}
}

var (
	list = structure{"time exclusive list", 0, func(units int64, ahead bookahead.Duration) (bookahead.Schedule, error) {
		return freelist.NewTimeExclusive(units, freelist.Config{Horizon: ahead})
	}}
	usedList = structure{"used list", 0, func(units int64, ahead bookahead.Duration) (bookahead.Schedule, error) {
		return freelist.NewUsedList(units, freelist.Config{Horizon: ahead})
	}}
	usedAVL = structure{"used list with AVL", 0, func(units int64, ahead bookahead.Duration) (bookahead.Schedule, error) {
		return freelist.NewUsed(units, freelist.Config{Horizon: ahead})
	}}
)

// capacity is the number of processors of all resources.
func (e experiment) capacity() float64 {
	if e.flows {
		return float64(sites * e.units)
	}
	return float64(e.units)
}

// system is what orders are submitted to.
type system interface {
	advance(now bookahead.Time) error
	book(o order) (bool, error)
}

func (e experiment) open(st structure) (system, error) {
	if e.flows {
		return openGrid(st, e.units, e.ahead)
	}
	s, err := st.open(e.units, e.ahead)
	return cluster{s}, err
}

// cluster books each job on the one resource.
type cluster struct{ s bookahead.Schedule }

func (c cluster) advance(now bookahead.Time) error { return c.s.Advance(now) }

func (c cluster) book(o order) (bool, error) {
	_, err := c.s.Reserve(o.request(o.submit + o.job.Ready))
	return err == nil, none(err)
}

// none turns the normal outcome of a search into no error.
func none(err error) error {
	if err == bookahead.ErrUnavailable {
		return nil
	}
	return err
}

// measure submits a stream to a fresh system. It returns the share of the orders
// that are accepted, and the microseconds to book one, of those in the steady
// part. The time that passes as the system advances is not counted.
func measure(sys system, s stream) (success, micros float64, err error) {
	accepted, took := 0, make([]time.Duration, 0, len(s.orders)-s.steady)
	for i, o := range s.orders {
		if err := sys.advance(o.submit); err != nil {
			return 0, 0, err
		}
		started := time.Now()
		ok, err := sys.book(o)
		t := time.Since(started)
		if err != nil {
			return 0, 0, err
		}
		if i < s.steady {
			continue
		}
		took = append(took, t)
		if ok {
			accepted++
		}
	}
	return float64(accepted) / float64(len(took)), meanMicros(took, replay.ClockOverhead()), nil
}
