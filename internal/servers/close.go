package servers

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
)

// Closer is a Roster whose servers can be closed. Its times may lie beyond the horizon.
type Closer interface {
	Roster
	// Free yields the stretches of w in which a server is free, by start.
	Free(server int, w bookahead.Interval) iter.Seq[bookahead.Interval]
	// Grow adds servers after the others. They are taken until Give makes them free.
	Grow(n int)
}

// Close implements bookahead.Closable. It takes the idle stretches of the servers off the Roster;
// reservations hold the other stretches. O(n (c + k log p)) for n servers that have c closures,
// and k of p idle stretches in its time.
func (s *Schedule) Close(c bookahead.Closure) (bookahead.Closure, error) {
	list, err := s.checkClose(&c)
	if err != nil {
		return bookahead.Closure{}, err
	}
	x := s.ever()
	var idle pieces
	for _, k := range list {
		was := x.isOpen(k, s.Now)
		idle = s.shut(idle, k, x.parts(k, c.Interval))
		l := x.lanes[k]
		l.cover = l.cover.plus(c.Interval, 1)
		x.set(k, l, s.Now)
		if was && c.Contains(s.Now) {
			x.open--
		}
	}
	idle.do(s.Roster.Take)
	return x.list.Add(c), nil
}

// checkClose checks a closure, and completes it. It returns the servers to close.
func (s *Schedule) checkClose(c *bookahead.Closure) ([]int32, error) {
	var err error
	*c, err = closures.Check(*c, s.Now)
	if err != nil {
		return nil, err
	}
	c.Added = false
	n := int64(len(c.Servers))
	switch {
	case n == 0:
		return nil, limits.Invalid("Closure.Servers", c.Servers, "names none")
	case c.Units != 0 && c.Units != n:
		return nil, limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("is not the number of servers, %d", n))
	}
	c.Units, c.Servers = n, slices.Sorted(slices.Values(c.Servers))
	for i, k := range c.Servers {
		switch {
		case k < 0:
			return nil, limits.Invalid("Closure.Servers", k, "is negative")
		case k >= s.Limits.Servers:
			return nil, limits.Invalid("Closure.Servers", k, fmt.Sprintf("is not below the %d servers that there are", s.Limits.Servers))
		case i > 0 && k == c.Servers[i-1]:
			return nil, limits.Invalid("Closure.Servers", k, "is named twice")
		}
	}
	return convert[int32](c.Servers), nil
}

// shut closes a server in parts of time in which it is open. It appends the idle stretches of the
// parts, which the caller takes off the Roster. A reservation holds the rest of each part, which
// becomes held:
//
//	part         ├────────────────────┤
//	idle         ├───┤       ├────┤           to take off the Roster
//	held             ├───────┤    ├───┤       overbooked from now on
func (s *Schedule) shut(idle pieces, server int32, parts stretches) pieces {
	x := s.closed
	l, had := x.lanes[server]
	for _, part := range parts {
		for free := range s.Roster.(Closer).Free(int(server), part) {
			idle = append(idle, piece{free, server})
			if part.Start < free.Start {
				l.held = l.held.plus(bookahead.Interval{Start: part.Start, End: free.Start})
			}
			part.Start = free.End
		}
		if !part.Empty() {
			l.held = l.held.plus(part)
		}
	}
	if had || len(l.held) > 0 {
		x.set(server, l, s.Now)
	}
	return idle
}

// Extend implements bookahead.Closable. O(n log p) for n servers, and p idle stretches.
func (s *Schedule) Extend(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := closures.Check(c, s.Now)
	if err != nil {
		return bookahead.Closure{}, err
	}
	n := s.Limits.Servers
	roster, ok := s.Roster.(Closer)
	switch {
	case c.Servers != nil:
		err = limits.Invalid("Closure.Servers", c.Servers, "are named, but an extension chooses its own")
	case c.Units < 1:
		err = limits.Invalid("Closure.Units", c.Units, "is less than 1")
	case c.Units > int64(Max-n):
		err = limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("exceeds the limit of %d servers, with %d there already", Max, n))
	case !ok:
		err = limits.Invalid("schedule", fmt.Sprintf("%T", s.Roster), "cannot be extended")
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	x := s.ever()
	c.Added, c.Servers = true, make([]int, c.Units)
	for i := range c.Servers {
		c.Servers[i] = n + i
	}
	s.Limits.Servers += int(c.Units)
	s.Limits.Capacity += c.Units
	x.added = append(x.added, extent{c.Interval, int32(n), int32(s.Limits.Servers)})
	x.next = min(x.next, c.End)
	if c.Start == s.Now {
		x.open += int(c.Units)
	} else {
		x.next = min(x.next, c.Start)
	}
	roster.Grow(int(c.Units))
	roster.Give(Booking{c.Interval, convert[int32](c.Servers)})
	return x.list.Add(c), nil
}

// End implements bookahead.Closable. It costs as much as Close, for an extension as much as it
// takes to close its servers.
func (s *Schedule) End(id bookahead.ClosureID, at bookahead.Time) error {
	x := s.closed
	if x == nil {
		return bookahead.ErrNotFound
	}
	c, gone, err := x.list.End(id, at, s.Now)
	switch {
	case err != nil:
		return err
	case gone.Empty():
	case c.Added:
		s.retract(convert[int32](c.Servers), gone)
	default:
		s.reopen(convert[int32](c.Servers), gone)
	}
	return nil
}

// reopen removes a closure of servers from the time gone, in which it no longer holds.
func (s *Schedule) reopen(list []int32, gone bookahead.Interval) {
	x := s.closed
	var idle pieces
	for _, k := range list {
		l := x.lanes[k]
		l.cover = l.cover.plus(gone, -1)
		x.set(k, l, s.Now)
		for _, part := range x.parts(k, gone) {
			for _, free := range l.held.gaps(part) {
				idle = append(idle, piece{free, k})
			}
			l.held = l.held.minus(part)
		}
		x.set(k, l, s.Now)
		if gone.Contains(s.Now) && x.isOpen(k, s.Now) {
			x.open++
		}
	}
	idle.do(s.Roster.Give)
}

// retract closes the servers of an extension in the time gone, in which they are no longer there.
func (s *Schedule) retract(list []int32, gone bookahead.Interval) {
	x := s.closed
	var idle pieces
	for _, k := range list {
		if gone.Contains(s.Now) && x.isOpen(k, s.Now) {
			x.open--
		}
		idle = s.shut(idle, k, x.parts(k, gone))
	}
	i := slices.IndexFunc(x.added, func(e extent) bool { return e.first == list[0] })
	x.added[i].End = gone.Start
	x.next = min(x.next, gone.Start)
	if gone.Start <= max(x.added[i].Start, s.Now) {
		x.added = slices.Delete(x.added, i, i+1)
	}
	idle.do(s.Roster.Take)
}

// Closures implements bookahead.Closable.
func (s *Schedule) Closures() iter.Seq[bookahead.Closure] {
	return func(yield func(bookahead.Closure) bool) {
		if s.closed != nil {
			s.closed.list.All()(yield)
		}
	}
}

// Frame implements bookahead.Keeper. O(1).
func (s *Servers) Frame() bookahead.Frame {
	f := s.Limits.Frame()
	if s.closed != nil {
		f.Capacity = int64(s.closed.open)
	}
	return f
}

// IsOpen reports whether a server is open now. O(log n) for n closures of the server.
func (s *Servers) IsOpen(server int) bool {
	return s.closed == nil || s.closed.isOpen(int32(server), s.Now)
}

// give makes the servers of a booking free where they are not closed.
func (s *Schedule) give(b Booking) {
	x := s.closed
	if x == nil || x.plain(b.Servers) {
		s.Roster.Give(b)
		return
	}
	var idle pieces
	for _, k := range b.Servers {
		idle = x.release(idle, k, b.Interval, s.Now)
	}
	idle.do(s.Roster.Give)
}
