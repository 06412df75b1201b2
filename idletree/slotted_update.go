package idletree

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Book takes a Search, and O(log² q) for each server and each slot that its idle period spans,
// with q idle periods in a slot.
func (s *slots) Book(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	t, chosen := s.search(first, last, r, &Spent{})
	if chosen == nil {
		return 0, nil, false
	}
	s.take(servers.Window(t, r), chosen)
	return t, s.serversOf(chosen), true
}

func (s *slots) Take(b servers.Booking) {
	_, chosen := s.periodsOf(b)
	s.take(b.Interval, chosen)
}

// take books w in the idle periods chosen for it.
func (s *slots) take(w bookahead.Interval, chosen []Period) {
	s.changes = s.changes[:0]
	for _, p := range chosen {
		s.book(p.Server, w)
		s.changes = append(s.changes,
			change{start: p.Start, was: p.End, is: w.Start, server: int32(p.Server)},
			change{start: w.End, was: w.End, is: p.End, server: int32(p.Server)})
	}
	s.update()
}

// Give takes O(log² q) for each server and each slot that its idle period then spans, with q
// idle periods in a slot.
func (s *slots) Give(b servers.Booking) {
	s.changes = s.changes[:0]
	for _, k := range b.Servers {
		left, right := s.free(int(k), b.Interval)
		whole := b.Interval
		if !left.Empty() {
			whole.Start = left.Start
		}
		if !right.Empty() {
			whole.End = right.End
		}
		s.changes = append(s.changes,
			change{start: b.End, was: max(right.End, b.End), is: b.End, server: k},
			change{start: whole.Start, was: max(left.End, whole.Start), is: whole.End, server: k})
	}
	s.update()
}

// update applies s.changes to the trees, slot by slot, so that a tree stays in the cache for
// all its changes.
func (s *slots) update() {
	from, to := bookahead.MaxTime, bookahead.Time(0)
	for i := range s.changes {
		c := &s.changes[i]
		s.updateEndless(c)
		if c.was != c.is {
			from, to = min(from, c.start), max(to, c.was, c.is)
		}
	}
	if to == 0 {
		return
	}
	for k := s.slotOf(max(from, s.now)); k <= s.slotOf(to-1); k++ {
		s.updateSlot(k)
	}
}

// updateEndless applies c to the tree of the endless periods, and reduces c to its bounded
// periods.
func (s *slots) updateEndless(c *change) {
	e := item{key: -c.start, server: c.server}
	if c.was == bookahead.MaxTime && c.is != c.was {
		s.root = s.endless.remove(s.root, e, &s.room)
	}
	if c.is == bookahead.MaxTime && c.is != c.was {
		s.root = s.endless.insert(s.root, e, &s.room)
	}
	if c.was == bookahead.MaxTime {
		c.was = c.start
	}
	if c.is == bookahead.MaxTime {
		c.is = c.start
	}
}

// updateSlot applies the changes to the tree of one slot.
func (s *slots) updateSlot(number int64) {
	place := s.at(number)
	if *place == nil {
		*place = newSlotTree(s.perLeaf)
	}
	slot, start := *place, bookahead.Time(number)*s.width
	for _, c := range s.changes {
		if c.was == c.is || c.start-start >= s.width {
			continue
		}
		e := item{key: -c.start, end: c.was, server: c.server}
		before, after := c.was > max(start, c.start), c.is > max(start, c.start)
		switch {
		case before && after:
			slot.primary.setEnd(slot.root, e, c.is, &s.room)
		case before:
			slot.root = slot.primary.remove(slot.root, e, &s.room)
		case after:
			e.end = c.is
			slot.root = slot.primary.insert(slot.root, e, &s.room)
		}
	}
	if slot.primary.size(slot.root) == 0 {
		*place = nil
	}
}
