package scheduletest

import (
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

// drawQuiet makes a schedule with a random past, in which the capacity has never changed.
func drawQuiet(t *rapid.T, target Target) history { return drawPast(t, target, false) }

// drawHistory makes a schedule with a random past, without an oracle. If it is Closable, its
// capacity may have changed.
func drawHistory(t *rapid.T, target Target) history { return drawPast(t, target, true) }

func drawPast(t *rapid.T, target Target, changes bool) history {
	c := drawConfig(t, target)
	s, err := target.New(c)
	if err != nil {
		t.Fatalf("New(%+v): %v", c, err)
	}
	h := history{Schedule: s, Config: c, now: c.Origin, given: c.Capacity}
	for range rapid.IntRange(0, 25).Draw(t, "history") {
		event := rapid.IntRange(0, 9).Draw(t, "event")
		if event == 5 && changes && has[bookahead.Closable](s) {
			h.change(t, target)
			continue
		}
		if k, ok := s.(bookahead.Keeper); ok && event == 6 {
			h.rebook(t, target, k)
			continue
		}
		switch event {
		default:
			if res, err := s.Reserve(drawRequest(t, target, h.Capacity, h.now)); err == nil {
				h.live = append(h.live, res)
				h.made++
			}
		case 7, 8:
			if len(h.live) > 0 {
				k := rapid.IntRange(0, len(h.live)-1).Draw(t, "release")
				if err := s.Release(h.live[k].ID); err != nil {
					t.Fatalf("Release(%d) of %v: %v", h.live[k].ID, h.live[k].Offer, err)
				}
				h.live = slices.Delete(h.live, k, k+1)
			}
		case 9:
			h.advance(t, h.now+drawTime(t, 0, 10, "advance"))
		}
	}
	return h
}

// history is a schedule with a past.
type history struct {
	bookahead.Schedule
	Config
	now   bookahead.Time
	live  []bookahead.Reservation // booked and not ended
	made  int                     // reservations so far
	given int64                   // the capacity from the start
	// changed says that units were closed or added. Capacity is the most units so far.
	changed bool
}

// rebook changes a reservation, if there is a place for the change.
func (h *history) rebook(t *rapid.T, target Target, k bookahead.Keeper) {
	id, r := drawRebook(t, target, h.live, h.Capacity, h.now)
	res, err := k.Rebook(id, r)
	if err != nil {
		return
	}
	i := slices.IndexFunc(h.live, func(res bookahead.Reservation) bool { return res.ID == id })
	h.live[i] = res
}

func (h *history) advance(t *rapid.T, now bookahead.Time) {
	if err := h.Advance(now); err != nil {
		t.Fatalf("Advance(%d) from %d: %v", now, h.now, err)
	}
	h.now = now
	h.live = slices.DeleteFunc(h.live, func(res bookahead.Reservation) bool { return res.End <= now })
}

// end returns the end of the time that can be booked.
func (h *history) end() bookahead.Time {
	if h.Horizon == 0 {
		return bookahead.MaxTime
	}
	return h.now + bookahead.Time(h.Horizon)
}
