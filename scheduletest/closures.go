package scheduletest

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// A pool can be closed and extended up to mostUnits, and a schedule has up to mostServers.
const (
	mostUnits   = 1 << 61
	mostServers = 1 << 24
)

// closing is the part of both oracles that knows how the capacity changes: the list of closures
// and extensions, which is gone through for each tick. No slice is ever changed, so that a clone
// may share them.
type closing struct {
	closures []bookahead.Closure // the closures that are not over, by ID
	named    bookahead.ClosureID // the ID given last
	servers  int                 // with those that were added; 0 for a pool
	terms    []term              // by start
}

// term is a stretch of time up to the next term, in which no server is closed or opened.
type term struct {
	start bookahead.Time
	shut  []int16 // for each server, the number of its closures
}

// admit checks the time of a closure, and cuts it to the part from now on.
func (a *axis) admit(c bookahead.Closure) (bookahead.Closure, error) {
	if c.End <= c.Start || c.End <= a.clock {
		return c, invalid("Closure.Interval", c.Interval)
	}
	c.Start = max(c.Start, a.clock)
	return c, nil
}

// note enters a closure under the next ID.
func (a *axis) note(c bookahead.Closure) bookahead.Closure {
	a.named++
	c.ID = a.named
	a.closures = append(slices.Clip(a.closures), c)
	a.count()
	return lentClosure(c)
}

// Close implements bookahead.Closable.
func (a *axis) Close(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := a.admit(c)
	if err == nil && a.target.Servers {
		c, err = a.admitServers(c)
	} else if err == nil {
		err = a.admitUnits(c)
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	c.Added = false
	return a.note(c), nil
}

// admitServers checks the servers of a closure.
func (a *axis) admitServers(c bookahead.Closure) (bookahead.Closure, error) {
	if len(c.Servers) == 0 || c.Units != 0 && c.Units != int64(len(c.Servers)) {
		return c, invalid("Closure.Servers", c.Servers)
	}
	c.Units = int64(len(c.Servers))
	c.Servers = slices.Sorted(slices.Values(c.Servers))
	for i, k := range c.Servers {
		if k < 0 || k >= a.servers || i > 0 && k == c.Servers[i-1] {
			return c, invalid("Closure.Servers", k)
		}
	}
	return c, nil
}

// admitUnits checks the units of a closure of a pool.
func (a *axis) admitUnits(c bookahead.Closure) error {
	switch {
	case c.Servers != nil:
		return invalid("Closure.Servers", c.Servers)
	case c.Units < 1 || a.capacity > mostUnits:
		return invalid("Closure.Units", c.Units)
	}
	left := int64(2 * mostUnits)
	for _, other := range a.closures {
		if !other.Added {
			left -= other.Units
		}
	}
	if c.Units > left {
		return invalid("Closure.Units", c.Units)
	}
	return nil
}

// Extend implements bookahead.Closable.
func (a *axis) Extend(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := a.admit(c)
	switch {
	case err != nil:
	case c.Servers != nil:
		err = invalid("Closure.Servers", c.Servers)
	case c.Units < 1 || a.capacity > mostUnits:
		err = invalid("Closure.Units", c.Units)
	case a.target.Servers && c.Units > int64(mostServers-a.servers):
		err = invalid("Closure.Units", c.Units)
	case !a.target.Servers && c.Units > mostUnits-a.capacity-a.extended():
		err = invalid("Closure.Units", c.Units)
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	c.Added = true
	if a.target.Servers {
		for range c.Units {
			c.Servers = append(c.Servers, a.servers)
			a.servers++
		}
	}
	return a.note(c), nil
}

// extended returns the units of all extensions that are not over, whether they overlap or not.
func (a *axis) extended() (n int64) {
	for _, c := range a.closures {
		if c.Added {
			n += c.Units
		}
	}
	return n
}

// greatest returns the most units that a pool is given at a tick of w, with extensions.
func (a *axis) greatest(w bookahead.Interval) int64 {
	most := a.capacity
	for _, edge := range a.closures {
		n := a.capacity
		t := max(edge.Start, w.Start)
		for _, c := range a.closures {
			if c.Added && w.Contains(t) && c.Contains(t) {
				n += c.Units
			}
		}
		most = max(most, n)
	}
	return most
}

// End implements bookahead.Closable.
func (a *axis) End(id bookahead.ClosureID, at bookahead.Time) error {
	i := slices.IndexFunc(a.closures, func(c bookahead.Closure) bool { return c.ID == id })
	if i < 0 {
		return bookahead.ErrNotFound
	}
	at = max(at, a.clock)
	if at > a.closures[i].End {
		return invalid("at", at)
	}
	a.closures = slices.Clone(a.closures)
	a.closures[i].End = at
	a.forget(a.clock)
	return nil
}

// forget drops the closures that are over by now, or were ended before they began.
func (a *axis) forget(now bookahead.Time) {
	a.closures = slices.DeleteFunc(slices.Clone(a.closures), func(c bookahead.Closure) bool { return c.Empty() || c.End <= now })
	a.count()
}

// Closures implements bookahead.Closable.
func (a *axis) Closures() iter.Seq[bookahead.Closure] {
	return func(yield func(bookahead.Closure) bool) {
		for _, c := range a.closures {
			if !yield(lentClosure(c)) {
				return
			}
		}
	}
}

// lentClosure returns a closure whose servers are the caller's.
func lentClosure(c bookahead.Closure) bookahead.Closure {
	c.Servers = slices.Clone(c.Servers)
	return c
}

// settled returns the tick from which on no closure begins or ends. A closure until further
// notice never ends.
func (a *axis) settled() (t bookahead.Time) {
	for _, c := range a.closures {
		t = max(t, c.Start)
		if c.End < bookahead.MaxTime {
			t = max(t, c.End)
		}
	}
	return t
}

// capacityAt returns the capacity of a pool at a tick.
func (a *axis) capacityAt(t bookahead.Time) int64 {
	given, closed := a.capacity, int64(0)
	for _, c := range a.closures {
		switch {
		case !c.Contains(t):
		case c.Added:
			given += c.Units
		default:
			closed += c.Units
		}
	}
	return max(0, given-closed)
}

// largest returns the largest capacity that a pool has from now on, without closures.
func (a *axis) largest() int64 {
	return a.greatest(bookahead.Interval{Start: a.clock, End: bookahead.MaxTime})
}

// count makes the terms anew: at each edge of a closure it counts the closures of each server.
// Outside its extension, a server that was added counts as closed.
func (a *axis) count() {
	a.terms = nil
	if !a.target.Servers {
		return
	}
	edges := []bookahead.Time{a.origin}
	for _, c := range a.closures {
		edges = append(edges, c.Start, c.End)
	}
	slices.Sort(edges)
	for _, t := range slices.Compact(edges) {
		x := term{t, make([]int16, a.servers)}
		for k := int(a.capacity); k < a.servers; k++ {
			x.shut[k] = 1
		}
		for _, c := range a.closures {
			for _, k := range c.Servers {
				switch {
				case !c.Contains(t):
				case c.Added:
					x.shut[k]--
				default:
					x.shut[k]++
				}
			}
		}
		a.terms = append(a.terms, x)
	}
}

// shut reports whether a server is closed at a tick.
func (a *axis) shut(k int, t bookahead.Time) bool {
	for _, x := range slices.Backward(a.terms) {
		if x.start <= t {
			return x.shut[k] > 0
		}
	}
	return false
}
