package site

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Area is unit-ticks, in two words.
type Area struct{ Hi, Lo uint64 }

// Add adds units times ticks, which are not negative.
func (a *Area) Add(units int64, ticks bookahead.Duration) {
	hi, lo := bits.Mul64(uint64(units), uint64(ticks))
	var carry uint64
	a.Lo, carry = bits.Add64(a.Lo, lo, 0)
	a.Hi, _ = bits.Add64(a.Hi, hi, carry)
}

// Big returns the area as one number.
func (a Area) Big() *big.Int {
	var words [16]byte
	binary.BigEndian.PutUint64(words[:8], a.Hi)
	binary.BigEndian.PutUint64(words[8:], a.Lo)
	return new(big.Int).SetBytes(words[:])
}

// Capacity returns the capacity in w, with all closures and extensions of that time, those that are over among them. On
// nodes it returns one sum for each resource, and has says what each node has of it; it is nil on a pool or servers.
func (s *Site) Capacity(w bookahead.Interval, changes []bookahead.Closure, has []nodes.Vector) []Area {
	sum := make([]Area, 1)
	if s.machine != nil {
		sum = make([]Area, len(has[0]))
	}
	if w.Empty() {
		return sum
	}
	units := shifts{w, nil} // all units without names
	named := map[int]*opening{}
	for _, o := range changes {
		if o.Servers == nil {
			units.add(o.Interval, o.Units, o.Added)
		}
		for _, k := range o.Servers {
			if named[k] == nil {
				named[k] = &opening{}
				if int64(k) < s.Given {
					named[k].there = w // other servers are there only while an extension says so
				}
			}
			if o.Added {
				named[k].there = o.Intersect(w)
			} else {
				named[k].closed.add(o.Interval, 1, true)
			}
		}
	}
	if s.machine == nil {
		given := s.Given
		for k, x := range named {
			sum[0].Add(1, x.ticks())
			if int64(k) < s.Given {
				given--
			}
		}
		units.level(given, func(n int64, length bookahead.Duration) { sum[0].Add(n, length) })
		return sum
	}
	for k, amounts := range has {
		ticks := w.Len()
		x := named[k]
		switch {
		case x != nil:
			ticks = x.ticks()
		case int64(k) >= s.Given:
			ticks = 0 // its extension was forgotten
		}
		for r := range sum {
			sum[r].Add(amounts[r], ticks)
		}
	}
	return sum
}

// opening is when a server or node is there, and when it is closed meanwhile.
type opening struct {
	there  bookahead.Interval
	closed shifts
}

// ticks returns how long it is open.
func (x *opening) ticks() (open bookahead.Duration) {
	x.closed.window = x.there
	x.closed.level(0, func(n int64, length bookahead.Duration) {
		if n == 0 {
			open += length
		}
	})
	return open
}

// shifts are changes of an amount in a window.
type shifts struct {
	window bookahead.Interval
	list   []shift
}

type shift struct {
	at bookahead.Time
	by int64
}

// add adds an amount throughout an interval, or takes it off.
func (x *shifts) add(w bookahead.Interval, n int64, more bool) {
	if !more {
		n = -n
	}
	x.list = append(x.list, shift{w.Start, n}, shift{w.End, -n})
}

// level calls tell for each amount, which is never less than 0, with the time for which it lasts.
func (x *shifts) level(n int64, tell func(n int64, length bookahead.Duration)) {
	if x.window.Empty() {
		return
	}
	slices.SortFunc(x.list, func(a, b shift) int { return cmp.Compare(a.at, b.at) })
	from := x.window.Start
	for _, s := range x.list {
		to := min(max(s.at, from), x.window.End)
		tell(max(n, 0), bookahead.Duration(to-from))
		from, n = to, n+s.by
	}
	tell(max(n, 0), bookahead.Duration(x.window.End-from))
}
