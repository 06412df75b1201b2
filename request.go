package bookahead

import (
	"fmt"
	"slices"
)

// Request asks for Units of capacity for Duration ticks, starting at Ready or
// later and ending by Deadline. A request whose Deadline is Ready+Duration is
// fixed: it has one possible start. Any later Deadline makes it flexible.
type Request struct {
	// Ready is the first tick at which the reservation may start. A Ready in
	// the past counts as now.
	Ready Time
	// Deadline is the tick by which the reservation has ended; 0 means that only the schedule's
	// horizon limits it. (No booking can end by tick 0, so 0 is not needed as a deadline.)
	Deadline Time
	// Duration is how long the units are held, in ticks; at least 1.
	Duration Duration
	// Units is how many units are held throughout; at least 1.
	Units int64
	// Servers limits the choice to the servers named, by index from 0; nil allows every server.
	// The order of the names does not matter. A caller that names exactly Units servers has made
	// the choice itself. Only schedules that know their servers accept Servers.
	Servers []int
}

// At returns the fixed request for units over [start, start+d).
func At(start Time, d Duration, units int64) Request {
	return Request{Duration: d, Units: units}.at(start)
}

// at returns r, fixed to the start t. A fixed request that ends at tick 0 would have the Deadline
// 0, which means none. Such a request becomes the one a tick before, which lies in the past as
// well.
func (r Request) at(t Time) Request {
	r.Ready, r.Deadline = t, t+Time(r.Duration)
	if r.Deadline == 0 {
		r.Ready, r.Deadline = t-1, -1
	}
	return r
}

// Validate returns an error that wraps ErrInvalid if no schedule could ever make sense of the
// request: Units or Duration below 1, Ready+Duration beyond the end of the axis, a Deadline
// before Ready+Duration, or Servers that are negative, named twice, or fewer than Units. O(1),
// and O(s log s) for s named servers.
func (r Request) Validate() error {
	if r.Units < 1 {
		return invalid("Request.Units", r.Units, "is less than 1")
	}
	if r.Duration < 1 {
		return invalid("Request.Duration", r.Duration, "is less than 1")
	}
	if r.Ready > MaxTime-Time(r.Duration) {
		return invalid("Request.Duration", r.Duration, fmt.Sprintf("after Request.Ready %d overflows", r.Ready))
	}
	end := r.Ready + Time(r.Duration)
	if r.Deadline != 0 && r.Deadline < end {
		return invalid("Request.Deadline", r.Deadline, fmt.Sprintf("is before Ready + Duration = %d", end))
	}
	if r.Servers != nil {
		return r.validateServers()
	}
	return nil
}

func (r Request) validateServers() error {
	if int64(len(r.Servers)) < r.Units {
		return invalid("Request.Servers", r.Servers, fmt.Sprintf("are fewer than the %d units", r.Units))
	}
	sorted := r.Servers
	if !slices.IsSorted(sorted) {
		sorted = slices.Sorted(slices.Values(sorted))
	}
	for i, s := range sorted {
		if s < 0 {
			return invalid("Request.Servers", s, "is negative")
		}
		if i > 0 && s == sorted[i-1] {
			return invalid("Request.Servers", s, "is named twice")
		}
	}
	return nil
}

// Fixed reports whether a valid request has only one possible start.
func (r Request) Fixed() bool {
	return r.Deadline != 0 && r.Deadline == r.Ready+Time(r.Duration)
}

// Offer is a place that Search found for a request.
type Offer struct {
	Interval
	Units int64
	// Servers names the servers, in ascending order; nil if the schedule
	// counts units only. The slice is the caller's.
	Servers []int
}

// Request returns the fixed request that books exactly this offer. It shares
// the offer's Servers.
func (o Offer) Request() Request {
	return Request{
		Ready:    o.Start,
		Deadline: o.End,
		Duration: Duration(o.End - o.Start),
		Units:    o.Units,
		Servers:  o.Servers,
	}
}

// String formats the offer as "[2, 5) 3", or "[2, 5) [0 4 7]" with servers.
func (o Offer) String() string {
	if o.Servers != nil {
		return fmt.Sprintf("%v %v", o.Interval, o.Servers)
	}
	return fmt.Sprintf("%v %d", o.Interval, o.Units)
}

// ID names a reservation. A schedule counts its IDs up from 1 and never uses an ID twice; a call
// that fails uses up no ID. The same calls in the same order give the same IDs everywhere.
type ID uint64

// Reservation is an offer that has been booked.
type Reservation struct {
	ID ID
	Offer
}

// String formats the reservation as "#7 [2, 5) 3".
func (r Reservation) String() string { return fmt.Sprintf("#%d %v", r.ID, r.Offer) }

// Availability is the answer to a RangeQuery.
type Availability struct {
	// Window is the window that the answer speaks of: the part of the requested window that lies
	// between now and the horizon. It is the zero Interval if no part does.
	Window Interval
	// Free is the number of units that are free at every tick of the window.
	Free int64
	// Servers names the servers that are free at every tick of the window, in ascending order:
	// empty if there are none, and nil only if the schedule counts units. The slice is the
	// caller's.
	Servers []int
}
