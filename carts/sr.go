package carts

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/servers"
)

// SR keeps the set of the servers that are free in each slot (CARTS-SR, Kurowski
// et al., §3.5), where the others keep their number: for schedulers that cannot
// bind servers as late as a reservation starts. A slot ends where the set
// changes. For N servers and v slots it holds vN bits: it suits some thousand
// servers. It takes those with the lowest index.
type SR struct {
	servers servers.Servers
	start   []bookahead.Time // when slot i starts; start[0] is now
	free    []*bitset.BitSet // who is free in it; neighbours differ
	count   []int            // how many they are
}

var (
	_ bookahead.Schedule = (*SR)(nil)
	_ bookahead.Profiler = (*SR)(nil)
	_ bookahead.Cloner   = (*SR)(nil)
)

// NewSR returns a schedule of capacity servers, at most 1<<24. What
// Config.Booked holds must name its servers; building from it costs a Reserve
// for each, beside O(N). The error wraps bookahead.ErrInvalid.
func NewSR(capacity int64, c Config) (*SR, error) {
	s, err := servers.New(capacity, c.Origin, c.Horizon)
	if err != nil {
		return nil, err
	}
	all := bitset.New(uint(capacity)).SetAll()
	sr := &SR{servers: s, start: []bookahead.Time{c.Origin}, free: []*bitset.BitSet{all}, count: []int{int(capacity)}}
	for k, o := range c.Booked {
		field := fmt.Sprintf("Config.Booked[%d]", k)
		switch {
		case int64(len(o.Servers)) != o.Units:
			return nil, limits.Invalid(field, o, "does not name a server for each unit")
		case k > 0 && o.Start < c.Booked[k-1].Start:
			return nil, limits.Invalid(field, o, "starts before the one in front of it")
		}
		r, err := sr.Reserve(o.Request())
		if err == bookahead.ErrUnavailable || err == nil && r.Start != o.Start {
			return nil, limits.Invalid(field, o, "lies before the origin or beyond the horizon, or books a server twice")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field, err)
		}
	}
	return sr, nil
}

// Search implements bookahead.Schedule (Kurowski et al., Algorithm 2, with sets
// for numbers). It intersects the slots of a window from its end on: where too
// few servers are left, no start before the end of that slot will do. O(log v)
// and an intersection, of O(N) words, for each of the k slots up to the end of
// the offer; up to m for each, if windows of m slots fail at their start. It
// allocates two sets of servers and the list of those that it offers, however many
// slots it meets.
func (s *SR) Search(r bookahead.Request) (bookahead.Offer, error) {
	t, last, err := s.servers.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	eligible := s.eligible(r.Servers)
	common := eligible.Clone()
	for i, j := s.at(t), 0; t <= last; {
		end := t + bookahead.Time(r.Duration)
		for j = max(i, j); s.end(j) < end; j++ {
		}
		k, ok := s.intersect(common, i, j, int(r.Units))
		if ok {
			return servers.OfferAt(t, r, lowest(common, int(r.Units))), nil
		}
		i, t = k+1, s.start[k+1]
		eligible.CopyFull(common)
	}
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

// eligible returns the set of the servers named, or of all.
func (s *SR) eligible(named []int) *bitset.BitSet {
	set := bitset.New(uint(s.servers.Capacity))
	if named == nil {
		set.SetAll()
	}
	for _, k := range named {
		set.Set(uint(k))
	}
	return set
}

// intersect leaves in common who of it is free in all slots from i to j. As soon
// as they are fewer than n, it returns the slot in which, seen from the end, and
// false.
func (s *SR) intersect(common *bitset.BitSet, i, j, n int) (int, bool) {
	for k := j; k >= i; k-- {
		if s.count[k] < n {
			return k, false
		}
	}
	for k := j; k >= i; k-- {
		common.InPlaceIntersection(s.free[k])
		if int(common.Count()) < n {
			return k, false
		}
	}
	return 0, true
}

// lowest returns the first n of a set, ascending.
func lowest(set *bitset.BitSet, n int) []int {
	list := make([]int, 0, n)
	for k := range set.EachSet() {
		if len(list) == n {
			break
		}
		list = append(list, int(k))
	}
	return list
}

// Reserve implements bookahead.Schedule. It takes a Search, and O(v + m(n + N))
// for n servers in a window of m slots.
func (s *SR) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := s.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	take(s, o.Interval, o.Servers)
	return s.servers.Enter(o), nil
}

// Release implements bookahead.Schedule. O(v + m(n + N)) for n servers in a
// window of m slots.
func (s *SR) Release(id bookahead.ID) error {
	b, err := s.servers.Strike(id)
	if err != nil {
		return err
	}
	s.give(s.servers.Ahead(b.Interval), b.Servers)
	return nil
}

// RangeQuery implements bookahead.Schedule. O(log v) and m intersections for m
// slots in w. It allocates one set of servers and the list that it returns.
func (s *SR) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := s.servers.Window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	if w.Empty() {
		return servers.Available(nil), nil
	}
	common := s.eligible(nil)
	s.intersect(common, s.at(w.Start), s.at(w.End-1), 0)
	return servers.Available(lowest(common, int(common.Count()))), nil
}

// Advance implements bookahead.Schedule. O(1) amortised over the slots that were
// made.
func (s *SR) Advance(now bookahead.Time) error {
	if err := s.servers.Advance(now); err != nil {
		return err
	}
	past := 0
	for past+1 < len(s.start) && s.start[past+1] <= now {
		past++
	}
	clear(s.free[:past]) // the array behind the slice would hold on to them
	s.start, s.free, s.count = s.start[past:], s.free[past:], s.count[past:]
	s.start[0] = now
	return nil
}

// Blocks implements bookahead.Profiler: one block for each slot in which a
// server is free, so that blocks never overlap. O(log v), and O(N) for each slot in w.
func (s *SR) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := s.servers.Window(w)
		if err != nil || w.Empty() {
			return
		}
		for i := s.at(w.Start); i < len(s.start) && s.start[i] < w.End; i++ {
			b := bookahead.Block{Interval: w.Intersect(bookahead.Interval{Start: s.start[i], End: s.end(i)})}
			b.Units, b.Servers = int64(s.count[i]), lowest(s.free[i], s.count[i])
			if b.Units > 0 && !yield(b) {
				return
			}
		}
	}
}

// Clone implements bookahead.Cloner. O(vN) bits.
func (s *SR) Clone() bookahead.Schedule {
	c := &SR{
		servers: s.servers.Clone(),
		start:   slices.Clone(s.start),
		free:    make([]*bitset.BitSet, len(s.free)),
		count:   slices.Clone(s.count),
	}
	for i, set := range s.free {
		c.free[i] = set.Clone()
	}
	return c
}

// at returns the slot that contains t, which is not in the past.
func (s *SR) at(t bookahead.Time) int {
	i, found := slices.BinarySearch(s.start, t)
	if !found {
		i--
	}
	return i
}

// end returns where slot i ends.
func (s *SR) end(i int) bookahead.Time {
	if i+1 < len(s.start) {
		return s.start[i+1]
	}
	return bookahead.MaxTime
}
