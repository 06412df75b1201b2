package scheduletest

import (
	"cmp"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// span is the number of ticks ahead of the clock in which requests are drawn.
const span = 48

// drawConfig draws the size of a schedule: small enough that requests get in
// each other's way.
func drawConfig(t *rapid.T, target Target) Config {
	capacities := []int64{1, 2, 3, 8, 100, math.MaxInt64} // the largest, so that a sum may wrap around
	if target.MaxCapacity > 0 {
		capacities[len(capacities)-1] = target.MaxCapacity
	}
	if target.Servers {
		capacities = []int64{1, 2, 5, 9, 70}
	}
	horizons := []bookahead.Duration{0, 30, 64}
	if target.Bounded {
		horizons = []bookahead.Duration{64, 30, 101}
	}
	return Config{
		Capacity: rapid.SampledFrom(capacities).Draw(t, "capacity"),
		Origin:   rapid.SampledFrom([]bookahead.Time{0, 7, 1<<40 + 3}).Draw(t, "origin"),
		Horizon:  rapid.SampledFrom(horizons).Draw(t, "horizon"),
	}
}

// drawRequest draws a valid request, ready about now or up to span ticks
// later.
func drawRequest(t *rapid.T, target Target, capacity int64, now bookahead.Time) bookahead.Request {
	r := bookahead.Request{
		Ready:    later(now, drawTime(t, -4, span, "ready")),
		Duration: bookahead.Duration(drawTime(t, 1, 12, "duration")),
		Units:    rapid.Int64Range(1, capacity).Draw(t, "units"),
	}
	switch rapid.IntRange(0, 9).Draw(t, "shape") {
	case 0, 1, 2: // no deadline
	case 3, 4, 5: // fixed
		r.Deadline = later(r.Ready, bookahead.Time(r.Duration))
	case 6, 7, 8: // flexible
		r.Deadline = later(r.Ready, bookahead.Time(r.Duration)+drawTime(t, 1, span, "slack"))
	default: // long
		r.Duration = bookahead.Duration(drawTime(t, 12, 2*span, "long duration"))
	}
	if target.Servers && rapid.IntRange(0, 2).Draw(t, "named") == 2 {
		n := rapid.Int64Range(r.Units, capacity).Draw(t, "number named")
		all := make([]int, capacity)
		for k := range all {
			all[k] = k
		}
		r.Servers = rapid.Permutation(all).Draw(t, "servers")[:n]
	}
	return r
}

func drawTime(t *rapid.T, low, high int64, label string) bookahead.Time {
	return bookahead.Time(rapid.Int64Range(low, high).Draw(t, label))
}

// drawWindow draws a window that may begin in the past and end beyond a
// horizon.
func drawWindow(t *rapid.T, now bookahead.Time) bookahead.Interval {
	start := later(now, drawTime(t, -4, span, "window start"))
	return bookahead.Interval{Start: start, End: later(start, drawTime(t, 1, span, "window length"))}
}

// later returns t + d, but no more than the end of the axis.
func later(t, d bookahead.Time) bookahead.Time {
	if t > bookahead.MaxTime-d && d > 0 {
		return bookahead.MaxTime
	}
	return t + d
}

// drawRebook draws a change of a reservation, mostly of a live one, and often of the one that
// began first, as that may be running.
func drawRebook(t *rapid.T, target Target, live []bookahead.Reservation, capacity int64, now bookahead.Time) (bookahead.ID, bookahead.Request) {
	id := bookahead.ID(rapid.Uint64Range(0, 40).Draw(t, "id")) // known or not
	which := rapid.IntRange(0, 8).Draw(t, "which")
	if len(live) == 0 || which == 8 {
		r := drawRequest(t, target, capacity, now)
		if rapid.IntRange(0, 3).Draw(t, "bad") == 3 {
			r.Units = 0 // the error must be about the ID that is not booked
		}
		return id, r
	}
	old := live[int(id)%len(live)]
	if which < 4 {
		old = begunFirst(live)
	}
	var r bookahead.Request
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0: // another place
		r = drawRequest(t, target, capacity, now)
	default: // only a little is changed
		r = drawNear(t, old)
	}
	if target.Servers && rapid.IntRange(0, 3).Draw(t, "own servers") == 3 {
		r.Servers = drawServersNear(t, old.Servers, capacity)
	}
	return old.ID, r
}

// drawNear draws a request for about the same place: fixed, or with some slack.
func drawNear(t *rapid.T, old bookahead.Reservation) bookahead.Request {
	by := func(low, high int64, label string) int64 {
		if rapid.Bool().Draw(t, label+" as it is") {
			return 0
		}
		return rapid.Int64Range(low, high).Draw(t, label)
	}
	r := bookahead.Request{
		Ready:    later(old.Start, bookahead.Time(by(-3, 3, "earlier or later"))),
		Duration: old.Len() + bookahead.Duration(by(-3, 12, "shorter or longer")), // 0 is invalid
		Units:    max(0, old.Units+min(by(-2, 2, "fewer or more"), math.MaxInt64-old.Units)),
	}
	slack := rapid.IntRange(-1, 12).Draw(t, "slack")
	if slack >= 0 {
		r.Deadline = later(later(r.Ready, bookahead.Time(r.Duration)), bookahead.Time(max(0, slack-6)))
	}
	return r
}

// drawServersNear draws a set of servers with some of a reservation's own servers.
func drawServersNear(t *rapid.T, own []int, capacity int64) []int {
	ruledOut := rapid.IntRange(0, len(own)).Draw(t, "ruled out")
	return drawMore(t, own[ruledOut:], ruledOut, capacity) // fewer than the units are invalid
}

// drawMore draws n servers and up to three more, and returns them behind some others.
func drawMore(t *rapid.T, servers []int, n int, capacity int64) []int {
	servers = slices.Clone(servers)
	for range n + rapid.IntRange(0, 3).Draw(t, "allowed besides") {
		k := rapid.IntRange(0, int(min(capacity, math.MaxInt32))-1).Draw(t, "server")
		if !slices.Contains(servers, k) {
			servers = append(servers, k)
		}
	}
	return servers
}

// begunFirst returns the reservation with the earliest start.
func begunFirst(live []bookahead.Reservation) bookahead.Reservation {
	return slices.MinFunc(live, func(a, b bookahead.Reservation) int { return cmp.Compare(a.Start, b.Start) })
}

// always is the whole time axis, with the time before tick 0.
var always = bookahead.Interval{Start: math.MinInt64, End: math.MaxInt64}
