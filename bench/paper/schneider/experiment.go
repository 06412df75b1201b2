package main

import (
	"fmt"
	"slices"
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
	ahead      bookahead.Duration // the book-ahead time, in seconds
	lead       float64            // how long before its ready time a job is submitted at most, as a share of ahead
	short      float64            // mean run time of short jobs, in seconds
	flows      bool               // workflows on the grid, not jobs on one cluster
	structures []structure        // coarser slots come before finer ones
}

// reference is the one of the structures that meets all streams: a fast one.
const reference = 1

// structure is the data structure in which a resource keeps its schedule.
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

// blocks is a list of blocks.
func blocks[S bookahead.Schedule](name string, create func(int64, freelist.Config) (S, error)) structure {
	return structure{name, 0, func(units int64, ahead bookahead.Duration) (bookahead.Schedule, error) {
		return create(units, freelist.Config{Horizon: ahead})
	}}
}

var (
	list     = blocks("time exclusive list", freelist.NewTimeExclusive)
	usedList = blocks("used list", freelist.NewUsedList)
	usedAVL  = blocks("used list with AVL", freelist.NewUsed)
)

// capacity is the number of processors of all resources.
func (e experiment) capacity() float64 {
	if e.flows {
		return float64(sites * e.units)
	}
	return float64(e.units)
}

// system takes orders. It turns one away with the error bookahead.ErrUnavailable.
type system interface {
	advance(now bookahead.Time) error
	book(o order) error
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

func (c cluster) book(o order) error {
	_, err := c.s.Reserve(o.request(o.submit + o.job.Ready))
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
		err := sys.book(o)
		t := time.Since(started)
		if err != nil && err != bookahead.ErrUnavailable {
			return 0, 0, err
		}
		if i < s.steady {
			continue
		}
		took = append(took, t)
		if err == nil {
			accepted++
		}
	}
	return float64(accepted) / float64(len(took)), meanMicros(took, replay.ClockOverhead()), nil
}

// interrupted is by how much a call that the machine broke off for others is
// longer than the median. No structure has calls that differ so much by
// themselves.
const interrupted = 100

// tick is a median that is too short to tell from the clock's own reading.
const tick = 10 * time.Nanosecond

// meanMicros returns the mean of the calls, which it sorts, less the overhead of
// each. One that was interrupted counts as the median.
func meanMicros(took []time.Duration, overhead time.Duration) float64 {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	median := max(0, took[len(took)/2]-overhead)
	sum := time.Duration(0)
	for _, t := range took {
		t = max(0, t-overhead)
		if t > interrupted*max(median, tick) {
			t = median
		}
		sum += t
	}
	return float64(sum.Nanoseconds()) / 1000 / float64(len(took))
}
