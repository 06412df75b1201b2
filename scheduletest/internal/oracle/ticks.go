package oracle

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// ticks is the timeline with a cell for each tick since the origin, or for each tick and server.
// Every method looks at each tick, so it is useful only where little time is booked.
type ticks struct{}

func (ticks) marks(o *Oracle, first, last, _ bookahead.Time) iter.Seq[bookahead.Time] {
	return func(yield func(bookahead.Time) bool) {
		last := min(last, max(first, o.Busy()))
		for t := first; t <= last && yield(t); t++ {
		}
	}
}

func (ticks) look(o *Oracle) func(bookahead.Interval) (int64, []int) {
	// From this tick on nothing is booked, and no closure begins or ends.
	last := max(o.settled(), o.Origin+bookahead.Time(max(len(o.Used), len(o.Held))))
	if !o.Servers {
		return func(w bookahead.Interval) (int64, []int) {
			free := o.spare(w.Start, o.usedAt(w.Start))
			for t := w.Start + 1; t < w.End && t <= last; t++ {
				free = min(free, o.spare(t, o.usedAt(t)))
			}
			return free, nil
		}
	}
	return func(w bookahead.Interval) (int64, []int) {
		servers := []int{}
		for k := range o.servers {
			t := w.Start
			idle := o.idle(k, t)
			for t++; idle && t < w.End && t <= last; t++ {
				idle = o.idle(k, t)
			}
			if idle {
				servers = append(servers, k)
			}
		}
		return int64(len(servers)), servers
	}
}

func (ticks) missing(o *Oracle, t bookahead.Time) (n int64, servers []int) {
	if !o.Servers {
		return max(0, o.usedAt(t)-o.capacityAt(t)), nil
	}
	for k := range o.servers {
		if o.heldAt(k, t) && o.shut(k, t) {
			servers = append(servers, k)
		}
	}
	return int64(len(servers)), servers
}

func (ticks) add(o *Oracle, offer bookahead.Offer, by int64) {
	w := o.rounded(offer.Interval)
	for t := max(w.Start, o.Origin); t < w.End; t++ {
		i := int(t - o.Origin)
		if !o.Servers {
			for i >= len(o.Used) {
				o.Used = append(o.Used, 0)
			}
			o.Used[i] += by * offer.Units
			continue
		}
		for i >= len(o.Held) {
			o.Held = append(o.Held, make([]int8, o.servers))
		}
		for _, k := range offer.Servers {
			o.Held[i][k] += int8(by)
		}
	}
}

// usedAt returns the units of a pool that are booked at a tick.
func (o *Oracle) usedAt(t bookahead.Time) int64 {
	if i := t - o.Origin; i < bookahead.Time(len(o.Used)) {
		return o.Used[i]
	}
	return 0
}

// spare returns the units of a pool that are free at a tick at which some are used.
func (o *Oracle) spare(t bookahead.Time, used int64) int64 {
	left := o.capacityAt(t) - used
	if o.own.Contains(t) {
		return max(0, left-o.own.Units) + o.own.Units
	}
	return max(0, left)
}

// heldAt reports whether a reservation holds a server at a tick.
func (o *Oracle) heldAt(k int, t bookahead.Time) bool {
	i := t - o.Origin
	return i < bookahead.Time(len(o.Held)) && o.Held[i][k] > 0
}

// idle reports whether a server is free at a tick.
func (o *Oracle) idle(k int, t bookahead.Time) bool { return !o.heldAt(k, t) && o.open(k, t) }

// open reports whether a server that nobody holds is free at a tick.
func (o *Oracle) open(k int, t bookahead.Time) bool {
	return !o.shut(k, t) || o.own.Contains(t) && slices.Contains(o.own.Servers, k)
}
