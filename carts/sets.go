package carts

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
)

// sets is the roster of an SR: which servers are free in each slot.
type sets struct {
	n     uint             // servers
	start []bookahead.Time // when slot i starts; start[0] is now
	free  []*bitset.BitSet // the servers that are free in slot i; neighbours differ
	count []int            // the number of servers in free[i]
}

// Search intersects the sets of a window, slot by slot from its end. If too few servers are left
// in common at slot k, no start before the end of slot k will do, as its window would contain
// slots k and j as well. For 2 servers and 12 ticks:
//
//	start   0    6    12   18
//	free    012  01   23   023      window of t = 0: 01 has 2, and 012 has 01 in common: found
//	                                window of t = 3: 23 and 01 have none in common: on from 12
func (s *sets) Search(t, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	common := s.eligible(r.Servers)
	var named *bitset.BitSet
	if r.Servers != nil {
		named = common.Clone()
	}
	n := int(r.Units)
	// Slots [i, seen) have enough free servers each, though perhaps not the same ones.
	for i, j, seen := s.at(t), 0, 0; t <= last; {
		end := t + bookahead.Time(r.Duration)
		j = max(i, j)
		for s.end(j) < end {
			j++
		}
		k, ok := s.few(max(i, seen), j, n)
		if !ok {
			k, ok = s.intersect(common, i, j, n)
			if ok {
				return t, lowest(common, n), true
			}
			if named != nil {
				named.CopyFull(common)
			} else {
				common.SetAll()
			}
		}
		i, t, seen = k+1, s.start[k+1], j+1
	}
	return 0, nil, false
}

// few returns the last slot from i to j in which fewer than n servers are free, or false. It
// saves intersections: the counts are at hand.
func (s *sets) few(i, j, n int) (int, bool) {
	for k := j; k >= i; k-- {
		if s.count[k] < n {
			return k, true
		}
	}
	return 0, false
}

// eligible returns the set of the servers named, or of all servers if named is nil.
func (s *sets) eligible(named []int) *bitset.BitSet {
	set := bitset.New(s.n)
	if named == nil {
		set.SetAll()
	}
	for _, k := range named {
		set.Set(uint(k))
	}
	return set
}

// intersect leaves in common only the servers that are free in all slots from i to j. It goes
// from j down. As soon as fewer than n are left, it returns the slot at which this happened, and
// false.
func (s *sets) intersect(common *bitset.BitSet, i, j, n int) (int, bool) {
	words := common.Words()
	for k := j; k >= i; k-- {
		left := 0
		for w, free := range s.free[k].Words() {
			words[w] &= free
			left += bits.OnesCount64(words[w])
		}
		if left < n {
			return k, false
		}
	}
	return 0, true
}

// lowest returns the n lowest servers of a set, ascending.
func lowest(set *bitset.BitSet, n int) []int {
	list := make([]int, 0, n)
	for w, word := range set.Words() {
		for ; word != 0 && len(list) < n; word &= word - 1 {
			list = append(list, w<<6+bits.TrailingZeros64(word))
		}
	}
	return list
}

func (s *sets) Pick(w bookahead.Interval, n int, named []int) []int {
	common := s.eligible(named)
	s.intersect(common, s.at(w.Start), s.at(w.End-1), 0)
	return lowest(common, min(n, int(common.Count())))
}

func (s *sets) Idle(server int, t bookahead.Time, w bookahead.Interval) bookahead.Interval {
	i := s.at(t)
	j := i // the slots [i, j) are known to be free
	for j < len(s.start) && s.start[j] < w.End && s.free[j].Test(uint(server)) {
		j++
	}
	if i == j {
		return bookahead.Interval{}
	}
	for s.start[i] > w.Start && s.free[i-1].Test(uint(server)) {
		i--
	}
	return w.Intersect(bookahead.Interval{Start: s.start[i], End: s.end(j - 1)})
}

// Until intersects one slot after the other.
func (s *sets) Until(t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time {
	common := s.eligible(r.Servers)
	for i := s.at(t); i < len(s.start) && s.start[i] < limit; i++ {
		if _, ok := s.intersect(common, i, i, int(r.Units)); !ok {
			return s.start[i]
		}
	}
	return limit
}

func (s *sets) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		for i := s.at(w.Start); i < len(s.start) && s.start[i] < w.End; i++ {
			b := bookahead.Block{Interval: w.Intersect(bookahead.Interval{Start: s.start[i], End: s.end(i)})}
			b.Units, b.Servers = int64(s.count[i]), lowest(s.free[i], s.count[i])
			if b.Units > 0 && !yield(b) {
				return
			}
		}
	}
}

func (s *sets) Take(b servers.Booking) {
	i, j := s.split(b.Start), s.split(b.End)
	for _, set := range s.free[i:j] {
		words := set.Words()
		for _, k := range b.Servers {
			words[uint(k)>>6] &^= 1 << (uint(k) & 63)
		}
	}
	s.changed(i, j, -len(b.Servers))
}

func (s *sets) Give(b servers.Booking) {
	i, j := s.split(b.Start), s.split(b.End)
	for _, set := range s.free[i:j] {
		words := set.Words()
		for _, k := range b.Servers {
			words[uint(k)>>6] |= 1 << (uint(k) & 63)
		}
	}
	s.changed(i, j, len(b.Servers))
}

// changed completes a change of the sets of the slots [i, j): by is how many servers each has
// gained. The later edge is merged first, since to merge i removes a slot before j.
func (s *sets) changed(i, j, by int) {
	for k := i; k < j; k++ {
		s.count[k] += by
	}
	s.merge(j)
	s.merge(i)
}

// split makes a slot start at t, and returns its index.
func (s *sets) split(t bookahead.Time) int {
	i, found := slices.BinarySearch(s.start, t)
	if !found {
		s.start = slices.Insert(s.start, i, t)
		s.free = slices.Insert(s.free, i, s.free[i-1].Clone())
		s.count = slices.Insert(s.count, i, s.count[i-1])
	}
	return i
}

// merge joins slot i to the slot before if both have the same free servers.
func (s *sets) merge(i int) {
	if i > 0 && s.count[i] == s.count[i-1] && s.free[i].Equal(s.free[i-1]) {
		s.start = slices.Delete(s.start, i, i+1)
		s.free = slices.Delete(s.free, i, i+1)
		s.count = slices.Delete(s.count, i, i+1)
	}
}

func (s *sets) Forget(past bookahead.Interval) {
	n := 0
	for n+1 < len(s.start) && s.start[n+1] <= past.End {
		n++
	}
	clear(s.free[:n]) // or the array behind the slice would keep the sets alive
	s.start, s.free, s.count = s.start[n:], s.free[n:], s.count[n:]
	s.start[0] = past.End
}

func (s *sets) clone() *sets {
	c := &sets{s.n, slices.Clone(s.start), make([]*bitset.BitSet, len(s.free)), slices.Clone(s.count)}
	for i, set := range s.free {
		c.free[i] = set.Clone()
	}
	return c
}

// at returns the slot that contains t, which is not in the past.
func (s *sets) at(t bookahead.Time) int {
	i, found := slices.BinarySearch(s.start, t)
	if !found {
		i--
	}
	return i
}

// end returns where slot i ends.
func (s *sets) end(i int) bookahead.Time {
	if i+1 < len(s.start) {
		return s.start[i+1]
	}
	return bookahead.MaxTime
}

// event is a time at which a reservation takes servers, or gives servers back.
type event struct {
	at      bookahead.Time
	gives   bool
	id      bookahead.ID
	servers []int32
}

// compare orders events by time; of events at one time, those that give back come first.
func (e event) compare(f event) int {
	c := cmp.Compare(e.at, f.at)
	if c != 0 || e.gives == f.gives {
		return c
	}
	if e.gives {
		return -1
	}
	return 1
}

// eventsOf returns the events of the reservations, from now on, in order.
func eventsOf(s *servers.Servers) []event {
	var events []event
	for id, b := range s.Booked.All(s.Now) {
		events = append(events, event{max(b.Start, s.Now), false, id, b.Servers}, event{b.End, true, id, b.Servers})
	}
	slices.SortFunc(events, event.compare)
	return events
}

// countTimes returns how many slots the events can make at most.
func countTimes(events []event) uint64 {
	n := uint64(1)
	for i, e := range events {
		if i == 0 || events[i-1].at != e.at {
			n++
		}
	}
	return n
}

// newSets makes the slots of n servers (Kurowski et al., Algorithm 1, with sets for numbers). The
// error wraps bookahead.ErrInvalid if a server is booked twice. It names the reservation that
// begins later; name turns an ID into the words for it.
func newSets(n int, now bookahead.Time, events []event, name func(bookahead.ID) string) (*sets, error) {
	set := bitset.New(uint(n)).SetAll()
	s := &sets{uint(n), []bookahead.Time{now}, []*bitset.BitSet{set.Clone()}, []int{n}}
	free := n
	for i, e := range events {
		for _, k := range e.servers {
			if set.Test(uint(k)) == e.gives {
				return nil, limits.Invalid(name(e.id), k, fmt.Sprintf("is a server that is booked at %d already", e.at))
			}
			set.SetTo(uint(k), e.gives)
		}
		if e.gives {
			free += len(e.servers)
		} else {
			free -= len(e.servers)
		}
		if i+1 < len(events) && events[i+1].at == e.at {
			continue
		}
		last := len(s.start) - 1
		switch {
		case s.count[last] == free && s.free[last].Equal(set):
		case s.start[last] == e.at: // now
			s.free[last], s.count[last] = set.Clone(), free
		default:
			s.start, s.free, s.count = append(s.start, e.at), append(s.free, set.Clone()), append(s.count, free)
		}
	}
	return s, nil
}
