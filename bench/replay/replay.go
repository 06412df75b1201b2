package replay

import (
	"fmt"
	"time"

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
	Summary
	Outcomes []Outcome // in the order of the bookings

	searches, reserves []time.Duration // of each booking, in order
}

// Summary has the numbers of a replay.
type Summary struct {
	Accepted int     // bookings
	Success  float64 // the share of the bookings that was accepted, from 0 to 1
	// MeanWait is the time from the ready time to the start, in ticks, over
	// the bookings that were accepted.
	MeanWait float64
	// Utilisation is the share of the capacity that ran jobs, from 0 to 1: the
	// sum of units times ticks that accepted jobs really ran, over the capacity
	// times the ticks from the first submission to the last end of a job.
	Utilisation float64
	// Search, Reserve, Release and Advance are the costs of one call each.
	Search, Reserve, Release, Advance Cost
	// Live is the number of jobs that were booked and had not ended after the
	// last submission, and MostLive the largest such number after any.
	Live, MostLive int
	// BytesPerLive is the heap that the schedule took when most were live, for
	// each of them; 0 if none was live, or there was no time to weigh it.
	BytesPerLive float64
}

// First returns the costs of the searches and the reserves of the first n bookings
// that were replayed, or of all if they were fewer, and how many of them were accepted.
func (r Result) First(n int) (search, reserve Cost, accepted int) {
	n = min(n, len(r.Outcomes), len(r.searches), len(r.reserves))
	for _, o := range r.Outcomes[:n] {
		if o.Accepted {
			accepted++
		}
	}
	return CostOf(r.searches[:n]), CostOf(r.reserves[:n]), accepted
}

// Step is a moment of a replay between two calls: the pass, and how many of its
// bookings are done. In pass 0 the calls are timed. The passes from 1 to Weighings
// measure the memory.
type Step struct {
	Pass     int
	Done, Of int // bookings
}

// Run replays the bookings, which are in order of submission, on schedules of
// the given capacity that fresh makes. More, if not nil, is asked before each
// booking and each release whether to go on. If it says no in pass 0, the result is
// that of the bookings done so far, one for each of Outcomes; if it says no later,
// the memory is that of the weighings done so far. An error is that of fresh, or a
// fault of the schedule or of the bookings; it is not a booking that is turned away.
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
			return Result{}, fmt.Errorf("second pass: %w", err)
		}
		r.BytesPerLive = bytes / float64(r.MostLive)
	}
	return r, nil
}

// replay drives the timed pass. It returns the number of bookings after which most
// are live.
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

// describe works out what the outcomes mean.
func (r *Result) describe(capacity int64, bookings []workload.Booking) {
	var wait, used float64
	var end bookahead.Time
	for i, o := range r.Outcomes {
		if b := bookings[i]; o.Accepted {
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
