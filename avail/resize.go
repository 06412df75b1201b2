package avail

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

var _ bookahead.Resizer = (*Schedule)(nil)

// Resize implements bookahead.Resizer. It adds the servers with the lowest index,
// in O(N·m/64) for m slots. O(m + n·m/64) for n servers in m slots that are kept,
// added or given back.
func (s *Schedule) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return s.servers.Resize(id, to, units, servers.Structure{
		Round:  s.round,
		Idle:   s.idler,
		Choose: s.more,
		Give:   func(b servers.Booking) { s.flip(b, len(b.Servers)) },
		Take:   func(b servers.Booking) { s.flip(b, -len(b.Servers)) },
	})
}

// round returns the slots that w touches, as an interval. The last of the axis ends
// with it.
func (s *Schedule) round(w bookahead.Interval) bookahead.Interval {
	from, to := s.span(w)
	last := bookahead.Time(to-1) * s.width
	return bookahead.Interval{
		Start: bookahead.Time(from) * s.width,
		End:   last + min(s.width, bookahead.MaxTime-last),
	}
}

// idler returns what tells whether a server is free in all slots of w.
func (s *Schedule) idler(w bookahead.Interval) func(server int32) bool {
	slots := s.grid.stripe(s.span(w))
	return func(server int32) bool { return s.grid.idle(slots, int(server)) }
}

// more returns the n lowest servers that are free throughout w, but for those
// beside. These may be among the lowest, and so as many more are looked for.
func (s *Schedule) more(w bookahead.Interval, n int, beside []int32) []int {
	from, to := s.span(w)
	list := s.grid.lowest(nil, from, to, n+len(beside))
	list = slices.DeleteFunc(list, func(k int) bool { return servers.In(beside, int32(k)) })
	return list[:min(n, len(list))]
}

// flip is flip for a booking.
func (s *Schedule) flip(b servers.Booking, by int) {
	from, to := s.span(b.Interval)
	flip(&s.grid, b.Servers, from, to, by)
}
