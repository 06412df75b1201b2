package replay

import (
	"fmt"

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
	Accepted int       // bookings
	Success  float64   // the share of the bookings that was accepted, from 0 to 1
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
	// each of them.
	BytesPerLive float64
}

// Run replays the bookings, which are in order of submission, on schedules of
// the given capacity that fresh makes. Progress, if not nil, is called with the
// number of bookings done. An error is a fault of the schedule or of the
// bookings, not a booking that is turned away.
func Run(fresh func() (bookahead.Schedule, error), capacity int64, bookings []workload.Booking, progress func(done int)) (Result, error) {
	s, err := fresh()
	if err != nil {
		return Result{}, err
	}
	d := newDriver(s, newStopwatch(len(bookings)), make([]Outcome, 0, len(bookings)))
	var r Result
	peak := 0 // how many bookings until most are live
	for i, b := range bookings {
		if err := d.submit(b); err != nil {
			return Result{}, fmt.Errorf("booking %d, submitted at %d: %w", i+1, b.Submit, err)
		}
		if r.Live = d.live(); r.Live > r.MostLive {
			r.MostLive, peak = r.Live, i+1
		}
		if progress != nil {
			progress(i + 1)
		}
	}
	if err := d.endBy(bookahead.MaxTime); err != nil {
		return Result{}, err
	}
	r.Search, r.Reserve = d.watch.cost(searching), d.watch.cost(reserving)
	r.Release, r.Advance = d.watch.cost(releasing), d.watch.cost(advancing)
	r.Outcomes = d.outcomes
	r.describe(capacity, bookings)
	if r.MostLive > 0 {
		bytes, err := weigh(fresh, bookings[:peak])
		if err != nil {
			return Result{}, fmt.Errorf("second pass: %w", err)
		}
		r.BytesPerLive = bytes / float64(r.MostLive)
	}
	return r, nil
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
