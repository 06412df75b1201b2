package desk

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math/big"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// shut closes units, servers or nodes.
func (s *schedule) shut(c bookahead.Closure) (bookahead.Closure, error) {
	if s.machine != nil {
		return s.machine.Close(c)
	}
	return s.keeper.Close(c)
}

// extend adds units, servers, or nodes.
func (s *schedule) extend(c bookahead.Closure, more []nodes.Added) (done bookahead.Closure, err error) {
	if s.machine != nil {
		done, err = s.machine.Extend(c, more)
		if err == nil {
			s.kind = s.kind.(Nodes).with(more)
			s.measure()
		}
		return done, err
	}
	done, err = s.keeper.Extend(c)
	s.measure()
	return done, err
}

// reopen ends a closure or an extension.
func (s *schedule) reopen(id bookahead.ClosureID, at bookahead.Time) error {
	if s.machine != nil {
		return s.machine.EndClosure(id, at)
	}
	return s.keeper.End(id, at)
}

// overbooked returns the stretches of w in which more is booked than there is; none for a broker.
func (s *schedule) overbooked(w bookahead.Interval) []bookahead.Overbooking {
	switch {
	case s.machine != nil:
		return slices.Collect(s.machine.Overbooked(w))
	case s.keeper != nil:
		return slices.Collect(s.keeper.Overbooked(w))
	}
	return nil
}

// overbooks reports whether a place lies on an overbooked stretch of w by its own units: on servers and nodes by those that
// it holds, and on a pool in any case, since all units are alike.
func (s *schedule) overbooks(p *Place, w bookahead.Interval) bool {
	return slices.ContainsFunc(s.overbooked(w.Intersect(p.reserved())), func(o bookahead.Overbooking) bool {
		return p.holds(o.Servers)
	})
}

// closures returns the closures and extensions of a schedule that are not over.
func (s *schedule) closures() map[bookahead.ClosureID]bookahead.Closure {
	all := map[bookahead.ClosureID]bookahead.Closure{}
	collect := func(list iter.Seq[bookahead.Closure]) {
		for c := range list {
			all[c.ID] = c
		}
	}
	switch {
	case s.machine != nil:
		collect(s.machine.Closures())
	case s.keeper != nil:
		collect(s.keeper.Closures())
	}
	return all
}

// whole returns the closure of all that the schedule ever has, without a time. A pool may close more units than it has;
// units that are closed already count twice, since the Frame leaves them out if they are closed now.
func (s *schedule) whole() (c bookahead.Closure) {
	f := s.frame()
	if f.Servers > 0 {
		for k := range f.Servers {
			c.Servers = append(c.Servers, k)
		}
		return c
	}
	c.Units = f.Capacity
	for other := range s.keeper.Closures() {
		c.Units += other.Units
	}
	return c
}

// area is unit-ticks, in two words.
type area struct{ hi, lo uint64 }

// add adds units times ticks, which are not negative.
func (a *area) add(units int64, ticks bookahead.Duration) {
	hi, lo := bits.Mul64(uint64(units), uint64(ticks))
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, lo, 0)
	a.hi, _ = bits.Add64(a.hi, hi, carry)
}

func (a area) big() *big.Int {
	var words [16]byte
	binary.BigEndian.PutUint64(words[:8], a.hi)
	binary.BigEndian.PutUint64(words[8:], a.lo)
	return new(big.Int).SetBytes(words[:])
}

// capacity returns the capacity in w, with some outages.
func (s *schedule) capacity(w bookahead.Interval, outages []*Outage) []area {
	sum := make([]area, s.resources())
	if w.Empty() {
		return sum
	}
	units := shifts{w, nil} // all units without names
	named := map[int]*opening{}
	for _, o := range outages {
		if o.Servers == nil {
			units.add(o.Interval, o.Units, o.added)
		}
		for _, k := range o.Servers {
			if named[k] == nil {
				named[k] = &opening{}
				if int64(k) < s.given {
					named[k].there = w // other servers are there only while an extension says so
				}
			}
			if o.added {
				named[k].there = o.Intersect(w)
			} else {
				named[k].closed.add(o.Interval, 1, true)
			}
		}
	}
	kind, ok := s.kind.(Nodes)
	if !ok {
		given := s.given
		for k, x := range named {
			sum[0].add(1, x.ticks())
			if int64(k) < s.given {
				given--
			}
		}
		units.level(given, func(n int64, length bookahead.Duration) { sum[0].add(n, length) })
		return sum
	}
	for k, has := range kind.Nodes {
		ticks := w.Len()
		x := named[k]
		switch {
		case x != nil:
			ticks = x.ticks()
		case int64(k) >= s.given:
			ticks = 0 // its extension was forgotten
		}
		for r := range sum {
			sum[r].add(has[r], ticks)
		}
	}
	return sum
}

// opening is when a server or node is there, and when it is closed meanwhile.
type opening struct {
	there  bookahead.Interval
	closed shifts
}

// ticks returns how long it is open.
func (x *opening) ticks() (open bookahead.Duration) {
	x.closed.window = x.there
	x.closed.level(0, func(n int64, length bookahead.Duration) {
		if n == 0 {
			open += length
		}
	})
	return open
}

// shifts are changes of an amount in a window.
type shifts struct {
	window bookahead.Interval
	list   []shift
}

type shift struct {
	at bookahead.Time
	by int64
}

// add adds an amount throughout an interval, or takes it off.
func (x *shifts) add(w bookahead.Interval, n int64, more bool) {
	if !more {
		n = -n
	}
	x.list = append(x.list, shift{w.Start, n}, shift{w.End, -n})
}

// level calls tell for each amount, which is never less than 0, with the time for which it lasts.
func (x *shifts) level(n int64, tell func(n int64, length bookahead.Duration)) {
	if x.window.Empty() {
		return
	}
	slices.SortFunc(x.list, func(a, b shift) int { return cmp.Compare(a.at, b.at) })
	from := x.window.Start
	for _, s := range x.list {
		to := min(max(s.at, from), x.window.End)
		tell(max(n, 0), bookahead.Duration(to-from))
		from, n = to, n+s.by
	}
	tell(max(n, 0), bookahead.Duration(x.window.End-from))
}
