package main

import (
	"errors"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/volume"
)

// policy says at which rates work may run.
type policy struct {
	name      string
	rates     func(volume.Request) []int64 // the rates of which the work has one; nil lets the rate change
	stretches int                          // at most, if the rate may change; 0 stands for any number
	change    func(*volume.Request)        // changes the request of the work; nil leaves it
	// anew is the order in which all requests that meet a new one are planned anew, from the least; nil leaves the plans as they are.
	anew func(left volume.Request) int64
}

// plan returns the stretches of the plan that ends first. The error is bookahead.ErrUnavailable if there is none.
func (p policy) plan(s bookahead.Schedule, r volume.Request) ([]volume.Stretch, error) {
	if p.change != nil {
		p.change(&r)
	}
	if p.rates == nil {
		r.Stretches = p.stretches
		plan, err := volume.Search(s, r, bookahead.Effort{})
		return plan.Stretches, err
	}
	var best []volume.Stretch
	for _, units := range p.rates(r) {
		d := bookahead.Duration(over(r.Volume, units))
		if r.Deadline != 0 && d > (bookahead.Interval{Start: r.Ready, End: r.Deadline}).Len() {
			continue
		}
		o, err := s.Search(bookahead.Request{Ready: r.Ready, Deadline: r.Deadline, Duration: d, Units: units})
		switch {
		case errors.Is(err, bookahead.ErrUnavailable):
		case err != nil:
			return nil, err
		case best == nil || o.End < best[0].End:
			best = []volume.Stretch{{Interval: o.Interval, Units: units}}
		}
	}
	if best == nil {
		return nil, bookahead.ErrUnavailable
	}
	return best, nil
}

// mostRate is the most that the work may have.
func mostRate(r volume.Request) []int64 { return []int64{r.Most} }

// leastRate is the least rate that meets the deadline.
func leastRate(r volume.Request) []int64 {
	return []int64{over(r.Volume, int64(r.Deadline-r.Ready))}
}

// severalRates are the most rate, its half, its quarter and so on, and the least rate that the work may have and that
// meets the deadline.
func severalRates(r volume.Request) (list []int64) {
	least := max(1, r.Least)
	if r.Deadline != 0 {
		least = max(least, leastRate(r)[0])
	}
	for units := r.Most; units > least; units /= 2 {
		list = append(list, units)
	}
	return append(list, least)
}

// shortest and soonest are orders.
func shortest(r volume.Request) int64 { return over(r.Volume, r.Most) }
func soonest(r volume.Request) int64  { return int64(r.Deadline) }

// over divides, and rounds up.
func over(a, b int64) int64 { return (a-1)/b + 1 }
