package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// slots is the roster of a Slotted: calendars, and the trees of the slots.
type slots struct {
	fleet
	width    bookahead.Time // of a slot
	step     bookahead.Time
	tries    int
	patience int         // starts tried before some are left out
	ring     []*slotTree // slot k is at k mod its length; nil if the slot is empty
	endless  forest      // one tree of the idle periods that never end, by start, latest first
	root     int32       // of endless
	perLeaf  int32
	changes  []change // room for the changes of one reservation
	room     room
}

// newSlots returns slots for calendars, without trees. c must have its defaults.
func newSlots(f *fleet, c SlottedConfig, perLeaf int32) *slots {
	return &slots{
		fleet: *f, width: bookahead.Time(c.Slot), step: bookahead.Time(c.Step), tries: c.Attempts, patience: patience,
		ring: make([]*slotTree, c.slots()), endless: forest{perLeaf: perLeaf}, perLeaf: perLeaf,
	}
}

// slotOf returns the number of the slot that contains t. t is never negative.
func (s *slots) slotOf(t bookahead.Time) int64 { return int64(t / s.width) }

// at returns the place of a slot in the ring.
func (s *slots) at(number int64) **slotTree { return &s.ring[number%int64(len(s.ring))] }

// change says that the idle period of a server that begins at start used to end at was, and
// now ends at is. A period that ends at its start does not exist. The changes of one
// reservation are in such an order that no two periods of a server ever end together.
type change struct {
	start, was, is bookahead.Time
	server         int32
}

// patience is the number of starts that Search tries before it looks for starts that it can
// leave out. A search with the paper's settings never tries so many, so that its visits are
// those that the paper counts. With patience, a search tick by tick over centuries ends too.
const patience = 1 << 16

// overlapped returns the slots that the bounded period e overlaps, from now on.
func (s *slots) overlapped(e item) (from, to int64) {
	return s.slotOf(max(-e.key, s.now)), s.slotOf(e.end-1) + 1
}

// items returns the idle periods that never end, and those that end, in the order of a
// primary tree. Periods that end now are among them, because they go on if the booking
// behind them is released.
func (s *slots) items() (endless, bounded []item) {
	for _, p := range s.periods(nil, rest(s.now-1)) {
		e := item{key: -p.Start, end: p.End, server: int32(p.Server)}
		if p.End == bookahead.MaxTime {
			e.end = 0
			endless = append(endless, e)
		} else {
			bounded = append(bounded, e)
		}
	}
	slices.SortFunc(endless, item.compare)
	slices.SortFunc(bounded, item.compare)
	return endless, bounded
}

// fill builds the tree of the endless idle periods, and the tree of each slot from the
// bounded idle periods. Both lists are in order.
func (s *slots) fill(endless, bounded []item) {
	s.root = s.endless.build(endless, &s.room)
	lists := make([][]item, len(s.ring))
	for _, e := range bounded {
		for k, to := s.overlapped(e); k < to; k++ {
			place := k % int64(len(lists))
			lists[place] = append(lists[place], e)
		}
	}
	for place, list := range lists {
		if len(list) > 0 {
			slot := newSlotTree(s.perLeaf)
			slot.primary.freeNode(slot.root)
			slot.root = slot.primary.build(list, &s.room)
			s.ring[place], lists[place] = slot, nil
		}
	}
}

// beginning returns the idle periods that begin in a slot and inside w, but not at the
// start of w, in the order byStart.
func (s *slots) beginning(number int64, w bookahead.Interval) []Period {
	start := bookahead.Time(number) * s.width
	after, by := max(w.Start, start-1), min(w.End-1-start, s.width-1)+start
	items := s.endless.between(s.root, -by, -after, nil)
	for i := range items {
		items[i].end = bookahead.MaxTime
	}
	slot := *s.at(number)
	if slot != nil {
		items = slot.primary.between(slot.root, -by, -after, items)
	}
	periods := make([]Period, len(items))
	for i, e := range items {
		periods[i] = Period{bookahead.Interval{Start: -e.key, End: e.end}, int(e.server)}
	}
	slices.SortFunc(periods, byStart)
	return periods
}
