package workload

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/bookahead/bookahead"
)

// Booking is a job and the request that is made for it.
type Booking struct {
	Job
	Request bookahead.Request
	Ahead   bool // whether it is booked ahead
}

// Reservations turns a share of the jobs into advance reservations, as there
// is no trace of real ones. A job that is booked ahead is ready up to
// Ahead ticks after its submission (Castillo et al., §5.2: evenly distributed
// over three hours) and must end within Slack times its duration after it
// could have ended at the earliest; so 0 makes the request fixed. Any other job
// is ready when it is submitted, and may wait.
type Reservations struct {
	Fraction float64            // of the jobs, from 0 to 1
	Ahead    bookahead.Duration // the longest time to book ahead, in ticks
	Slack    float64            // in durations
	Seed     uint64
}

// Book returns a booking for each job, in the same order. Whether a job is
// booked ahead depends on the seed and its place only: a larger Fraction books
// more jobs ahead, and the same ones as a smaller Fraction, in the same way. O(n).
func (a Reservations) Book(jobs []Job) ([]Booking, error) {
	switch {
	case !(a.Fraction >= 0 && a.Fraction <= 1):
		return nil, invalid("Reservations.Fraction", a.Fraction, "is not between 0 and 1")
	case a.Ahead < 0:
		return nil, invalid("Reservations.Ahead", a.Ahead, "is negative")
	case !(a.Slack >= 0):
		return nil, invalid("Reservations.Slack", a.Slack, "is not 0 or more")
	}
	rng := rand.New(rand.NewPCG(a.Seed, 0xa4ead))
	bookings := make([]Booking, len(jobs))
	for i, j := range jobs {
		// Two numbers for each job, whatever the settings.
		ahead := rng.Float64() < a.Fraction
		wait, _ := bits.Mul64(rng.Uint64(), uint64(a.Ahead)+1)
		request, err := a.request(j, ahead, bookahead.Duration(wait))
		if err != nil {
			return nil, fmt.Errorf("job %d: %w", i+1, err)
		}
		bookings[i] = Booking{Job: j, Request: request, Ahead: ahead}
	}
	return bookings, nil
}

// request returns the request for j. If j is booked ahead, its ready time lies wait ticks after its
// submission.
func (a Reservations) request(j Job, ahead bool, wait bookahead.Duration) (bookahead.Request, error) {
	r := bookahead.Request{Ready: j.Submit, Duration: j.Estimate, Units: j.Units}
	if j.Submit < 0 {
		return r, invalid("Job.Submit", j.Submit, "is negative")
	}
	if !ahead {
		return r, r.Validate()
	}
	var err error
	r.Ready, err = j.Submit.Add(wait)
	if err != nil {
		return r, invalid("Job.Submit", j.Submit, fmt.Sprintf("and %d ahead overflow", wait))
	}
	if err := r.Validate(); err != nil {
		return r, err
	}
	end := r.Ready + bookahead.Time(r.Duration)
	slack := a.Slack * float64(r.Duration)
	if slack >= 1<<63 || bookahead.Time(slack) > bookahead.MaxTime-end {
		return r, invalid("Reservations.Slack", a.Slack, fmt.Sprintf("times %d, after %d, overflows", r.Duration, end))
	}
	r.Deadline = end + bookahead.Time(slack)
	return r, nil
}
