package workload

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead"
)

// Kinds of Churn.
const (
	// AR: ready times lie anywhere on the part of the axis that is booked to the given
	// load, and a request may wait for a few durations. For each reservation that
	// comes, another is cancelled.
	AR = "AR"
	// Batch: all requests are ready now and have no deadline, so that the schedule is
	// packed. The clock moves on when a reservation ends, and another one comes.
	Batch = "BATCH"
	// Rare is AR where one request in 64 wants nearly all units.
	Rare = "RARE"
	// Span is AR where one request in 64 lasts for a tenth of the axis, with few units.
	Span = "SPAN"
)

// Churn describes a schedule that stays as full as it is: for each reservation that
// comes, another one goes. The benchmarks of the structures run on such a schedule, since the cost of a call
// depends on the number of live reservations.
type Churn struct {
	Kind     string // AR, Batch, Rare or Span
	Capacity int64  // units
	Live     int    // reservations
	Load     float64
	// Powers restricts requests to powers of two. In real traces half of all requests are
	// for a power of two.
	Powers bool
}

// MeanTicks is the mean duration of a request of a Churn.
const MeanTicks = 100_000

// Work is a Churn whose requests can be drawn.
type Work struct {
	Churn
	// Length is how much of the axis is booked, in ticks; 1 for Batch.
	Length int64
	most   int64 // units of a request
	rng    *rand.Rand
}

// Seeds of the two parts of a Work.
const (
	fillSeed = 7
	runSeed  = 11
)

// Work returns the work that the Churn describes; it is the same each time. The error
// wraps bookahead.ErrInvalid.
func (c Churn) Work() (*Work, error) {
	switch {
	case !slices.Contains([]string{AR, Batch, Rare, Span}, c.Kind):
		return nil, invalid("Churn.Kind", c.Kind, "is none of AR, BATCH, RARE, SPAN")
	case c.Capacity < 8:
		return nil, invalid("Churn.Capacity", c.Capacity, "is less than 8")
	case c.Live < 1:
		return nil, invalid("Churn.Live", c.Live, "is less than 1")
	case c.Kind != Batch && !(c.Load > 0 && c.Load <= 1):
		return nil, invalid("Churn.Load", c.Load, "is not above 0 and at most 1")
	}
	w := &Work{Churn: c, Length: 1, most: c.Capacity / 8, rng: rand.New(rand.NewPCG(fillSeed, fillSeed))}
	if c.Capacity > 4096 {
		w.most = 1024
	}
	if c.Kind != Batch {
		area := 0.0
		for range 10_000 {
			r := w.common(w.rng, 0)
			area += float64(r.Units) * float64(r.Duration) / 10_000
		}
		w.Length = max(1, int64(area*float64(c.Live)/(c.Load*float64(c.Capacity))))
	}
	return w, nil
}

// Fill books Live reservations on an empty schedule, and returns them in the order in which
// they were made. A Work fills once.
func (w *Work) Fill(s bookahead.Schedule) ([]bookahead.Reservation, error) {
	booked := make([]bookahead.Reservation, 0, w.Live)
	for tried := 0; len(booked) < w.Live; tried++ {
		if tried > 20*w.Live {
			return nil, fmt.Errorf("only %d of %d reservations fit at load %v", len(booked), w.Live, w.Load)
		}
		res, err := s.Reserve(w.Request(w.rng, 0))
		if err == nil {
			booked = append(booked, res)
		} else if !errors.Is(err, bookahead.ErrUnavailable) {
			return nil, err
		}
	}
	return booked, nil
}

// Place fills a schedule, and returns its reservations by start, in the form in which another
// schedule takes them from the start: it gives the one at index k the ID k+1.
func (w *Work) Place(s bookahead.Schedule) ([]bookahead.Offer, error) {
	booked, err := w.Fill(s)
	if err != nil {
		return nil, err
	}
	offers := make([]bookahead.Offer, len(booked))
	for i, res := range booked {
		offers[i] = res.Offer
	}
	slices.SortStableFunc(offers, func(a, b bookahead.Offer) int { return cmp.Compare(a.Start, b.Start) })
	return offers, nil
}

// Request draws a request that is made at now.
func (w *Work) Request(rng *rand.Rand, now bookahead.Time) bookahead.Request {
	r := w.common(rng, now)
	if rng.IntN(64) > 0 {
		return r
	}
	switch w.Kind {
	case Rare:
		r.Units = w.Capacity - 4
		r.Deadline = r.Ready + 1000*bookahead.Time(r.Duration)
	case Span:
		r.Units = 1 + rng.Int64N(2)
		r.Duration = bookahead.Duration(max(1, w.Length/10))
		r.Deadline = r.Ready + 4*bookahead.Time(r.Duration)
	}
	return r
}

// common draws a request of the sort that prevails in all kinds.
func (w *Work) common(rng *rand.Rand, now bookahead.Time) bookahead.Request {
	r := bookahead.Request{Ready: now, Duration: bookahead.Duration(1 + rng.Int64N(2*MeanTicks-1))}
	r.Units = 1 + rng.Int64N(w.most)
	if w.Powers {
		r.Units = 1 << rng.IntN(bits.Len64(uint64(w.most)))
	}
	if w.Kind != Batch {
		r.Ready += bookahead.Time(rng.Int64N(w.Length))
		r.Deadline = r.Ready + 4*bookahead.Time(r.Duration)
	}
	return r
}
