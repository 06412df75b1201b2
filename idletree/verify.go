package idletree

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Verifier = (*Tree)(nil)
	_ bookahead.Verifier = (*Lists)(nil)
	_ bookahead.Verifier = (*Slotted)(nil)
)

// Verify implements bookahead.Verifier: the idle periods are what lies between the
// reservations. O(p log p) for p of them.
func (l *Lists) Verify() error { return verified(l.fleet.check()) }

// Verify implements bookahead.Verifier: the idle periods are what lies between the
// reservations, the index has them all, and what it says of each subtree is true.
// O(p log p) for p idle periods.
func (x *Tree) Verify() error { return verified(x.check()) }

// Verify implements bookahead.Verifier: the idle periods are what lies between the
// reservations, and the trees of each slot have those that overlap it, in order
// and in balance. O(N log N) for N idle periods, each counted in each slot.
func (s *Slotted) Verify() error {
	return verified(s.check(func(int64) bool { return true }))
}

func verified(err error) error {
	if err != nil {
		return fmt.Errorf("idletree: %w", err)
	}
	return nil
}

// check demands that the calendars hold what lies between the bookings, and what
// has ended only in front of one that has not.
func (f *fleet) check() error {
	booked := make([][]bookahead.Interval, len(f.idle))
	for _, b := range f.Booked.All(f.Now) {
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
		free := f.Now // from here on it is idle, as far as seen
		for _, b := range booked[k] {
			p, ok := c.begun(max(b.Start, f.Now) - 1)
			if b.Start > free && (!ok || p.Start > free || p.End != b.Start) {
				return fmt.Errorf("server %d is not idle in [%d, %d): %v", k, free, b.Start, idle)
			}
			free = b.End
		}
		if p, ok := c.begun(free); free < bookahead.MaxTime && (!ok || p.End != bookahead.MaxTime) {
			return fmt.Errorf("server %d is not idle from %d: %v", k, free, idle)
		}
		for _, b := range booked[k] { // what runs may have got the server since it began
			if p, ok := c.begun(b.End - 1); ok && p.End > max(b.Start, f.Now) {
				return fmt.Errorf("server %d is idle in %v and booked in %v", k, p, b)
			}
		}
	}
	return nil
}

func (x *Tree) check() error {
	if err := x.fleet.check(); err != nil {
		return err
	}
	want := x.fleet.periods(x.fleet.Now)
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
		if got, want := nd.get(i), kid.branch(); got != want {
			return fmt.Errorf("kid %d is %+v, but known as %+v", i, want, got)
		}
	}
	return nil
}
