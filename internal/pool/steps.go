package pool

import (
	"fmt"
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/radix"
)

// Step is a number of units that are free from Start to the next step.
type Step struct {
	Start bookahead.Time
	Free  int64
}

// Hold returns a pool with reservations, which get the IDs from 1. A reservation that runs at the
// origin may have begun before. The caller must check that nothing is overbooked. The error wraps
// bookahead.ErrInvalid.
func Hold(capacity int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (Pool, error) {
	p, err := New(capacity, origin, horizon)
	if err != nil {
		return Pool{}, err
	}
	for k, o := range booked {
		if err := p.CheckBooked(k, o); err != nil {
			return Pool{}, err
		}
		p.Enter(o)
	}
	return p, nil
}

// Open is Hold, and also returns the steps that the reservations leave. The error wraps
// bookahead.ErrInvalid. Costs are those of Steps.
func Open(capacity int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (Pool, []Step, error) {
	p, err := Hold(capacity, origin, horizon, booked)
	if err != nil {
		return Pool{}, nil, err
	}
	steps, err := Steps(capacity, origin, p.Bookings())
	if err != nil {
		return Pool{}, nil, fmt.Errorf("Config.Booked: %w", err)
	}
	return p, steps, nil
}

// Steps returns the free units from now on that some bookings leave. The first step starts now,
// neighbours differ, and the last step has the whole capacity, for ever. The error wraps
// bookahead.ErrInvalid if the bookings exceed the capacity somewhere. O(n) for n bookings if both
// their starts and their ends ascend; otherwise O(n log n).
func Steps(capacity int64, now bookahead.Time, booked iter.Seq[Booking]) ([]Step, error) {
	given, taken := events(now, 0, booked)
	return generate(Step{now, capacity}, given, taken, 0)
}

// steps returns the steps of the pool. With closures they may be negative, but never below
// -Limits.Capacity. Errors and costs are those of Steps.
func (p *Pool) steps() ([]Step, error) {
	given, taken := events(p.Now, p.Booked.Len(), p.Bookings())
	if p.closed == nil {
		return generate(Step{p.Now, p.Capacity}, given, taken, 0)
	}
	_, err := generate(Step{p.Now, p.Capacity}, given, taken, 0)
	if err != nil {
		return nil, err
	}
	have := p.Frame().Capacity
	first := Step{p.Now, have}
	for _, s := range p.closed.steps {
		units := max(0, s.Free)
		switch {
		case units > have:
			given = append(given, event{s.Start, units - have})
		case units < have:
			taken = append(taken, event{s.Start, have - units})
		}
		have = units
	}
	return generate(first, given, taken, -p.Capacity)
}

// events returns when the units of about n bookings are given back, and when they are taken.
func events(now bookahead.Time, n int, booked iter.Seq[Booking]) (given, taken []event) {
	given, taken = make([]event, 0, n), make([]event, 0, n)
	for b := range booked {
		taken = append(taken, event{max(b.Start, now), b.Units})
		given = append(given, event{b.End, b.Units})
	}
	return given, taken
}

// event is a time at which units become free, or cease to be free.
type event struct {
	at    bookahead.Time
	units int64
}

// generate goes through the times at which units are given back or taken (Kurowski et al.,
// Algorithm 1). At one time units are given back first, as a unit that is given back at t can be
// taken at t. generate sorts the events if they are not in order. The error wraps
// bookahead.ErrInvalid if a step has less than least.
func generate(first Step, given, taken []event, least int64) ([]Step, error) {
	sort(given)
	sort(taken)
	steps := make([]Step, 1, len(given)+len(taken)+1)
	steps[0] = first
	free := first.Free
	for i, j := 0, 0; i < len(given) || j < len(taken); {
		var t bookahead.Time
		if i < len(given) && (j == len(taken) || given[i].at <= taken[j].at) {
			t = given[i].at
		} else {
			t = taken[j].at
		}
		for i < len(given) && given[i].at == t {
			free += given[i].units
			i++
		}
		for j < len(taken) && taken[j].at == t {
			free -= taken[j].units
			if free < least { // at once, before the number can wrap around
				return nil, limits.Invalid("reservations", least-free, fmt.Sprintf("units at %d exceed the capacity", t))
			}
			j++
		}
		last := &steps[len(steps)-1]
		switch {
		case last.Free == free: // as many were given back as taken
		case last.Start == t: // now
			last.Free = free
		default:
			steps = append(steps, Step{t, free})
		}
	}
	return steps, nil
}

func sort(events []event) { radix.Sort(events, func(x *event) bookahead.Time { return x.at }) }
