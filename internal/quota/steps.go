package quota

import (
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// Steps is a step function over time, which is 0 at first and at last. The zero value is 0 everywhere. It is a
// value: a copy is a clone, as long as they are changed under Owners that differ.
//
//	value      3 │      ▒▒▒
//	           2 │▒▒▒▒▒▒▒▒▒
//	           1 │▒▒▒▒▒▒▒▒▒▒▒
//	             0     6  9 11
//	edges        +2    +1 -2 -1     at most one for each tick, in a search tree
//
// Each node has the sum of the edges below it, and of the edges times their ticks. So a value is a sum on one way
// down, and an area too: the area before t is t times the sum of the edges before t, without their ticks.
type Steps struct{ root *edge }

// edge is a node of a treap: the ticks are in order, and ranks, which nobody can guess, fall from the root on.
// The shape follows from the ticks alone.
type edge struct {
	owner       cow.Owner
	left, right *edge
	at          bookahead.Time
	by          wide // by which the value rises here
	sum, moment wide // of by, and of by times at, of all edges here and below
}

// salt is another in each process. No answer depends on it.
var salt = rand.Uint64()

func (e *edge) rank() uint64 {
	x := uint64(e.at) ^ salt
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Add adds a number of either sign in an interval, which is not empty and begins at 0 or later. It writes to the
// nodes that are the owner's, and copies others. O(log n) for n edges.
func (s *Steps) Add(owner cow.Owner, w bookahead.Interval, n int64) {
	by := wideOf(n)
	s.rise(owner, w.Start, by)
	s.rise(owner, w.End, wide{}.minus(by))
}

func (s *Steps) rise(owner cow.Owner, at bookahead.Time, by wide) {
	if by != (wide{}) {
		s.root = s.root.rise(owner, at, by, by.times(uint64(at)))
	}
}

// rise adds an edge, and its moment, to the sums of all nodes on the way down. It looks at the nodes beside the way
// only where it turns a node: most of the time goes into reading nodes that are in no cache.
func (e *edge) rise(owner cow.Owner, at bookahead.Time, by, moment wide) *edge {
	if e == nil {
		return &edge{owner: owner, at: at, by: by, sum: by, moment: moment}
	}
	e = e.own(owner)
	e.sum, e.moment = e.sum.plus(by), e.moment.plus(moment)
	switch {
	case at < e.at:
		e.left = e.left.rise(owner, at, by, moment)
		if up := e.left; up != nil && up.rank() > e.rank() {
			e.left, up.right = up.right, e
			e.pull()
			up.pull()
			return up
		}
	case at > e.at:
		e.right = e.right.rise(owner, at, by, moment)
		if up := e.right; up != nil && up.rank() > e.rank() {
			e.right, up.left = up.left, e
			e.pull()
			up.pull()
			return up
		}
	default:
		e.by = e.by.plus(by)
		if e.by == (wide{}) {
			return join(owner, e.left, e.right)
		}
	}
	return e
}

// own returns the node for writing.
func (e *edge) own(owner cow.Owner) *edge {
	if e.owner == owner {
		return e
	}
	c := *e
	c.owner = owner
	return &c
}

// pull sums up anew.
func (e *edge) pull() {
	e.sum, e.moment = e.by, e.by.times(uint64(e.at))
	if e.left != nil {
		e.sum, e.moment = e.sum.plus(e.left.sum), e.moment.plus(e.left.moment)
	}
	if e.right != nil {
		e.sum, e.moment = e.sum.plus(e.right.sum), e.moment.plus(e.right.moment)
	}
}

// join returns the tree of all edges of two, of which all of one come first.
func join(owner cow.Owner, a, b *edge) *edge {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.rank() > b.rank():
		a = a.own(owner)
		a.right = join(owner, a.right, b)
		a.pull()
		return a
	}
	b = b.own(owner)
	b.left = join(owner, a, b.left)
	b.pull()
	return b
}

// Forget makes the value before a tick 0. O(log n).
func (s *Steps) Forget(owner cow.Owner, before bookahead.Time) {
	var by wide
	s.root = s.root.from(owner, before, &by)
	s.rise(owner, before, by)
}

// from returns the tree without the edges before a tick, and adds those up.
func (e *edge) from(owner cow.Owner, at bookahead.Time, gone *wide) *edge {
	if e == nil {
		return nil
	}
	if e.at < at {
		*gone = gone.plus(e.by)
		if e.left != nil {
			*gone = gone.plus(e.left.sum)
		}
		return e.right.from(owner, at, gone)
	}
	e = e.own(owner)
	e.left = e.left.from(owner, at, gone)
	e.pull()
	return e
}

// Zero reports whether the value is 0 everywhere.
func (s Steps) Zero() bool { return s.root == nil }

// at returns the value at a tick, and the next edge; bookahead.MaxTime if there is none. O(log n).
func (s Steps) at(t bookahead.Time) (value wide, end bookahead.Time) {
	end = bookahead.MaxTime
	for e := s.root; e != nil; {
		if e.at > t {
			end, e = e.at, e.left
			continue
		}
		value = value.plus(e.by)
		if e.left != nil {
			value = value.plus(e.left.sum)
		}
		e = e.right
	}
	return value, end
}

// until returns the area before a tick, and at its end the value and the next edge; bookahead.MaxTime if there is
// none. O(log n).
func (s Steps) until(t bookahead.Time) (area, value wide, end bookahead.Time) {
	var moment wide
	end = bookahead.MaxTime
	for e := s.root; e != nil; {
		if e.at > t {
			end, e = e.at, e.left
			continue
		}
		value, moment = value.plus(e.sum), moment.plus(e.moment)
		if e.right != nil {
			value, moment = value.minus(e.right.sum), moment.minus(e.right.moment)
		}
		e = e.right
	}
	if value == (wide{}) && moment == (wide{}) {
		return wide{}, wide{}, end
	}
	return value.times(uint64(t)).minus(moment), value, end
}

func (s Steps) area(w bookahead.Interval) wide {
	before, _, _ := s.until(w.Start)
	all, _, _ := s.until(w.End)
	return all.minus(before)
}

// Area returns the area below the steps in an interval, at most Over. O(log n).
func (s Steps) Area(w bookahead.Interval) uint64 { return s.area(w).capped() }

// stretch returns the end of the longest interval from t on whose area is within a bound; bookahead.MaxTime if all are.
// No value is negative. O(log n).
func (s Steps) stretch(t bookahead.Time, bound uint64) bookahead.Time {
	all, _, _ := s.until(t)
	all = all.plus(wide{bound})
	from, end := bookahead.Time(0), bookahead.MaxTime // edges that the interval has, and has not
	var left, value, moment wide                      // of the bound at from; sums of the edges up to there
	for e := s.root; e != nil; {
		v, m := value, moment
		if e.left != nil {
			v, m = v.plus(e.left.sum), m.plus(e.left.moment)
		}
		over := v.times(uint64(e.at)).minus(m)
		over = all.minus(over)
		if over.negative() {
			end, e = e.at, e.left
			continue
		}
		from, left = e.at, over
		value, moment = v.plus(e.by), m.plus(e.by.times(uint64(e.at)))
		e = e.right
	}
	if value == (wide{}) {
		return end
	}
	return min(end, later(from, bookahead.Duration(min(left.capped()/value.capped(), Over-1))))
}

// Most returns the greatest value in an interval, at most Over. O(k log n) for k steps.
func (s Steps) Most(w bookahead.Interval) (most uint64) {
	for t := w.Start; t < w.End; {
		value, end := s.at(t)
		most = max(most, value.capped())
		t = end
	}
	return most
}

// above returns the first tick of w with a value above a bound; w.End if there is none. O(log n + k) for k steps.
func (s Steps) above(w bookahead.Interval, bound uint64) bookahead.Time {
	found := w.End
	s.walk(w.Start, func(t bookahead.Time, value wide) bool {
		if t < w.End && value.capped() > bound {
			found = t
		}
		return t < found
	})
	return found
}

// within returns the first tick from t on with a value within a bound. O(log n + k) for k steps.
func (s Steps) within(t bookahead.Time, bound uint64) bookahead.Time {
	found := bookahead.MaxTime
	s.walk(t, func(t bookahead.Time, value wide) bool {
		if value.capped() <= bound {
			found = t
		}
		return t < found
	})
	return found
}

// fit returns the first tick from t on where an interval of a length begins that has no value above a bound, or one
// behind last. O(log n + k) for k steps.
func (s Steps) fit(t, last bookahead.Time, length bookahead.Duration, bound uint64) bookahead.Time {
	start, good := t, false // since when the values are good
	s.walk(t, func(t bookahead.Time, value wide) bool {
		if good && t >= later(start, length) {
			return false
		}
		is := value.capped() <= bound
		if is && !good {
			start = t
		}
		good = is
		if !good {
			start = later(t, 1)
		}
		return start <= last
	})
	return start
}

// walk yields a tick and its value, and then each edge behind the tick and the value from there on, as long as visit
// returns true. O(log n + k) for k of them.
func (s Steps) walk(t bookahead.Time, visit func(t bookahead.Time, value wide) bool) {
	value, _ := s.at(t)
	if visit(t, value) {
		s.root.walk(t, &value, visit)
	}
}

// walk yields the edges behind a tick, before which the function has a value. It reports whether they all were visited.
func (e *edge) walk(t bookahead.Time, value *wide, visit func(t bookahead.Time, value wide) bool) bool {
	for ; e != nil; e = e.right {
		if e.at <= t {
			continue
		}
		if !e.left.walk(t, value, visit) {
			return false
		}
		*value = value.plus(e.by)
		if !visit(e.at, *value) {
			return false
		}
	}
	return true
}

// next returns the next edge after a tick; bookahead.MaxTime if there is none.
func (s Steps) next(t bookahead.Time) bookahead.Time {
	_, end := s.at(t)
	return end
}

// Equal reports whether two functions have the same values from a tick on. O(n log n).
func (s Steps) Equal(o Steps, from bookahead.Time) bool {
	for t := from; ; {
		a, ends := s.at(t)
		b, other := o.at(t)
		if a != b {
			return false
		}
		t = min(ends, other)
		if t == bookahead.MaxTime {
			return true
		}
	}
}

// Piece is a stretch with one value, which is not 0: More times 2^62 + Units.
type Piece struct {
	bookahead.Interval
	Units int64
	More  uint64
}

// Pieces returns the function from a tick on; before, it counts as 0. O(n log n).
func (s Steps) Pieces(from bookahead.Time) (list []Piece) {
	for t := from; t < bookahead.MaxTime; {
		value, end := s.at(t)
		if value != (wide{}) {
			w := bookahead.Interval{Start: t, End: end}
			list = append(list, Piece{w, int64(value[0] & (1<<62 - 1)), value[0]>>62 | value[1]<<2})
		}
		t = end
	}
	return list
}

// AddPiece adds the value of a piece.
func (s *Steps) AddPiece(owner cow.Owner, p Piece) {
	by := wide{uint64(p.Units) | p.More<<62, p.More >> 2}
	s.rise(owner, p.Start, by)
	s.rise(owner, p.End, wide{}.minus(by))
}
