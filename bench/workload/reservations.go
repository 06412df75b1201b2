package workload

import (
	"math/rand/v2"

	"github.com/bookahead/bookahead"
)

// Booking is a job and the request that is made for it.
type Booking struct {
	Job
	Request bookahead.Request
	Ahead   bool // whether it is booked ahead
}

// Reservations turns a share of the jobs into advance reservations, as no
// trace of real ones is to be had. A job that is booked ahead is ready up to
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
// booked ahead, and how far, depends on the seed and its place only: a larger
// Fraction adds to those that a smaller one chose.
func (a Reservations) Book(jobs []Job) ([]Booking, error) {
	if !(a.Fraction >= 0 && a.Fraction <= 1) {
		return nil, invalid("Reservations.Fraction", a.Fraction, "is not between 0 and 1")
	}
	if a.Ahead < 0 {
		return nil, invalid("Reservations.Ahead", a.Ahead, "is negative")
	}
	if !(a.Slack >= 0 && a.Slack <= 1e6) {
		return nil, invalid("Reservations.Slack", a.Slack, "is not between 0 and 1e6")
	}
	rng := rand.New(rand.NewPCG(a.Seed, 0xa4ead))
	bookings := make([]Booking, len(jobs))
	for i, j := range jobs {
		chance, wait := rng.Float64(), bookahead.Duration(rng.Uint64N(uint64(a.Ahead)+1))
		b := Booking{Job: j, Ahead: chance < a.Fraction}
		b.Request = bookahead.Request{Ready: j.Submit, Duration: j.Estimate, Units: j.Units}
		if b.Ahead {
			var err error
			if b.Request.Ready, err = j.Submit.Add(wait); err != nil {
				return nil, err
			}
			latest, err := b.Request.Ready.Add(bookahead.Duration(a.Slack * float64(j.Estimate)))
			if err != nil {
				return nil, err
			}
			if b.Request.Deadline, err = latest.Add(j.Estimate); err != nil {
				return nil, err
			}
		}
		bookings[i] = b
	}
	return bookings, nil
}
