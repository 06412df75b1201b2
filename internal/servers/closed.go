package servers

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
)

// closed knows when servers are closed. A schedule has none before its first closure, so that
// schedules without closures pay nothing.
//
// A server is closed before and after its extension, if an extension added it, and wherever a
// closure covers it. Only servers with closures, or held stretches, have a lane:
//
//	             now
//	closures      │   ├─────────────────┤        of server 3
//	reservations  │      ├────┤    ├─────────┤   that hold server 3
//	held          │      ├────┤    ├────┤        overbooked
//	idle          ├───┤                      ├── free in the Roster
//
// Between two calls, these invariants hold from now on. Verify names the one that is broken.
//
//	S1  The cover of a lane counts the closures in the list that name the server.
//	S2  held is where the server is closed while a reservation holds it.
//	S3  open is the number of servers that are open now.
//	S4  next is not after the first time after now at which a server opens or closes, or
//	    at which a lane is no longer needed.
//	S5  The Roster has a server idle where it is neither closed nor held by a reservation.
//	S6  added has the extensions in the list, in their order.
type closed struct {
	list  closures.List
	given int            // servers from the start
	added []extent       // the extensions that are not over, by server
	lanes map[int32]lane // by server
	open  int
	next  bookahead.Time
}

// extent is an extension: the servers [first, behind), which are there for a time.
type extent struct {
	bookahead.Interval
	first, behind int32
}

// lane is the closures of one server, and the stretches in which it is held although it is
// closed.
type lane struct {
	cover cover
	held  stretches
}

// next returns the first time after t at which the cover changes, or else from which the lane is
// no longer needed.
func (l lane) next(t bookahead.Time) bookahead.Time {
	i := l.cover.after(t)
	if i < len(l.cover) {
		return l.cover[i].at
	}
	if len(l.held) > 0 {
		return l.held[len(l.held)-1].End
	}
	return t
}

// trim returns the lane from t on.
func (l lane) trim(t bookahead.Time) lane {
	return lane{l.cover.trim(t), l.held[l.held.behind(t):]}
}

// ever returns the closures of a schedule, and makes an empty list if there are none yet.
func (s *Servers) ever() *closed {
	if s.closed == nil {
		n := s.Limits.Servers
		s.closed = &closed{given: n, open: n, next: bookahead.MaxTime, lanes: map[int32]lane{}}
	}
	return s.closed
}

// EverClosed reports whether there has been a closure or an extension.
func (s *Servers) EverClosed() bool { return s.closed != nil }

// clone returns a copy. O(lanes + closures).
func (x *closed) clone() *closed {
	if x == nil {
		return nil
	}
	c := *x
	c.list, c.added, c.lanes = x.list.Clone(), slices.Clone(x.added), maps.Clone(x.lanes)
	return &c
}

// there returns the time in which a server is there. It is empty if the extension that added the
// server is over. O(log e) for e extensions.
func (x *closed) there(server int32) bookahead.Interval {
	if int(server) < x.given {
		return bookahead.Interval{End: bookahead.MaxTime}
	}
	i, _ := slices.BinarySearchFunc(x.added, server+1, func(e extent, k int32) int { return cmp.Compare(e.behind, k) })
	if i < len(x.added) && x.added[i].first <= server {
		return x.added[i].Interval
	}
	return bookahead.Interval{}
}

// parts returns the parts of w in which a server is open.
func (x *closed) parts(server int32, w bookahead.Interval) stretches {
	w = w.Intersect(x.there(server))
	if w.Empty() {
		return nil
	}
	return x.lanes[server].cover.open(w)
}

// isOpen reports whether a server is open at t.
func (x *closed) isOpen(server int32, t bookahead.Time) bool {
	return x.there(server).Contains(t) && x.lanes[server].cover.at(t) == 0
}

// plain reports whether servers have been open all the time, as far as lanes and extensions tell.
func (x *closed) plain(list []int32) bool {
	if len(list) > 0 && int(list[len(list)-1]) >= x.given {
		return false
	}
	return len(x.lanes) == 0 || !slices.ContainsFunc(list, func(k int32) bool {
		_, ok := x.lanes[k]
		return ok
	})
}

// set replaces a lane, or removes one that is no longer needed.
func (x *closed) set(server int32, l lane, now bookahead.Time) {
	l = l.trim(now)
	if len(l.cover) == 0 && len(l.held) == 0 {
		delete(x.lanes, server)
		return
	}
	x.lanes[server] = l
	x.next = min(x.next, l.next(now))
}

// release ends the hold of a reservation on a server in w, and appends the parts of w in which
// the server is idle from then on.
func (x *closed) release(idle pieces, server int32, w bookahead.Interval, now bookahead.Time) pieces {
	for _, part := range x.parts(server, w) {
		idle = append(idle, piece{part, server})
	}
	l, ok := x.lanes[server]
	if ok {
		l.held = l.held.minus(w)
		x.set(server, l, now)
	}
	return idle
}

// advance drops everything that is over. It looks at all lanes only if a lane changes by now.
func (x *closed) advance(now bookahead.Time) {
	if x == nil {
		return
	}
	x.list.Forget(now)
	if now < x.next {
		return
	}
	x.added = slices.DeleteFunc(x.added, func(e extent) bool { return e.End <= now })
	x.recount(now)
}

// recount trims all lanes, and finds open and next anew. O(lanes + extensions).
func (x *closed) recount(now bookahead.Time) {
	x.open, x.next = x.given, bookahead.MaxTime
	for _, e := range x.added {
		if e.Contains(now) {
			x.open += int(e.behind - e.first)
			x.next = min(x.next, e.End)
		} else {
			x.next = min(x.next, e.Start)
		}
	}
	for k, l := range x.lanes {
		x.set(k, l, now)
		if x.there(k).Contains(now) && l.cover.at(now) > 0 {
			x.open--
		}
	}
}

// pieces are stretches of time of some servers.
type pieces []piece

type piece struct {
	bookahead.Interval
	server int32
}

// do calls a function once for all servers that have the same stretch, stretch by stretch.
func (p pieces) do(do func(Booking)) {
	slices.SortFunc(p, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.server, b.server))
	})
	for i := 0; i < len(p); {
		b := Booking{Interval: p[i].Interval}
		for i < len(p) && p[i].Interval == b.Interval {
			b.Servers = append(b.Servers, p[i].server)
			i++
		}
		do(b)
	}
}
