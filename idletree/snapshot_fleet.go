package idletree

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Policies, as a snapshot names them.
const (
	firstFound = iota
	bestFit
	worstFit
	lowestIndex
	callersOwn
)

// policy returns the name of a policy.
func (prefer Prefer) policy() uint64 {
	if prefer == nil {
		return firstFound
	}
	for i, known := range []Prefer{BestFit, WorstFit, LowestIndex} {
		if reflect.ValueOf(prefer).Pointer() == reflect.ValueOf(known).Pointer() {
			return bestFit + uint64(i)
		}
	}
	return callersOwn
}

// write writes what is booked, how servers are chosen, and since when each has
// been idle: those that have been so for long are treated differently, and the
// reservations that came before cannot tell any more.
func (f *fleet) write(w *snapshot.Writer) {
	f.Servers.Write(w)
	w.Uint(f.prefer.policy())
	for k := range f.idle {
		w.Uint(f.idleFor(k))
	}
}

// idleFor returns for how many ticks a server has been idle, now included: 0 if it
// runs. If it begins to run now, the time before counts: released now, it has been
// idle all along.
func (f *fleet) idleFor(server int) uint64 {
	p, ok := f.idle[server].begun(f.Now)
	if !ok || p.End < f.Now {
		return 0
	}
	return uint64(f.Now-p.Start) + 1
}

// readFleet reads a fleet.
func readFleet(r *snapshot.Reader, own Prefer) fleet {
	booked := servers.Read(r)
	prefer := readPolicy(r, own)
	if booked.Capacity > int64(r.Left()) {
		r.Fail("servers", booked.Capacity, "are more than the bytes that are left")
	}
	if r.Err() != nil {
		return fleet{}
	}
	f := unbooked(booked, prefer)
	idleFor := make([]uint64, booked.Capacity)
	for k := range idleFor {
		idleFor[k] = r.Uint("idle time", uint64(f.Now)+1)
	}
	r.Check(f.occupy(idleFor))
	return f
}

// readPolicy reads how servers are chosen. A policy that the caller has made is that
// of the receiver.
func readPolicy(r *snapshot.Reader, own Prefer) Prefer {
	switch r.Uint("policy", callersOwn) {
	case bestFit:
		return BestFit
	case worstFit:
		return WorstFit
	case lowestIndex:
		return LowestIndex
	case callersOwn:
		if own.policy() != callersOwn {
			r.Fail("policy", "of the caller", "is unknown: read it into a schedule with the same Config.Prefer")
		}
		return own
	}
	return nil
}

// occupy fills the calendars, which are empty: each server has been idle for so many
// ticks, now included, and is idle for ever where it is not booked.
func (f *fleet) occupy(idleFor []uint64) error {
	booked := make([][]bookahead.Interval, len(f.idle))
	for _, b := range f.Booked.All(f.Now) {
		w := f.Ahead(b.Interval)
		for _, k := range b.Servers {
			booked[k] = append(booked[k], w)
		}
	}
	for k, list := range booked {
		slices.SortFunc(list, func(a, b bookahead.Interval) int { return cmp.Compare(a.Start, b.Start) })
		since := f.Now - bookahead.Time(max(idleFor[k], 1)-1)
		if !f.idle[k].fill(since, list) {
			return limits.Invalid("snapshot: server", k, "is booked twice")
		}
		f.idle[k].limit(f.most)
		if f.idleFor(k) != idleFor[k] {
			return limits.Invalid("snapshot: idle time", idleFor[k], fmt.Sprintf("of server %d does not agree with what is booked", k))
		}
	}
	return nil
}

// fill makes the idle periods of a server that is idle from since on, but for the
// bookings, which are in order. It returns false if two of them overlap.
func (c *calendar) fill(since bookahead.Time, booked []bookahead.Interval) bool {
	p := bookahead.Interval{Start: since, End: bookahead.MaxTime}
	c.few = make([]bookahead.Interval, 0, len(booked)+1)
	for _, w := range booked {
		if w.Start < p.Start {
			return false
		}
		if p.Start < w.Start {
			c.few = append(c.few, bookahead.Interval{Start: p.Start, End: w.Start})
		}
		p.Start = w.End
	}
	if !p.Empty() {
		c.few = append(c.few, p)
	}
	return true
}

// periods returns what is idle after t, in the order byStart.
func (f *fleet) periods(t bookahead.Time) []Period {
	var list []Period
	for k := range f.idle {
		for p := range f.idle[k].from(t) {
			list = append(list, Period{p, k})
		}
	}
	slices.SortFunc(list, byStart)
	return list
}
