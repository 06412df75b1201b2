// Package replay runs a workload through a schedule: each booking is requested
// when it is submitted, and what a job does not use is given back when it ends.
package replay

import (
	"fmt"
	"runtime"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// Outcome is what became of a booking.
type Outcome struct {
	Accepted bool
	Start    bookahead.Time // if it was accepted
}

// String formats the outcome as "booked at 5" or "turned away".
func (o Outcome) String() string {
	if !o.Accepted {
		return "turned away"
	}
	return fmt.Sprintf("booked at %d", o.Start)
}

// Result is what a replay measured.
type Result struct {
	Outcomes []Outcome // in the order of the bookings
	Accepted int
	// MeanWait is the time from the ready time to the start, in ticks, over
	// what was accepted.
	MeanWait float64
	// Utilisation is the share of the capacity that ran accepted jobs, from
	// the first submission to the last end.
	Utilisation float64
	// Search, Reserve and Release are the costs of one call each.
	Search, Reserve, Release Cost
	// Live is the largest number of jobs that were booked and had not ended,
	// and BytesPerLive the heap that the schedule took then, for each of them.
	Live         int
	BytesPerLive float64
}

// Run replays the bookings, in order of submission, on a schedule of the given
// capacity that fresh makes. It takes two passes: one with a stopwatch around
// each call, and one without, which stops where most reservations are live to
// see how much the heap has grown. Progress, if not nil, is called with the number of bookings
// done. An error is a fault of the schedule, or of the bookings.
func Run(fresh func() (bookahead.Schedule, error), capacity int64, bookings []workload.Booking, progress func(done int)) (Result, error) {
	s, err := fresh()
	if err != nil {
		return Result{}, err
	}
	d := newDriver(s, len(bookings))
	d.watch = newStopwatch(len(bookings))
	most, peak := 0, 0 // live, and the number of bookings until then
	for i, b := range bookings {
		if err := d.book(b); err != nil {
			return Result{}, fmt.Errorf("booking %d, submitted at %d: %w", i+1, b.Submit, err)
		}
		if d.ends.Len() > most {
			most, peak = d.ends.Len(), i+1
		}
		if progress != nil {
			progress(i + 1)
		}
	}
	if err := d.passTo(bookahead.MaxTime); err != nil {
		return Result{}, err
	}
	r := Result{
		Outcomes: d.outcomes,
		Live:     most,
		Search:   d.watch.cost(searching),
		Reserve:  d.watch.cost(reserving),
		Release:  d.watch.cost(releasing),
	}
	r.describe(capacity, bookings)
	err = r.weigh(fresh, bookings[:peak])
	return r, err
}

// describe works out what the outcomes mean.
func (r *Result) describe(capacity int64, bookings []workload.Booking) {
	var wait, used float64
	var end bookahead.Time
	for i, o := range r.Outcomes {
		b := bookings[i]
		if !o.Accepted {
			continue
		}
		r.Accepted++
		wait += float64(o.Start - b.Request.Ready)
		used += float64(b.Run) * float64(b.Units)
		end = max(end, o.Start+bookahead.Time(b.Run))
	}
	if r.Accepted > 0 {
		r.MeanWait = wait / float64(r.Accepted)
		r.Utilisation = used / (float64(capacity) * float64(end-bookings[0].Submit))
	}
}

// weigh replays these bookings, and weighs the heap before the schedule is made
// and after; what the driver itself keeps is made before, or dropped.
func (r *Result) weigh(fresh func() (bookahead.Schedule, error), bookings []workload.Booking) error {
	d := newDriver(nil, len(bookings))
	before := heap()
	s, err := fresh()
	if err != nil {
		return err
	}
	d.s = s
	for _, b := range bookings {
		if err := d.book(b); err != nil {
			return err
		}
	}
	d.ends = nil
	after := heap()
	runtime.KeepAlive(s)
	runtime.KeepAlive(d)
	runtime.KeepAlive(bookings)
	if r.Live > 0 {
		r.BytesPerLive = max(0, float64(after)-float64(before)) / float64(r.Live)
	}
	return nil
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // the first may only have begun to free
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// driver is the event loop: submissions come from outside, ends from the
// bookings that were accepted.
type driver struct {
	s        bookahead.Schedule
	outcomes []Outcome
	ends     *btree.BTreeG[ending] // of the jobs that are live, in order of time
	watch    *stopwatch            // nil if nothing is timed
}

// ending is the end of a job, and whether its reservation would go on.
type ending struct {
	at    bookahead.Time
	id    bookahead.ID
	early bool
}

func newDriver(s bookahead.Schedule, bookings int) *driver {
	less := func(a, b ending) bool { return a.at < b.at || a.at == b.at && a.id < b.id }
	return &driver{s: s, outcomes: make([]Outcome, 0, bookings), ends: btree.NewG(16, less)}
}

// book makes one booking at its submission.
func (d *driver) book(b workload.Booking) error {
	if err := d.passTo(b.Submit); err != nil {
		return err
	}
	if err := d.s.Advance(b.Submit); err != nil {
		return err
	}
	started := d.watch.start()
	offer, offerErr := d.s.Search(b.Request)
	d.watch.stop(started, searching)
	started = d.watch.start()
	res, err := d.s.Reserve(b.Request)
	d.watch.stop(started, reserving)
	if (err == nil) != (offerErr == nil) || res.Interval != offer.Interval {
		return fmt.Errorf("%+v: Search says %v, %v, but Reserve %v, %v", b.Request, offer, offerErr, res, err)
	}
	switch err {
	case nil:
		d.outcomes = append(d.outcomes, Outcome{true, res.Start})
		d.ends.ReplaceOrInsert(ending{res.Start + bookahead.Time(b.Run), res.ID, b.Run < b.Estimate})
		return nil
	case bookahead.ErrUnavailable:
		d.outcomes = append(d.outcomes, Outcome{})
		return nil
	default:
		return err
	}
}

// passTo lets every job end that ends by now.
func (d *driver) passTo(now bookahead.Time) error {
	for {
		e, ok := d.ends.Min()
		if !ok || e.at > now {
			return nil
		}
		d.ends.DeleteMin()
		if !e.early {
			continue
		}
		if err := d.s.Advance(e.at); err != nil {
			return err
		}
		started := d.watch.start()
		err := d.s.Release(e.id)
		d.watch.stop(started, releasing)
		if err != nil {
			return fmt.Errorf("release of %d at %d: %w", e.id, e.at, err)
		}
	}
}
