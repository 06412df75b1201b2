package scheduletest

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// closure draws a closure near a time at which something may change, and now and then until
// further notice.
func (u *user) closure() bookahead.Closure {
	f := u.frame()
	start := u.time()
	c := bookahead.Closure{Interval: bookahead.Interval{Start: start, End: later(max(start, f.Now), bookahead.Time(1+u.rng.IntN(20)))}}
	if u.rng.IntN(4) == 0 {
		c.End = bookahead.MaxTime
	}
	if f.Servers > 0 {
		c.Servers = append(c.Servers, u.rng.IntN(f.Servers))
		return c
	}
	c.Units = 1 + u.rng.Int64N(max(1, min(f.Capacity, 1<<55)))
	return c
}

// change closes, adds a little, ends a closure, or switches the index. Then it checks that
// nothing is free on overbooked stretches.
func (u *user) change() {
	u.Helper()
	f := u.frame()
	list, c := closuresOf(u.s), u.closure() // drawn before there is a lock
	bookahead.Update(u.s, func(s bookahead.Closable) {
		switch u.rng.IntN(5) {
		default:
			_, err := s.Close(c)
			u.stray("Close", err)
		case 2:
			c.Servers, c.Units = nil, 1+u.rng.Int64N(3)
			if f.Servers < 1<<10 { // each later question may name all servers
				_, err := s.Extend(c)
				u.stray("Extend", err)
			}
		case 3:
			if len(list) > 0 {
				c := list[u.rng.IntN(len(list))]
				at := []bookahead.Time{c.Start, f.Now, c.Start + (c.End-c.Start)/2}[u.rng.IntN(3)]
				if u.slow() && at-f.Now > 10*span {
					at = f.Now
				}
				err := s.End(c.ID, at)
				if err != nil {
					u.Fatalf("%x is read, and End(%s, %d) gives %v", u.data, inWords(c), at, err)
				}
			}
		}
	})
	bookahead.Update(u.s, func(s bookahead.Tracker) { s.Track(u.rng.IntN(2) == 0) })
	for i, o := range overbookedIn(u.s, f.Window()) {
		a, err := u.s.RangeQuery(o.Interval)
		if i == 3 {
			break
		}
		if err != nil || o.Units < 1 || f.Servers == 0 && a.Free != 0 || slices.ContainsFunc(a.Servers, func(k int) bool { return slices.Contains(o.Servers, k) }) {
			u.Fatalf("%x is read, %s is overbooked, and there %+v is free, %v", u.data, inWords(o), a, err)
		}
	}
}

// displace books by force, after which nothing is overbooked.
func (u *user) displace() {
	u.Helper()
	f := force{Order: u.rng.IntN(3), Again: u.rng.IntN(3)}
	r := u.request()
	if u.rng.IntN(2) == 0 {
		f.Request = &r
	}
	d, err := bookahead.Displace(u.s, f.full())
	u.stray("Displace", err)
	over := overbookedIn(u.s, always)
	if err == nil && len(over) > 0 {
		u.Fatalf("%x is read, and after Displace = %+v %s are overbooked", u.data, d, inWords(over))
	}
}
