package nodes

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// turn is where a node begins to be free for the whole time, or ceases to.
type turn struct {
	at bookahead.Time
	by int
}

// start returns the first start of a task on a node, from a to b. If there is none, it returns a time
// behind b before which there is none either. No node is looked at twice for the same times.
func (s *search) start(k int, a, b bookahead.Time) (bookahead.Time, bool) {
	h := &s.hints[k]
	if h.epoch == s.epoch && h.before > a {
		a = h.before
		if a > b {
			return a, false
		}
	}
	t, ok := s.on(s.nodes, k).first(a, b, s.d, s.need[:])
	*h = hint{t, s.epoch}
	return t, ok
}

// one returns the first start of a task on any node of a part, from a to b.
func (s *search) one(p part, a, b bookahead.Time) (best bookahead.Time, found bool) {
	for k := range p.in(s.able) {
		t, ok := s.start(k, a, b)
		if !ok {
			continue
		}
		if t == a {
			return a, true
		}
		best, found, b = t, true, t-1
	}
	return best, found
}

// several returns the first time from a to b at which tasks start on as many nodes of a part, one on
// each.
func (s *search) several(p part, a, b bookahead.Time) (bookahead.Time, bool) {
	now, later := int64(0), int64(0)
	for k := range p.in(s.able) {
		t, ok := s.start(k, a, b)
		switch {
		case !ok:
		case t == a:
			now++
			if now == s.tasks {
				return a, true
			}
		default:
			later++
		}
	}
	if now+later < s.tasks {
		return 0, false
	}
	// A node may have room for a while, and again later.
	s.turns = s.turns[:0]
	for k := range p.in(s.able) {
		steps := s.on(s.nodes, k)
		t, ok := s.start(k, a, b)
		for ok {
			s.turns = append(s.turns, turn{t, 1})
			t += steps.lasts(t, s.d, s.need[:]) - s.d + 1
			if t > b {
				break
			}
			s.turns = append(s.turns, turn{t, -1})
			t, ok = steps.first(t, b, s.d, s.need[:])
		}
	}
	slices.SortFunc(s.turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.at, b.at), a.by-b.by) })
	n := int64(0)
	for _, x := range s.turns {
		n += int64(x.by)
		if n == s.tasks {
			return x.at, true
		}
	}
	return 0, false
}
