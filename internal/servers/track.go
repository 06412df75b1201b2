package servers

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/spans"
)

// where is the index of where the reservations lie: all of them, and those of each server.
// Reservations of one server do not overlap, so their order by start is their order by end too.
type where struct {
	all  spans.Index
	held *cow.Tree[stay]
}

// stay is a reservation on a server. A stay that has ended remains until the server is booked
// again.
type stay struct {
	server     int32
	start, end bookahead.Time
	id         bookahead.ID
}

func before(a, b stay) bool { return a.server < b.server || a.server == b.server && a.start < b.start }

// Track implements bookahead.Tracker. O(n log n) for n reservations, once for each server.
func (s *Servers) Track(on bool) {
	if !on {
		s.where = nil
		return
	}
	if s.where != nil {
		return
	}
	x := &where{held: cow.NewTree(btree.NewG(32, before))}
	var list []spans.Span
	for id, b := range s.Booked.Overlapping(bookahead.Interval{Start: s.Now, End: bookahead.MaxTime}, s.Now) {
		list = append(list, spans.Span{Interval: b.Interval, ID: id})
		x.hold(id, b, s.Now)
	}
	x.all = spans.Build(list)
	s.where = x
}

// Tracks reports whether there is an index.
func (s *Servers) Tracks() bool { return s.where != nil }

// Live implements bookahead.Tracker. O(1).
func (s *Servers) Live() (n int, ok bool) {
	if s.where == nil {
		return 0, false
	}
	return s.where.all.Len(), true
}

// add adds a reservation, if there is an index.
func (x *where) add(id bookahead.ID, b Booking, now bookahead.Time) {
	if x == nil {
		return
	}
	x.all.Add(spans.Span{Interval: b.Interval, ID: id})
	x.hold(id, b, now)
}

// hold adds a stay for each server of a reservation, and removes stays there that have ended.
func (x *where) hold(id bookahead.ID, b Booking, now bookahead.Time) {
	for _, k := range b.Servers {
		var over []stay
		x.held.AscendGreaterOrEqual(stay{server: k}, func(y stay) bool {
			if y.server != k || y.end > now {
				return false
			}
			over = append(over, y)
			return true
		})
		for _, y := range over {
			x.held.Delete(y)
		}
		x.held.ReplaceOrInsert(stay{k, b.Start, b.End, id})
	}
}

// remove removes a reservation, if there is an index.
func (x *where) remove(id bookahead.ID, b Booking) {
	if x == nil {
		return
	}
	x.all.Remove(spans.Span{Interval: b.Interval, ID: id})
	for _, k := range b.Servers {
		x.held.Delete(stay{server: k, start: b.Start})
	}
}

func (x *where) forget(now bookahead.Time) {
	if x != nil {
		x.all.Forget(now)
	}
}

func (x *where) clone() *where {
	if x == nil {
		return nil
	}
	return &where{x.all.Clone(), x.held.Clone()}
}

// Reservations implements bookahead.Keeper. O(n + k log k) for k of n reservations; O(log n + k)
// with an index.
func (s *Servers) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return s.ReservationsOn(w, nil)
}

// ReservationsOn implements bookahead.Tracker.
func (s *Servers) ReservationsOn(w bookahead.Interval, named []int) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		for id, b := range s.lying(w, named) {
			if !yield(b.reservation(id)) {
				return
			}
		}
	}
}

// lying yields the bookings that overlap w and hold one of the servers named, or any if named is
// nil.
func (s *Servers) lying(w bookahead.Interval, named []int) iter.Seq2[bookahead.ID, Booking] {
	switch {
	case s.where == nil && named == nil:
		return s.Booked.Overlapping(w, s.Now)
	case s.where == nil:
		set := ascending(named)
		return s.Booked.Where(s.Now, func(b Booking) bool {
			return b.Overlaps(w) && slices.ContainsFunc(b.Servers, func(k int32) bool { return in(set, int(k)) })
		})
	case named == nil:
		return func(yield func(bookahead.ID, Booking) bool) {
			for x := range s.where.all.Overlapping(w) {
				b, _ := s.Booked.Get(x.ID, s.Now)
				if !yield(x.ID, b) {
					return
				}
			}
		}
	}
	return func(yield func(bookahead.ID, Booking) bool) {
		for _, y := range s.where.on(w, named, s.Now) {
			b, _ := s.Booked.Get(y.id, s.Now)
			if !yield(y.id, b) {
				return
			}
		}
	}
}

// on returns the stays of reservations that overlap w and hold one of the servers named, by
// start, then by ID. O(log n) for each server and each reservation on it.
func (x *where) on(w bookahead.Interval, named []int, now bookahead.Time) []stay {
	var list []stay
	if w.Empty() {
		return nil
	}
	for _, server := range named {
		k := int32(server)
		if int(k) != server {
			continue
		}
		x.held.DescendLessOrEqual(stay{server: k, start: w.Start}, func(y stay) bool {
			if y.server == k && y.end > w.Start {
				list = append(list, y)
			}
			return false
		})
		x.held.AscendGreaterOrEqual(stay{server: k, start: w.Start + 1}, func(y stay) bool {
			if y.server != k || y.start >= w.End {
				return false
			}
			list = append(list, y)
			return true
		})
	}
	list = slices.DeleteFunc(list, func(y stay) bool { return y.end <= now })
	slices.SortFunc(list, func(a, b stay) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.id, b.id)) })
	return slices.CompactFunc(list, func(a, b stay) bool { return a.id == b.id })
}

// verify checks that the index has the reservations of a schedule, and those of each server.
// O(n log n) for n servers of all reservations.
func (x *where) verify(s *Servers) error {
	if x == nil {
		return nil
	}
	ahead := bookahead.Interval{Start: s.Now, End: bookahead.MaxTime}
	var want []spans.Span
	stays := 0
	for id, b := range s.Booked.Overlapping(ahead, s.Now) {
		want = append(want, spans.Span{Interval: b.Interval, ID: id})
		for _, k := range b.Servers {
			y, ok := x.held.Get(stay{server: k, start: b.Start})
			if !ok || y != (stay{k, b.Start, b.End, id}) {
				return fmt.Errorf("reservation #%d in %v on server %d is %v in the index", id, b.Interval, k, y)
			}
			stays++
		}
	}
	got := slices.Collect(x.all.Overlapping(ahead))
	if !slices.Equal(got, want) || x.all.Len() != len(want) {
		return fmt.Errorf("the index has %d reservations, %v, but the live ones are %v", x.all.Len(), got, want)
	}
	x.held.Ascend(func(y stay) bool {
		if y.end > s.Now {
			stays--
		}
		return true
	})
	if stays != 0 {
		return fmt.Errorf("the index lacks %d stays on servers", stays)
	}
	return x.all.Verify()
}
