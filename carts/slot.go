package carts

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/pool"
)

// Slot is a stretch of time with Free units throughout. It ends where the next
// slot starts; the last slot does not end.
type Slot struct {
	Start bookahead.Time
	Free  int64
}

// Config holds the settings of the constructors. The zero value is a schedule that begins
// at tick 0, has no horizon, and is empty.
type Config struct {
	// Origin is the time at which the clock stands at first.
	Origin bookahead.Time
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to
	// the end of the axis.
	Horizon bookahead.Duration
	// Booked is what the schedule holds from the start, in order of Start. The
	// k-th gets ID k+1. Flat and Indexed build from it in O(n) if the reservations also
	// end in that order, and O(n log n) otherwise.
	Booked []bookahead.Offer
}

// open checks the arguments of New, and returns what the forms have in common.
func open(capacity int64, c Config) (pool.Pool, []Slot, error) {
	p, err := pool.New(capacity, c.Origin, c.Horizon)
	if err != nil {
		return p, nil, err
	}
	starts := make([]Event, 0, len(c.Booked))
	ends := make([]Event, 0, len(c.Booked))
	for k, o := range c.Booked {
		first, last, err := p.Starts(o.Request())
		if errors.Is(err, bookahead.ErrInvalid) {
			return p, nil, fmt.Errorf("Config.Booked[%d] %v: %w", k, o, err)
		}
		if err != nil || first != o.Start || last != o.Start {
			return p, nil, limits.Invalid(fmt.Sprintf("Config.Booked[%d]", k), o, "lies before the origin or beyond the horizon")
		}
		if k > 0 && o.Start < c.Booked[k-1].Start {
			return p, nil, limits.Invalid(fmt.Sprintf("Config.Booked[%d]", k), o, "starts before the one in front of it")
		}
		starts = append(starts, Event{o.Start, o.Units})
		ends = append(ends, Event{o.End, o.Units})
		p.Enter(o)
	}
	byTime := func(a, b Event) int { return cmp.Compare(a.Time, b.Time) }
	if !slices.IsSortedFunc(ends, byTime) {
		slices.SortFunc(ends, byTime)
	}
	slots, err := Generate(capacity, c.Origin, starts, ends)
	if err != nil {
		return p, nil, fmt.Errorf("Config.Booked: %w", err)
	}
	return p, slots, nil
}
