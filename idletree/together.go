package idletree

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// later returns the first start for r after first and no later than last, given that first itself is no
// start. As in a sweep, a start becomes possible only where an idle period begins, so one pass through
// the periods by start finds the earliest start over all groups, and stops there. A search of each group
// would go on to the first start of every group.
func (v *Within) later(r bookahead.Request, first, last bookahead.Time) (t bookahead.Time, ok bool) {
	var add func(p Period) bool // reports whether r fits where p begins
	if v.adjacent {
		add = v.border(r, first)
	} else {
		add = v.gather(r, first)
	}
	x, d := v.x.tree(), bookahead.Time(r.Duration)
	x.throughout(r.Servers, servers.Window(first, r), func(p Period) bool {
		add(p)
		return true
	})
	x.beginning(r.Servers, first, last, d, func(p Period) bool {
		t, ok = p.Start, add(p)
		return !ok
	})
	return t, ok
}

// gather returns a function that adds an idle period to the sweeps of its server's groups, and reports whether
// a group has room. Groups with too few servers have no sweep.
func (v *Within) gather(r bookahead.Request, first bookahead.Time) func(Period) bool {
	sweeps := make([]sweep, len(v.regions.list))
	return func(p Period) (ok bool) {
		for _, g := range v.regions.containing(p.Server) {
			if int64(len(v.regions.list[g])) < r.Units {
				continue
			}
			s := &sweeps[g]
			if s.units == 0 {
				*s = newSweep(r, first, nil)
			}
			_, here := s.add(p.Interval)
			ok = ok || here
		}
		return ok
	}
}

// border returns a function that adds an idle period, and reports whether the row of free servers around
// its server is long enough within a region.
func (v *Within) border(r bookahead.Request, first bookahead.Time) func(Period) bool {
	row, n := adjoin(r, first, 0, v.x.s.Limits.Servers), int(r.Units)
	return func(p Period) bool {
		from, behind := row(p)
		if v.regions.list == nil {
			return behind-from >= n
		}
		for _, i := range v.regions.containing(p.Server) {
			region := v.regions.list[i]
			if min(behind, region[len(region)-1]+1)-max(from, region[0]) >= n {
				return true
			}
		}
		return false
	}
}

// adjoin returns a function that adds an idle period, and returns the row of free servers around its
// server. The function must be called by start, with periods of servers from base on:
//
//	server            0   1   2   3   4   5
//	starts before    30  24   -  40  19  40    at 20, the row around 1 is 0 and 1
//	add 2, until 26  30  24  26  40  19  40    now the row around 2 is 0 to 3
func adjoin(r bookahead.Request, first bookahead.Time, base, servers int) func(Period) (from, behind int) {
	x, d := newRows(servers), bookahead.Time(r.Duration)
	return func(p Period) (from, behind int) {
		t, k := max(p.Start, first), p.Server-base
		x.set(k, p.End-d+1)
		return base + x.from(k, t), base + x.behind(k, t)
	}
}

// rows knows until when a window can start on each server: at all times before until, from now on. Each
// node of a complete binary tree has the least until below it. So at t, the row of free servers around a
// server ends in the next subtree whose until is t or earlier:
//
//	until            0
//	           0            19       at 20, on the right of server 3:
//	       24     0      19    40    the subtree of 4 and 5 has 19, and in it server 4
//	      30 24  - 40  19 40 40 40   has 19, so the row ends in front of 4
type rows struct {
	size  int              // servers, rounded up to a power of two
	until []bookahead.Time // of node i; its kids are 2i and 2i+1, and server k is node size+k
}

// newRows returns rows in which no server is free.
func newRows(servers int) rows {
	size := 1
	for size < servers {
		size *= 2
	}
	return rows{size, make([]bookahead.Time, 2*size)}
}

// set sets the until of a server. O(log N).
func (x *rows) set(server int, until bookahead.Time) {
	i := x.size + server
	x.until[i] = until
	for i > 1 {
		i /= 2
		least := min(x.until[2*i], x.until[2*i+1])
		if x.until[i] == least {
			return
		}
		x.until[i] = least
	}
}

// behind returns the first server behind the given one on which no window can start at t, or the size. It
// goes up the tree and looks at each subtree on the right, and then goes down into the first subtree that
// has such a server. O(log N).
func (x *rows) behind(server int, t bookahead.Time) int {
	i := x.size + server
	for {
		for i%2 == 1 { // the right kid, or the root
			i /= 2
		}
		if i == 0 {
			return x.size
		}
		i++
		if x.until[i] <= t {
			break
		}
	}
	for i < x.size {
		i *= 2
		if x.until[i] > t {
			i++
		}
	}
	return i - x.size
}

// from is behind in the other direction: it returns the first server of the row that ends with the given
// server.
func (x *rows) from(server int, t bookahead.Time) int {
	i := x.size + server
	for {
		for i%2 == 0 { // the left kid
			i /= 2
		}
		if i == 1 {
			return 0
		}
		i--
		if x.until[i] <= t {
			break
		}
	}
	for i < x.size {
		i = 2*i + 1
		if x.until[i] > t {
			i--
		}
	}
	return i - x.size + 1
}
