package grid

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// split turns the parts into demands. A part that overlaps no other part on its member is
// a demand. Parts that overlap on a pool are one demand for each stretch of time in which
// their sum does not change:
//
//	part 0  ┌──────────────┐           part 0   2 units
//	part 1         ┌──────────────┐    part 1   3 units
//	demand  ├──2───┼──5────┼──3───┤
func (s *search) split() error {
	if err := s.unshared(); err != nil {
		return err
	}
	for _, set := range s.overlapping() {
		if len(set) == 1 {
			i := set[0]
			s.demands = append(s.demands, demand{Part: s.Parts[i], part: i, alone: true})
			continue
		}
		if err := s.together(set); err != nil {
			return err
		}
	}
	return nil
}

// unshared checks that parts that overlap on different members do not book on one schedule
// below these members, because neither member knows of the other's part.
func (s *search) unshared() error {
	from := make([][]Member, len(s.Parts)) // the sources of members, as far as needed
	for i, p := range s.Parts {
		for k, q := range s.Parts[:i] {
			if !p.meets(q) || identical(p.On, q.On) {
				continue
			}
			for _, m := range []int{i, k} {
				if from[m] == nil {
					from[m] = sources(s.Parts[m].On)
				}
			}
			if meet(from[i], from[k]) {
				return limits.Invalid(fmt.Sprintf("Job.Parts[%d]", i), fmt.Sprintf("on %T", p.On),
					fmt.Sprintf("shares a schedule with Parts[%d], which is on %T and overlaps it", k, q.On))
			}
		}
	}
	return nil
}

// overlapping returns sets of parts, by index: each part of a set is in the way of another
// part of the set, and of no part outside. Sets are in the order of their first parts.
// O(p²) for p parts.
func (s *search) overlapping() [][]int {
	sets := make([][]int, 0, len(s.Parts))
	all := make([]int, 0, len(s.Parts)) // set after set
	taken := make([]bool, len(s.Parts))
	for i := range s.Parts {
		if taken[i] {
			continue
		}
		first := len(all)
		all, taken[i] = append(all, i), true
		for q := first; q < len(all); q++ {
			for k := i + 1; k < len(s.Parts); k++ {
				if !taken[k] && s.Parts[all[q]].inTheWayOf(s.Parts[k]) {
					all, taken[k] = append(all, k), true
				}
			}
		}
		slices.Sort(all[first:])
		sets = append(sets, all[first:])
	}
	return sets
}

// meets reports whether two parts overlap in time.
func (p Part) meets(q Part) bool {
	return p.Offset < q.Offset+q.Duration && q.Offset < p.Offset+p.Duration
}

// inTheWayOf reports whether two parts may need the same units at the same time.
func (p Part) inTheWayOf(q Part) bool {
	if !p.meets(q) || !identical(p.On, q.On) {
		return false
	}
	return p.Servers == nil || q.Servers == nil ||
		slices.ContainsFunc(p.Servers, func(k int) bool { return slices.Contains(q.Servers, k) })
}

// together adds the demands of parts that overlap.
func (s *search) together(set []int) error {
	name := fmt.Sprintf("Job.Parts[%d]", set[1])
	why := func(reason string) error {
		return limits.Invalid(name, fmt.Sprintf("on %T", s.Parts[set[1]].On), fmt.Sprintf("overlaps Parts[%d], %s", set[0], reason))
	}
	on, ok := s.Parts[set[0]].On.(bookahead.Schedule)
	switch {
	case !ok:
		return why("and the member is no Schedule")
	case divided(on):
		return why("and a Broker may place each elsewhere")
	case viewed(on):
		return why("and servers that must lie together are not matched")
	}
	f, ok := on.(framer)
	if !ok {
		return why("and the member does not tell its Frame")
	}
	frame := f.Frame()
	switch {
	case frame.Servers == 0:
		s.sum(set)
		return nil
	case int64(frame.Servers) > frame.Capacity && !closable(on):
		return why("and no reservation on the member can span all of its servers")
	}
	return s.team(on, frame, set, why)
}

// divided reports whether s places reservations in several schedules.
func divided(s bookahead.Schedule) bool {
	return bookahead.View(s, func(leaper) {})
}

// viewed reports whether s is a view. A view decides which servers a part may have by the servers of
// other parts.
func viewed(s bookahead.Schedule) bool {
	return bookahead.View(s, func(view) {})
}

// closable reports whether s, or a schedule below it, is a bookahead.Closable: then some of its servers
// may be closed now. It looks through locks.
func closable(s bookahead.Schedule) bool {
	return slices.ContainsFunc(sources(s), func(m Member) bool {
		_, ok := m.(bookahead.Closable)
		return ok
	})
}

// sum adds a demand for each stretch of time in which the sum of the units of some parts on
// a pool does not change.
func (s *search) sum(set []int) {
	var edges []bookahead.Duration
	for _, i := range set {
		p := s.Parts[i]
		edges = append(edges, p.Offset, p.Offset+p.Duration)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	for k, from := range edges[:len(edges)-1] {
		d := Part{On: s.Parts[set[0]].On, Offset: from, Duration: edges[k+1] - from}
		for _, i := range set {
			p := s.Parts[i]
			if p.Offset > from || from >= p.Offset+p.Duration {
				continue
			}
			s.add(&d, p.Units)
		}
		s.demands = append(s.demands, demand{Part: d, part: set[0], joint: true})
	}
}

// add adds units to a part, or sets tooMany if the sum overflows.
func (s *search) add(p *Part, units int64) {
	if units > math.MaxInt64-p.Units {
		s.tooMany = true
		return
	}
	p.Units += units
}
