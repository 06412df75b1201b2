package servers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// Verify checks S1 to S4, which stand in closed.go. The structure checks S5, by Taken.
// O(n c) for n servers of all reservations and closures together, with c closures of each.
func (s *Servers) Verify() error {
	x := s.closed
	if x == nil {
		return nil
	}
	want := closed{list: x.list, given: x.given, added: x.added, lanes: x.covers(s.Now)}
	for _, b := range s.Booked.All(s.Now) {
		w := s.Ahead(b.Interval)
		for _, k := range b.Servers {
			l := want.lanes[k]
			for _, part := range want.parts(k, w).gaps(w) {
				l.held = l.held.plus(part)
			}
			want.lanes[k] = l
		}
	}
	for k := range s.Limits.Servers {
		got, want := x.lanes[int32(k)].ahead(s.Now), want.lanes[int32(k)].ahead(s.Now)
		if !slices.Equal(got.cover, want.cover) {
			return fmt.Errorf("S1: server %d has %v closures, and the list has %v", k, got.cover, want.cover)
		}
		if !slices.Equal(got.held, want.held) {
			return fmt.Errorf("S2: server %d is held in %v, and should be in %v", k, got.held, want.held)
		}
	}
	lanes := maps.Clone(x.lanes)
	want.lanes = lanes
	want.recount(s.Now)
	if x.open != want.open {
		return fmt.Errorf("S3: %d servers are open, not %d", want.open, x.open)
	}
	if x.next > want.next {
		return fmt.Errorf("S4: something changes at %d, before %d", want.next, x.next)
	}
	return nil
}

// ahead is trim, and begins at t.
func (l lane) ahead(t bookahead.Time) lane {
	l = l.trim(t)
	l.cover, l.held = slices.Clone(l.cover), slices.Clone(l.held)
	if len(l.cover) > 0 {
		l.cover[0].at = max(l.cover[0].at, t)
	}
	if len(l.held) > 0 {
		l.held[0].Start = max(l.held[0].Start, t)
	}
	return l
}
