package grid

import (
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
)

// team is a set of parts that all overlap each other on one schedule of servers, so that
// no server can serve two of them.
//
// Each part is a demand, and the sum of all parts in their common time is a demand too.
// To meet these demands is not enough, because the servers that are free for one part may
// be the servers that another part needs. So servers are matched to parts.
//
//	free for part 0   0 1           if part 0 gets server 0,
//	free for part 1   0             nothing is left for part 1
type team struct {
	on    bookahead.Schedule
	parts []int
	all   int64 // servers of the schedule
}

// team adds the demands of parts that overlap on a schedule of servers.
func (s *search) team(on bookahead.Schedule, frame bookahead.Frame, set []int, why func(string) error) error {
	g := team{on: on, parts: set, all: int64(frame.Servers)}
	common := Part{On: s.Parts[set[0]].On}
	from, to := s.Parts[set[0]].Offset, s.Parts[set[0]].Offset+s.Parts[set[0]].Duration
	var able []*bitset.BitSet // for each part that names servers, these servers
	var units []int64         // for the same parts, their units
	for _, i := range set {
		p := s.Parts[i]
		from, to = max(from, p.Offset), min(to, p.Offset+p.Duration)
		s.add(&common, p.Units)
		common.Servers = append(common.Servers, p.Servers...)
		if p.Servers != nil {
			able, units = append(able, g.allowed(p)), append(units, p.Units)
		}
		s.demands = append(s.demands, demand{Part: p, part: i})
	}
	if from >= to {
		return why("but not all that overlap these: servers are matched only if all overlap each other")
	}
	_, short := assign(able, units)
	if short != nil { // no servers could be matched even if all were free
		s.tooMany = true
	}
	if len(able) < len(set) {
		common.Servers = nil
	} else {
		slices.Sort(common.Servers)
		common.Servers = slices.Compact(common.Servers)
	}
	common.Offset, common.Duration = from, to-from
	s.demands = append(s.demands, demand{Part: common, part: set[0], joint: true})
	s.teams = append(s.teams, g)
	return nil
}

// allowed returns the servers that a part may have.
func (g team) allowed(p Part) *bitset.BitSet {
	if p.Servers == nil {
		return bitset.New(uint(g.all)).SetAll()
	}
	return setOf(g.all, p.Servers)
}

// match gives each part its own servers if the job starts at t, and makes offers of them.
// If there are not enough servers for all parts, it returns the first later start at which
// there may be enough.
func (g team) match(s *search, t bookahead.Time, offers []bookahead.Offer) (bookahead.Time, error) {
	able := make([]*bitset.BitSet, len(g.parts)) // to serve the part
	for i, k := range g.parts {
		a, err := g.on.RangeQuery(s.Parts[k].window(t))
		if err != nil {
			return 0, err
		}
		able[i] = g.allowed(s.Parts[k])
		able[i].InPlaceIntersection(setOf(g.all, a.Servers))
	}
	units := make([]int64, len(g.parts))
	for i, k := range g.parts {
		units[i] = s.Parts[k].Units
	}
	given, short := assign(able, units)
	if short != nil {
		return g.later(s, t, able, short)
	}
	for i, k := range g.parts {
		list := make([]int, 0, units[i])
		for server := range given[i].EachSet() {
			list = append(list, int(server))
		}
		offers[k] = bookahead.Offer{Interval: s.Parts[k].window(t), Units: units[i], Servers: list}
	}
	return t, nil
}

// later returns the next start at which there may be enough servers for the parts that are
// short: a server that is now free for none of them must become free for one of them.
func (g team) later(s *search, t bookahead.Time, able []*bitset.BitSet, short []int) (bookahead.Time, error) {
	others := bitset.New(uint(g.all)).SetAll()
	for _, i := range short {
		others.InPlaceDifference(able[i])
	}
	next, found := bookahead.Time(0), false
	for _, i := range short {
		p := s.Parts[g.parts[i]]
		mine := others.Intersection(g.allowed(p))
		if mine.None() {
			continue
		}
		p.Units, p.Servers = 1, nil
		for k := range mine.EachSet() {
			p.Servers = append(p.Servers, int(k))
		}
		o, err := s.ask(p, t+1)
		if err == bookahead.ErrUnavailable {
			continue
		}
		if err != nil {
			return 0, err
		}
		start := o.Start - bookahead.Time(p.Offset)
		if !found || start < next {
			next, found = start, true
		}
	}
	if !found {
		return 0, bookahead.ErrUnavailable
	}
	return next, nil
}

func setOf(all int64, servers []int) *bitset.BitSet {
	set := bitset.New(uint(all))
	for _, k := range servers {
		set.Set(uint(k))
	}
	return set
}

// assign gives part i units[i] of the servers in able[i], and no server to two parts. It
// prefers the servers of lowest index, and uses augmenting paths. If there is no such
// assignment, it returns parts that are short: together they can use fewer servers than
// they have units (Hall's theorem). O(u p² s/64) for u units of p parts, and s servers.
func assign(able []*bitset.BitSet, units []int64) (given []*bitset.BitSet, short []int) {
	idle := bitset.New(0)
	given = make([]*bitset.BitSet, len(able))
	for i := range able {
		idle.InPlaceUnion(able[i])
		given[i] = bitset.New(able[i].Len())
	}
	for i, n := range units {
		for k := range able[i].Intersection(idle).EachSet() {
			if n == 0 {
				break
			}
			given[i].Set(k)
			idle.Clear(k)
			n--
		}
		for range n {
			short = augment(able, given, idle, i)
			if short != nil {
				return nil, short
			}
		}
	}
	return given, nil
}

// augment gives part i one more server: an idle server, or a server of another part, which
// gets a new server in the same way. It searches breadth first for a chain of parts that
// ends at an idle server:
//
//	part 0 can use 0 1, and has 0       part 1 can use 0, and needs one
//	the chain: part 1 takes 0 from part 0, and part 0 takes the idle 1
//
// If there is no chain, it returns all parts reached, which together have too few servers.
func augment(able, given []*bitset.BitSet, idle *bitset.BitSet, i int) (reached []int) {
	taker := make([]int, len(able))  // by part: the part that would take a server from it
	taken := make([]uint, len(able)) // by part: this server
	known := make([]bool, len(able)) // by part: it is in the queue
	reached, known[i] = []int{i}, true
	for q := 0; q < len(reached); q++ {
		p := reached[q]
		k, ok := able[p].Intersection(idle).NextSet(0)
		if ok {
			idle.Clear(k)
			given[p].Set(k)
			for p != i {
				k = taken[p]
				given[p].Clear(k)
				p = taker[p]
				given[p].Set(k)
			}
			return nil
		}
		for other := range able {
			if known[other] {
				continue
			}
			k, ok := able[p].Intersection(given[other]).NextSet(0)
			if ok {
				taker[other], taken[other], known[other] = p, k, true
				reached = append(reached, other)
			}
		}
	}
	return reached
}
