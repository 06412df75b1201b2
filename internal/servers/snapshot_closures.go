package servers

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// writeClosures writes the closures, each with its servers, and how many servers were ever added.
// The held stretches follow from the reservations.
func (s *Servers) writeClosures(w *snapshot.Writer) {
	behind := 0 // the first server after the last extension
	s.closed.list.Write(w, func(c bookahead.Closure) {
		n := len(c.Servers)
		if !c.Added {
			w.Uint(uint64(n))
			WriteSet(w, c.Servers)
			return
		}
		w.Uint(uint64(c.Servers[0] - behind))
		w.Uint(uint64(n))
		behind = c.Servers[0] + n
	})
	w.Uint(uint64(s.Limits.Servers - s.closed.given))
}

// ReadClosures reads the closures that Write has written after the reservations, for servers that
// were EverClosed. The servers of an extension take hardly any bytes, but memory: three lists.
func (s *Servers) ReadClosures(r *snapshot.Reader) {
	if r.Err() != nil {
		return
	}
	capacity := s.Limits.Servers
	r.Afford("servers", uint64(capacity), 3*8)
	if r.Err() != nil {
		return
	}
	behind := 0
	list := closures.Read(r, s.Now, func(c *bookahead.Closure) {
		if c.Added {
			first := behind + int(r.Uint("first server of an extension", uint64(capacity-behind)))
			behind = first + int(r.Uint("servers of an extension", uint64(capacity-first)))
			c.Servers = upTo(first, behind)
		} else {
			n := int(r.Uint("servers of a closure", uint64(min(capacity, r.Left()))))
			c.Servers = convert[int](ReadSet(r, n, int64(capacity)))
		}
		c.Units = int64(len(c.Servers))
		if c.Units == 0 {
			r.Fail("servers of a closure", c.ID, "are none")
		}
	})
	if !list.Ever() {
		r.Fail("last closure", 0, "is none, but the kind says that there were closures")
	}
	given := capacity - int(r.Uint("servers added", uint64(capacity-1)))
	s.closed = &closed{list: list, given: given}
	if r.Err() != nil {
		return
	}
	s.checkOrder(r)
	s.checkBooked(r)
	s.closed.lanes = s.lanesOf(s.closed)
	s.closed.recount(s.Now)
}

// upTo returns the servers [first, behind).
func upTo(first, behind int) []int {
	list := make([]int, behind-first)
	for i := range list {
		list[i] = first + i
	}
	return list
}

// checkOrder finds the extensions that are not over. It checks that they added their servers one
// after the other, and that closures name servers that existed. A closure that is no longer
// listed may have been an extension too:
//
//	4 servers from the start
//	#1  is not listed
//	#2  closes servers 1 and 5       so #1 has added two or more
//	#3  adds servers 7 and 8         so #1 has added three
//	#5  closes server 9              so #4 has added one or more
func (s *Servers) checkOrder(r *snapshot.Reader) {
	x := s.closed
	known, last, missing := x.given, bookahead.ClosureID(0), false
	for c := range x.list.All() {
		missing = missing || c.ID-last > 1
		last = c.ID
		first, behind := c.Servers[0], c.Servers[len(c.Servers)-1]+1
		if !c.Added {
			first = behind
		}
		if first > known && !missing || c.Added && first < known {
			r.Fail("closure", c.ID, fmt.Sprintf("has servers from %d to %d, and there were %d", c.Servers[0], behind-1, known))
			return
		}
		if c.Added {
			x.added = append(x.added, extent{c.Interval, int32(first), int32(behind)})
			missing = false
		}
		known = max(known, behind)
	}
	if known < s.Limits.Servers && !missing && x.list.Last() == last {
		r.Fail("servers added", s.Limits.Servers-x.given, "are more than the extensions have")
	}
}

// checkBooked checks that no reservation holds a server before its extension begins.
func (s *Servers) checkBooked(r *snapshot.Reader) {
	for id, b := range s.Booked.All(s.Now) {
		for _, k := range b.Servers {
			if s.Ahead(b.Interval).Start < s.closed.there(k).Start {
				r.Fail("reservation", fmt.Sprintf("#%d", id), fmt.Sprintf("is on server %d before there is one", k))
			}
		}
	}
}
