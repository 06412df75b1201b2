package carts

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

var _ bookahead.Resizer = (*SR)(nil)

// Resize implements bookahead.Resizer. It adds the servers with the lowest index.
// O(v + m(n + N)) for n servers, and m slots in what is given back and in what is
// booked.
func (s *SR) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return s.servers.Resize(id, to, units, servers.Structure{
		Idle:   s.idler,
		Choose: s.more,
		Give:   func(b servers.Booking) { s.give(b.Interval, b.Servers) },
		Take:   func(b servers.Booking) { take(s, b.Interval, b.Servers) },
	})
}

// idler returns what tells whether a server is free in all slots of w.
func (s *SR) idler(w bookahead.Interval) func(server int32) bool {
	slots := s.free[s.at(w.Start) : s.at(w.End-1)+1]
	return func(server int32) bool {
		for _, free := range slots {
			if !free.Test(uint(server)) {
				return false
			}
		}
		return true
	}
}

// more returns the n lowest servers that are free throughout w, but for those
// beside.
func (s *SR) more(w bookahead.Interval, n int, beside []int32) []int {
	common := s.eligible(nil)
	for _, k := range beside {
		common.Clear(uint(k))
	}
	if _, ok := s.intersect(common, s.at(w.Start), s.at(w.End-1), n); !ok {
		return nil
	}
	return lowest(common, n)
}
