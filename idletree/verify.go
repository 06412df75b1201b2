package idletree

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// Verify returns an error if the schedule is broken. It checks that the idle periods of each
// server fill the time between its reservations; that the index of a Tree has the same periods
// and exact sums; and that the tree of each slot of a Slotted has the periods that overlap the
// slot, in order and in balance. O(p log p) for p idle periods; a period of a Slotted counts once
// in each slot that it spans.
//
// The error names the broken invariant: C1 to C4 are in calendar.go, T1 to T6 in index.go, and G1
// in counts.go.
func (x *schedule) Verify() error {
	if err := x.roster().check(&x.s.Servers); err != nil {
		return fmt.Errorf("idletree: %w", err)
	}
	return nil
}

// check compares the calendars with the ledger and the closures, the only other places that say
// when a server is not idle.
func (f *fleet) check(s *servers.Servers) error {
	if err := s.Verify(); err != nil {
		return err
	}
	if len(f.idle) != s.Limits.Servers {
		return fmt.Errorf("there are %d calendars for %d servers", len(f.idle), s.Limits.Servers)
	}
	for _, b := range s.Booked.All(f.now) {
		for i, k := range b.Servers {
			if i > 0 && k <= b.Servers[i-1] {
				return fmt.Errorf("booking %v has servers %v, which do not ascend", b.Interval, b.Servers)
			}
		}
	}
	runs, err := s.Runs(nil, func(id bookahead.ID) string { return fmt.Sprintf("reservation #%d", id) })
	if err != nil {
		return fmt.Errorf("C3: %w", err)
	}
	runs = s.Taken(runs)
	for k := range f.idle {
		var taken []bookahead.Interval
		for len(runs) > 0 && int(runs[0].Server) == k {
			taken = append(taken, runs[0].Interval)
			runs = runs[1:]
		}
		if err := f.idle[k].check(taken, f.now, f.most); err != nil {
			return fmt.Errorf("server %d: %w", k, err)
		}
	}
	return nil
}

// check checks C1 to C4. taken are the stretches of time from now on in which the server is booked
// or closed, in order.
func (c *calendar) check(taken []bookahead.Interval, now bookahead.Time, most int) error {
	if c.many == nil && len(c.few) > most {
		return fmt.Errorf("C4: an array of %d periods is longer than %d", len(c.few), most)
	}
	var last bookahead.Interval
	first := true
	for p := range c.from(math.MinInt64) {
		if p.Empty() || !first && p.Start <= last.End {
			return fmt.Errorf("C1: period %v comes after %v", p, last)
		}
		last, first = p, false
	}
	if err := c.checkFree(taken, now); err != nil {
		return err
	}
	// C3 holds from now on only: a server that has joined a running booking was idle when the
	// booking began.
	for _, w := range taken {
		p, ok := c.begun(w.End - 1)
		if ok && p.End > w.Start {
			return fmt.Errorf("C3: period %v overlaps %v, which is booked or closed", p, w)
		}
	}
	return nil
}

// checkFree checks C2: it goes through the stretches that are taken, and free is the end of the
// last one.
func (c *calendar) checkFree(taken []bookahead.Interval, now bookahead.Time) error {
	free := now
	for _, w := range taken {
		p, ok := c.begun(w.Start - 1)
		if w.Start > free && (!ok || p.Start > free || p.End != w.Start) {
			return fmt.Errorf("C2: no period fills [%d, %d)", free, w.Start)
		}
		free = w.End
	}
	p, ok := c.begun(free)
	if free < bookahead.MaxTime && (!ok || p.End != bookahead.MaxTime) {
		return fmt.Errorf("C2: no period fills the time from %d on", free)
	}
	return nil
}

func (x *tree) check(s *servers.Servers) error {
	if err := x.fleet.check(s); err != nil {
		return err
	}
	got, err := x.index.check()
	if err != nil {
		return err
	}
	want := x.periods(nil, rest(x.now))
	if !slices.Equal(got, want) {
		return fmt.Errorf("T6: the index has %v, the calendars %v", got, want)
	}
	for _, c := range x.counted {
		if err := c.check(&x.fleet); err != nil {
			return err
		}
	}
	return nil
}

// check checks T1 to T5, and the size of T6. It returns the periods. It looks for empty kids
// first, because they have no sums, and checks the order before the sums, because entries in the
// wrong order break T3 too.
func (x *index) check() ([]Period, error) {
	if x.root.kids != nil && x.root.n < 2 {
		return nil, fmt.Errorf("T2: a root with kids has %d", x.root.n)
	}
	if _, err := x.root.height(); err != nil {
		return nil, err
	}
	list := x.root.periods(nil)
	for i := 1; i < len(list); i++ {
		if byStart(list[i-1], list[i]) >= 0 {
			return nil, fmt.Errorf("T1: period %v comes after %v", list[i], list[i-1])
		}
	}
	if err := x.root.checkKids(); err != nil {
		return nil, err
	}
	if x.size != len(list) {
		return nil, fmt.Errorf("T6: size is %d, and there are %d periods", x.size, len(list))
	}
	return list, nil
}

// height returns the number of levels below nd, or an error if some leaves are further down than
// others (T2).
func (nd *node) height() (int, error) {
	if nd.kids == nil {
		return 0, nil
	}
	below := 0
	for i, kid := range nd.kids.node[:nd.n] {
		if kid.n == 0 {
			return 0, fmt.Errorf("T2: kid %d of %d is empty", i, nd.n)
		}
		h, err := kid.height()
		if err != nil {
			return 0, err
		}
		if i > 0 && h != below {
			return 0, fmt.Errorf("T2: kid %d of %d has %d levels below it, the kids in front have %d", i, nd.n, h, below)
		}
		below = h
	}
	return below + 1, nil
}

// periods appends the periods below nd, in the order of the leaves.
func (nd *node) periods(list []Period) []Period {
	if nd.kids != nil {
		for _, kid := range nd.kids.node[:nd.n] {
			list = kid.periods(list)
		}
		return list
	}
	for i := range nd.n {
		p := bookahead.Interval{Start: nd.start[i], End: nd.end[i]}
		list = append(list, Period{p, int(nd.server[i])})
	}
	return list
}

// checkKids compares each entry below nd with its kid. It goes from the leaves upwards, because
// the sums of a kid are made of the kid's own entries.
func (nd *node) checkKids() error {
	if nd.kids == nil {
		return nil
	}
	for i, kid := range nd.kids.node[:nd.n] {
		if err := kid.checkKids(); err != nil {
			return err
		}
		got, want := nd.get(i), kid.branch()
		if got.start != want.start || got.server != want.server {
			return fmt.Errorf("T3: kid %d begins with server %d at %d, its entry with server %d at %d",
				i, want.server, want.start, got.server, got.start)
		}
		if got.sums != want.sums {
			return fmt.Errorf("T4: the sums of kid %d are %+v, its entry has %+v", i, want.sums, got.sums)
		}
		if i > 0 && nd.kids.node[i-1].n+kid.n <= width/2 {
			return fmt.Errorf("T5: kids %d and %d have %d and %d entries", i-1, i, nd.kids.node[i-1].n, kid.n)
		}
	}
	return nil
}
