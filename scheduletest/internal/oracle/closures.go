package oracle

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// A pool can be closed and extended up to MostUnits, and a schedule has up to MostServers.
const (
	MostUnits   = 1 << 61
	MostServers = 1 << 24
)

// The list of closures and extensions says how the capacity changes; it is gone through for each
// tick. Neither it nor a Term is ever changed, so that a copy may share them.

// Term is a stretch of time up to the next term, in which no server is closed or opened.
type Term struct {
	Start bookahead.Time
	Shut  []int16 // for each server, the number of its closures
}

// admit checks the time of a closure, and cuts it to the part from now on.
func (o *Oracle) admit(c bookahead.Closure) (bookahead.Closure, error) {
	if c.End <= c.Start || c.End <= o.Clock {
		return c, invalid("Closure.Interval", c.Interval)
	}
	c.Start = max(c.Start, o.Clock)
	return c, nil
}

// note enters a closure under the next ID.
func (o *Oracle) note(c bookahead.Closure) bookahead.Closure {
	o.Named++
	c.ID = o.Named
	o.Changes = append(slices.Clip(o.Changes), c)
	o.count()
	return lent(c)
}

// Close implements bookahead.Closable.
func (o *Oracle) Close(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := o.admit(c)
	if err == nil && o.Servers {
		c, err = o.admitServers(c)
	} else if err == nil {
		err = o.admitUnits(c)
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	c.Added = false
	return o.note(c), nil
}

// admitServers checks the servers of a closure.
func (o *Oracle) admitServers(c bookahead.Closure) (bookahead.Closure, error) {
	if len(c.Servers) == 0 || c.Units != 0 && c.Units != int64(len(c.Servers)) {
		return c, invalid("Closure.Servers", c.Servers)
	}
	c.Units = int64(len(c.Servers))
	c.Servers = slices.Sorted(slices.Values(c.Servers))
	for i, k := range c.Servers {
		if k < 0 || k >= o.servers || i > 0 && k == c.Servers[i-1] {
			return c, invalid("Closure.Servers", k)
		}
	}
	return c, nil
}

// admitUnits checks the units of a closure of a pool.
func (o *Oracle) admitUnits(c bookahead.Closure) error {
	switch {
	case c.Servers != nil:
		return invalid("Closure.Servers", c.Servers)
	case c.Units < 1 || o.Capacity > MostUnits:
		return invalid("Closure.Units", c.Units)
	}
	left := int64(2 * MostUnits)
	for _, other := range o.Changes {
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
func (o *Oracle) Extend(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := o.admit(c)
	switch {
	case err != nil:
	case c.Servers != nil:
		err = invalid("Closure.Servers", c.Servers)
	case c.Units < 1 || o.Capacity > MostUnits:
		err = invalid("Closure.Units", c.Units)
	case o.Servers && c.Units > int64(MostServers-o.servers):
		err = invalid("Closure.Units", c.Units)
	case !o.Servers && c.Units > MostUnits-o.Capacity-o.extended():
		err = invalid("Closure.Units", c.Units)
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	c.Added = true
	if o.Servers {
		for range c.Units {
			c.Servers = append(c.Servers, o.servers)
			o.servers++
		}
		for t := range o.Held {
			o.Held[t] = append(o.Held[t], make([]int8, c.Units)...)
		}
	}
	return o.note(c), nil
}

// extended returns the units of all extensions that are not over, whether they overlap or not.
func (o *Oracle) extended() (n int64) {
	for _, c := range o.Changes {
		if c.Added {
			n += c.Units
		}
	}
	return n
}

// largest returns the most units that a pool has at a tick from now on, without closures.
func (o *Oracle) largest() int64 {
	most := o.Capacity
	for _, edge := range o.Changes {
		n, t := o.Capacity, max(edge.Start, o.Clock)
		for _, c := range o.Changes {
			if c.Added && c.Contains(t) {
				n += c.Units
			}
		}
		most = max(most, n)
	}
	return most
}

// End implements bookahead.Closable.
func (o *Oracle) End(id bookahead.ClosureID, at bookahead.Time) error {
	i := slices.IndexFunc(o.Changes, func(c bookahead.Closure) bool { return c.ID == id })
	if i < 0 {
		return bookahead.ErrNotFound
	}
	at = max(at, o.Clock)
	if at > o.Changes[i].End {
		return invalid("at", at)
	}
	o.Changes = slices.Clone(o.Changes)
	o.Changes[i].End = at
	o.forget()
	return nil
}

// forget drops the closures that are over by now, or were ended before they began.
func (o *Oracle) forget() {
	o.Changes = slices.DeleteFunc(slices.Clone(o.Changes), func(c bookahead.Closure) bool { return c.Empty() || c.End <= o.Clock })
	o.count()
}

// Closures implements bookahead.Closable.
func (o *Oracle) Closures() iter.Seq[bookahead.Closure] {
	return func(yield func(bookahead.Closure) bool) {
		for _, c := range o.Changes {
			if !yield(lent(c)) {
				return
			}
		}
	}
}

// lent returns a closure whose servers are the caller's.
func lent(c bookahead.Closure) bookahead.Closure {
	c.Servers = slices.Clone(c.Servers)
	return c
}

// settled returns the tick from which on no closure begins or ends. A closure until further
// notice never ends.
func (o *Oracle) settled() (t bookahead.Time) {
	for _, c := range o.Changes {
		t = max(t, c.Start)
		if c.End < bookahead.MaxTime {
			t = max(t, c.End)
		}
	}
	return t
}

// capacityAt returns the capacity of a pool at a tick.
func (o *Oracle) capacityAt(t bookahead.Time) int64 {
	given, closed := o.Capacity, int64(0)
	for _, c := range o.Changes {
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

// count makes the terms anew: at each edge of a closure it counts the closures of each server.
// Outside its extension, a server that was added counts as closed.
func (o *Oracle) count() {
	o.Terms = nil
	if !o.Servers {
		return
	}
	edges := []bookahead.Time{o.Origin}
	for _, c := range o.Changes {
		edges = append(edges, c.Start, c.End)
	}
	slices.Sort(edges)
	for _, t := range slices.Compact(edges) {
		x := Term{t, make([]int16, o.servers)}
		for k := int(o.Capacity); k < o.servers; k++ {
			x.Shut[k] = 1
		}
		for _, c := range o.Changes {
			for _, k := range c.Servers {
				switch {
				case !c.Contains(t):
				case c.Added:
					x.Shut[k]--
				default:
					x.Shut[k]++
				}
			}
		}
		o.Terms = append(o.Terms, x)
	}
}

// shut reports whether a server is closed at a tick.
func (o *Oracle) shut(k int, t bookahead.Time) bool {
	for _, x := range slices.Backward(o.Terms) {
		if x.Start <= t {
			return x.Shut[k] > 0
		}
	}
	return false
}
