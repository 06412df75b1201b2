package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

var (
	_ bookahead.Resizer = (*Tree)(nil)
	_ bookahead.Resizer = (*Lists)(nil)
	_ bookahead.Resizer = (*Slotted)(nil)
)

// Resize implements bookahead.Resizer. Config.Prefer chooses the servers that are
// added, which takes a Search. O(n log p) for n servers that are kept, added or
// given back.
func (x *Tree) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return x.fleet.Resize(id, to, units, servers.Structure{
		Idle:   x.fleet.idler,
		Choose: func(w bookahead.Interval, n int, beside []int32) []int { return x.fleet.more(x, w, n, beside) },
		Give:   x.free,
		Take: func(b servers.Booking) {
			o, chosen := x.fleet.again(b)
			slices.SortFunc(chosen, byStart)
			x.book(o, chosen)
		},
	})
}

// Resize implements bookahead.Resizer. Config.Prefer chooses the servers that are
// added, which takes a Search. O(m) for each server with m idle periods that is
// kept, added or given back.
func (l *Lists) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	f := &l.fleet
	return f.Resize(id, to, units, servers.Structure{
		Idle:   f.idler,
		Choose: func(w bookahead.Interval, n int, beside []int32) []int { return f.more(f, w, n, beside) },
		Give:   func(b servers.Booking) { f.give(b) },
		Take:   func(b servers.Booking) { f.take(f.again(b)) },
	})
}

// Resize implements bookahead.Resizer. Servers are added in one attempt of a
// Search. O(log² q) for each server that is kept, added or given back, and each
// slot that an idle period of it spans, with q in a slot.
func (s *Slotted) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	return s.fleet.Resize(id, to, units, servers.Structure{
		Idle: s.fleet.idler,
		Choose: func(w bookahead.Interval, n int, beside []int32) []int {
			return s.fleet.pickOthers(s.idle(w, n, n+len(beside), &Effort{}), w, n, beside)
		},
		Give: s.free,
		Take: func(b servers.Booking) {
			_, chosen := s.fleet.again(b)
			s.book(b.Interval, chosen)
		},
	})
}

// idler returns what tells whether a server is idle throughout w.
func (f *fleet) idler(w bookahead.Interval) func(server int32) bool {
	return func(server int32) bool {
		_, ok := f.around(int(server), w)
		return ok
	}
}

// more returns the n best servers for w, or as many as there are, but for those
// beside. These may be among the best, and so as many more are looked for.
func (f *fleet) more(by finder, w bookahead.Interval, n int, beside []int32) []int {
	r := bookahead.Request{Duration: w.Len(), Units: int64(n + len(beside))}
	return f.pickOthers(by.best(r, w.Start, nil), w, n, beside)
}

// pickOthers returns the servers of the n best of those idle periods, but for the
// servers beside.
func (f *fleet) pickOthers(found []Period, w bookahead.Interval, n int, beside []int32) []int {
	found = slices.DeleteFunc(found, func(p Period) bool { return servers.In(beside, int32(p.Server)) })
	prefer := f.prefer
	if prefer == nil {
		prefer = f.first
	}
	slices.SortFunc(found, func(a, b Period) int {
		if c := prefer(w, a, b); c != 0 {
			return c
		}
		return byServer(a, b)
	})
	list := make([]int, min(n, len(found)))
	for i := range list {
		list[i] = found[i].Server
	}
	return list
}

// again returns what is to be booked as an offer, and the idle periods that
// contain it.
func (f *fleet) again(b servers.Booking) (bookahead.Offer, []Period) {
	o := b.Offer()
	chosen := make([]Period, len(o.Servers))
	for i, k := range o.Servers {
		chosen[i], _ = f.around(k, b.Interval)
	}
	return o, chosen
}
