package idletree

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Slotted is the structure as published (Castillo, Rouskas and Harfoush,
// "Resource co-allocation for large-scale distributed environments", §4). Time is cut
// into slots, and each slot has a 2-dimensional tree of the idle periods that overlap
// it. Tree is measured against Slotted.
//
//	       slot 0   slot 1   slot 2   slot 3
//	server │────────│──X─────│────    │         idle period X is in the trees of
//	                                            slots 0, 1 and 2
//	           ┌──── 7 ────┐          a primary tree, by start, latest first;
//	        ┌─ 12 ─┐    ┌─ 4 ─┐       each inner node has a secondary tree
//	        Y      Z    V     X       of the same idle periods, by end
//
// A request that starts in a slot needs periods of the slot's tree that start early
// enough (candidates, phase 1) and end late enough (feasible, phase 2). If there are
// too few, the search tries a start that is Step later, and so on, Attempts times. It
// finds no start between these.
//
// Idle periods that never end would be in the tree of each slot from some slot on, and
// in each slot that time adds at the horizon. They are kept in one tree for all slots.
// This tree needs no secondary trees, because all that start early enough are feasible.
//
// The paper takes the feasible idle periods of the subtrees with the latest starts
// first, and any within a subtree. Here the idle periods with the latest starts are
// taken, and among equal starts those of the lowest servers, as Tree does. Otherwise
// the shape of the tree, and so the past, would show in the answers. Servers that are
// named in a request are looked up in their calendars.
type Slotted struct{ schedule }

var _ form = (*Slotted)(nil)

// NewSlotted returns a schedule of capacity servers, at most 1<<24. The error wraps
// bookahead.ErrInvalid. It names Config.Horizon if the horizon is missing, and
// Config.Slot if there would be more than 1<<20 slots, or more than 1<<25 slots times
// servers. O(N + Q) for N servers and Q slots; see SlottedConfig.Booked. A server takes some 65 bytes, and some
// 375 while the trees are made, and a slot some 10 and 50.
func NewSlotted(capacity int64, c SlottedConfig) (*Slotted, error) {
	return newSlotted(capacity, c, leafSize)
}

// newSlotted is NewSlotted with leaves of the given size, for tests of high trees.
func newSlotted(capacity int64, c SlottedConfig, perLeaf int32) (*Slotted, error) {
	if _, err := servers.Open(capacity, c.Origin, c.Horizon, nil); err != nil {
		return nil, err
	}
	full, err := c.withDefaults(capacity) // before memory is allocated
	if err != nil {
		return nil, err
	}
	s, f, err := open(capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Booked: c.Booked})
	if err != nil {
		return nil, err
	}
	x := newSlots(f, full, perLeaf)
	x.fill(x.items())
	return &Slotted{newSchedule(s, x)}, nil
}

// Trace does the same as Search, and also returns the cost, even if there is no place.
// It takes as long as Search.
func (s *Slotted) Trace(r bookahead.Request) (bookahead.Offer, Spent, error) {
	first, last, err := s.s.Starts(r)
	if err != nil {
		return bookahead.Offer{}, Spent{}, err
	}
	e := Spent{}
	t, periods := s.slots().search(first, last, r, &e)
	if periods == nil {
		return bookahead.Offer{}, e, bookahead.ErrUnavailable
	}
	return servers.OfferAt(t, r, s.slots().serversOf(periods)), e, nil
}

// Clone implements bookahead.Cloner. It copies all trees: O(N + Q + p s log q)
// for p idle periods that span s slots each, with q in a slot.
func (s *Slotted) Clone() bookahead.Schedule { return &Slotted{s.clone()} }

// slots returns the roster. A zero Slotted has none.
func (s *Slotted) slots() *slots {
	x, ok := s.s.Roster.(*slots)
	if !ok {
		return &slots{}
	}
	return x
}

// Forget takes O(1) for each slot that has passed, because a slot is discarded as a whole.
func (s *slots) Forget(past bookahead.Interval) {
	s.fleet.Forget(past)
	from := s.slotOf(past.Start)
	for k := from; k < min(s.slotOf(past.End), from+int64(len(s.ring))); k++ {
		*s.at(k) = nil
	}
}

func (s *slots) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		first := bookahead.Interval{Start: w.Start, End: w.Start + 1}
		for _, k := range s.Pick(first, len(s.idle), nil) {
			p, _ := s.idle[k].begun(w.Start)
			if !yield(Period{p.Intersect(w), k}.block()) {
				return
			}
		}
		for k := s.slotOf(w.Start); k <= s.slotOf(w.End-1); k++ {
			for _, p := range s.beginning(k, w) {
				p.Interval = p.Intersect(w)
				if !yield(p.block()) {
					return
				}
			}
		}
	}
}

func (s *slots) clone() roster {
	c := *s
	c.fleet, c.endless = s.copied(), s.endless.clone()
	c.changes, c.room = nil, room{}
	c.ring = make([]*slotTree, len(s.ring))
	for i, sl := range s.ring {
		if sl != nil {
			c.ring[i] = sl.clone()
		}
	}
	return &c
}
