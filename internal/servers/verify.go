package servers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// Verify checks the index, and the invariants S1 to S4 and S6 of closed.go. The structure checks
// S5, by Taken. O(n log n) for n servers of all reservations and closures together.
func (s *Servers) Verify() error {
	err := s.where.verify(s)
	if err != nil {
		return err
	}
	x := s.closed
	if x == nil {
		return nil
	}
	want := *x
	want.added = nil
	for c := range x.list.All() {
		n := len(c.Servers)
		if c.Added {
			want.added = append(want.added, extent{c.Interval, int32(c.Servers[0]), int32(c.Servers[n-1] + 1)})
		}
	}
	if !slices.Equal(x.added, want.added) {
		return fmt.Errorf("S6: the extensions are %v, and the list has %v", x.added, want.added)
	}
	want.lanes = s.lanesOf(x)
	for k := range s.Limits.Servers {
		got, want := x.lanes[int32(k)].ahead(s.Now), want.lanes[int32(k)].ahead(s.Now)
		if !slices.Equal(got.cover, want.cover) {
			return fmt.Errorf("S1: server %d has %v closures, and the list has %v", k, got.cover, want.cover)
		}
		if !slices.Equal(got.held, want.held) {
			return fmt.Errorf("S2: server %d is held in %v, and should be in %v", k, got.held, want.held)
		}
	}
	want.lanes = maps.Clone(x.lanes)
	want.recount(s.Now)
	if x.open != want.open {
		return fmt.Errorf("S3: %d servers are open, not %d", want.open, x.open)
	}
	if x.next > want.next {
		return fmt.Errorf("S4: something changes at %d, before %d", want.next, x.next)
	}
	return nil
}

// ahead is trim, but begins at t: a cover and a held stretch that began earlier are cut.
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
