package idletree

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Verify looks for faults: the idle periods are what lies between the reservations; the
// index of a Tree has them all, and what it says of each subtree is true; the trees of each
// slot of a Slotted have those that overlap it, in order and in balance. O(p log p) for p
// idle periods; of a Slotted, each is counted in each slot.
func (x *schedule) Verify() error {
	if err := x.roster().check(&x.s.Servers); err != nil {
		return fmt.Errorf("idletree: %w", err)
	}
	return nil
}

// check checks that the calendars hold what lies between the bookings, and what
// has ended only in front of one that has not.
func (f *fleet) check(s *servers.Servers) error {
	booked := make([][]bookahead.Interval, len(f.idle))
	for _, b := range s.Booked.All(f.now) {
		for i, k := range b.Servers {
			booked[k] = append(booked[k], b.Interval)
			if i > 0 && k <= b.Servers[i-1] {
				return fmt.Errorf("booking %v has servers %v", b.Interval, b.Servers)
			}
		}
	}
	for k := range f.idle {
		c := &f.idle[k]
		if c.many == nil && len(c.few) > f.most {
			return fmt.Errorf("server %d has a list of %d periods", k, len(c.few))
		}
		slices.SortFunc(booked[k], func(a, b bookahead.Interval) int { return cmp.Compare(a.Start, b.Start) })
		var idle []bookahead.Interval
		for p := range c.from(math.MinInt64) {
			if p.Empty() || len(idle) > 0 && p.Start <= idle[len(idle)-1].End {
				return fmt.Errorf("server %d is idle in %v after %v", k, p, idle)
			}
			idle = append(idle, p)
		}
		free := f.now // from here on it is idle, as far as seen
		for _, b := range booked[k] {
			p, ok := c.begun(max(b.Start, f.now) - 1)
			if b.Start > free && (!ok || p.Start > free || p.End != b.Start) {
				return fmt.Errorf("server %d is not idle in [%d, %d): %v", k, free, b.Start, idle)
			}
			free = b.End
		}
		if p, ok := c.begun(free); free < bookahead.MaxTime && (!ok || p.End != bookahead.MaxTime) {
			return fmt.Errorf("server %d is not idle from %d: %v", k, free, idle)
		}
		for _, b := range booked[k] { // what runs may have got the server since it began
			if p, ok := c.begun(b.End - 1); ok && p.End > max(b.Start, f.now) {
				return fmt.Errorf("server %d is idle in %v and booked in %v", k, p, b)
			}
		}
	}
	return nil
}

func (x *tree) check(s *servers.Servers) error {
	if err := x.fleet.check(s); err != nil {
		return err
	}
	want := x.periods(nil, rest(x.now))
	var got []Period
	if err := x.index.root.check(&got); err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the index has %v, the calendars %v", got, want)
	}
	if x.index.size != len(want) {
		return fmt.Errorf("%d periods, but size %d", len(want), x.index.size)
	}
	return nil
}

// check appends the periods below the node, and compares its sums with them.
func (nd *node) check(periods *[]Period) error {
	if nd.kids == nil {
		for i := range nd.n {
			*periods = append(*periods, Period{bookahead.Interval{Start: nd.start[i], End: nd.end[i]}, int(nd.server[i])})
		}
		return nil
	}
	if nd.n < 1 {
		return fmt.Errorf("an inner node has %d kids", nd.n)
	}
	for i := range int(nd.n) {
		kid := nd.kids.node[i]
		if (kid.kids == nil) != (nd.kids.node[0].kids == nil) || kid.n == 0 {
			return fmt.Errorf("kid %d of %d has %d entries, or another height", i, nd.n, kid.n)
		}
		if err := kid.check(periods); err != nil {
			return err
		}
		if i > 0 && kid.n+nd.kids.node[i-1].n <= width/2 {
			return fmt.Errorf("kids %d and %d have %d and %d entries", i-1, i, nd.kids.node[i-1].n, kid.n)
		}
		got, want := nd.get(i), kid.branch()
		if got != want {
			return fmt.Errorf("kid %d is %+v, but known as %+v", i, want, got)
		}
	}
	return nil
}
