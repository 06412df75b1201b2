package replay

import (
	"fmt"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

// Outcome is the result of a booking.
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

// Result has the numbers of a replay, and the outcome of each booking.
type Result struct {
	Summary
	Outcomes []Outcome // in the order of the bookings

	searches, reserves []time.Duration // the time of each call, in the order of the bookings
}

// Summary has the numbers of a replay.
type Summary struct {
	Accepted int     // bookings
	Success  float64 // the share of the bookings that were accepted, from 0 to 1
	// MeanWait is the mean time from the ready time to the start, in ticks, of
	// the accepted bookings.
	MeanWait float64
	// Utilisation is the share of the capacity that ran jobs, from 0 to 1: the
	// sum of units times ticks that accepted jobs really ran, over the capacity
	// times the ticks from the first submission to the last end of a job.
	Utilisation float64
	// Search, Reserve, Release and Advance are the costs of one call each.
	Search, Reserve, Release, Advance Cost
	// Live is the number of jobs that were booked and had not ended after the
	// last submission. MostLive is the largest such number after any submission.
	Live, MostLive int
	// BytesPerLive is the heap of the schedule when most jobs were live, divided
	// by MostLive. It is 0 if no job was live, or no weighing was finished.
	BytesPerLive float64
}

// First returns the costs of the searches and the reserves of the first n replayed
// bookings, or of all if there were fewer, and the number of them that were accepted.
func (r Result) First(n int) (search, reserve Cost, accepted int) {
	n = min(n, len(r.Outcomes), len(r.searches), len(r.reserves))
	for _, o := range r.Outcomes[:n] {
		if o.Accepted {
			accepted++
		}
	}
	return CostOf(r.searches[:n]), CostOf(r.reserves[:n]), accepted
}

// Step is a moment of a replay between two calls. Pass 0 times the calls; the passes
// from 1 to Weighings measure the memory. Of the bookings of the pass, Done of Of are done.
type Step struct {
	Pass     int
	Done, Of int
}

// Run replays the bookings, which are in order of submission, on schedules of
// the given capacity that fresh makes. If more is not nil, it reports whether to go
// on: Run calls it before each weighing, each booking and each release. If it returns
// false in pass 0, the result is that of the bookings done so far, one for each of
// Outcomes. If it returns false later, the memory is that of the weighings done so
// far. Run returns the error of fresh, and an error if the schedule or the bookings
// are at fault. A booking that is turned away is not an error.
func Run(fresh func() (bookahead.Schedule, error), capacity int64, bookings []workload.Booking, more func(Step) bool) (Result, error) {
	if more == nil {
		more = func(Step) bool { return true }
	}
	s, err := fresh()
	if err != nil {
		return Result{}, err
	}
	timed := func(done int) bool { return more(Step{0, done, len(bookings)}) }
	d := newDriver(s, newStopwatch(len(bookings)), make([]Outcome, 0, len(bookings)), timed)
	var r Result
	peak, err := r.replay(d, bookings)
	if err != nil {
		return Result{}, err
	}
	bookings = bookings[:len(r.Outcomes)]
	r.describe(capacity, bookings)
	if r.MostLive > 0 {
		bytes, err := weigh(fresh, bookings[:peak], more)
		if err != nil {
			return Result{}, fmt.Errorf("weighing the schedule: %w", err)
		}
		r.BytesPerLive = bytes / float64(r.MostLive)
	}
	return r, nil
}

// replay drives the timed pass. It returns the number of bookings after which most
// jobs are live.
func (r *Result) replay(d *driver, bookings []workload.Booking) (peak int, err error) {
	for i, b := range bookings {
		err = d.submit(b)
		if err == errStopped {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("booking %d, submitted at %d: %w", i+1, b.Submit, err)
		}
		r.Live = d.live()
		if r.Live > r.MostLive {
			r.MostLive, peak = r.Live, i+1
		}
	}
	if err == nil {
		err = d.endBy(bookahead.MaxTime)
	}
	if err != nil && err != errStopped {
		return 0, err
	}
	r.Search, r.Reserve = d.watch.cost(searching), d.watch.cost(reserving)
	r.Release, r.Advance = d.watch.cost(releasing), d.watch.cost(advancing)
	r.searches, r.reserves = d.watch.took[searching], d.watch.took[reserving]
	r.Outcomes = d.outcomes
	return peak, nil
}

// describe computes the success, the mean wait and the utilisation from the outcomes.
func (r *Result) describe(capacity int64, bookings []workload.Booking) {
	var wait, used float64
	var end bookahead.Time
	for i, o := range r.Outcomes {
		b := bookings[i]
		if o.Accepted {
			r.Accepted++
			wait += float64(o.Start - b.Request.Ready)
			used += float64(ran(b)) * float64(b.Units)
			end = max(end, o.Start+bookahead.Time(ran(b)))
		}
	}
	if r.Accepted == 0 {
		return
	}
	r.Success = float64(r.Accepted) / float64(len(bookings))
	r.MeanWait = wait / float64(r.Accepted)
	if span := end - bookings[0].Submit; span > 0 {
		r.Utilisation = used / (float64(capacity) * float64(span))
	}
}
