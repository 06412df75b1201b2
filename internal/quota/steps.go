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
		s.root = s.root.rise(owner, at, by)
	}
}

func (e *edge) rise(owner cow.Owner, at bookahead.Time, by wide) *edge {
	if e == nil {
		return &edge{owner: owner, at: at, by: by, sum: by, moment: by.times(uint64(at))}
	}
	e = e.own(owner)
	switch {
	case at < e.at:
		e.left = e.left.rise(owner, at, by)
		if up := e.left; up != nil && up.rank() > e.rank() {
			e.left, up.right = up.right, e
			e.pull()
			e = up
		}
	case at > e.at:
		e.right = e.right.rise(owner, at, by)
		if up := e.right; up != nil && up.rank() > e.rank() {
			e.right, up.left = up.left, e
			e.pull()
			e = up
		}
	default:
		e.by = e.by.plus(by)
		if e.by == (wide{}) {
			return join(owner, e.left, e.right)
		}
	}
	e.pull()
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

// before returns the area before a tick.
func (s Steps) before(t bookahead.Time) wide {
	var sum, moment wide
	for e := s.root; e != nil; {
		if e.at >= t {
			e = e.left
			continue
		}
		sum, moment = sum.plus(e.sum), moment.plus(e.moment)
		if e.right != nil {
			sum, moment = sum.minus(e.right.sum), moment.minus(e.right.moment)
		}
		e = e.right
	}
	if sum == (wide{}) && moment == (wide{}) {
		return wide{}
	}
	return sum.times(uint64(t)).minus(moment)
}

func (s Steps) area(w bookahead.Interval) wide { return s.before(w.End).minus(s.before(w.Start)) }

// Area returns the area below the steps in an interval, at most Over. O(log n).
func (s Steps) Area(w bookahead.Interval) uint64 { return s.area(w).capped() }

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
	return s.first(w, func(value wide) bool { return value.capped() > bound })
}

// within returns the first tick from t on with a value within a bound. O(log n + k) for k steps.
func (s Steps) within(t bookahead.Time, bound uint64) bookahead.Time {
	return s.first(bookahead.Interval{Start: t, End: bookahead.MaxTime}, func(value wide) bool { return value.capped() <= bound })
}

// first returns the first tick of w whose value will do; w.End if there is none.
func (s Steps) first(w bookahead.Interval, will func(wide) bool) bookahead.Time {
	value, _ := s.at(w.Start)
	if will(value) {
		return min(w.Start, w.End)
	}
	t, ok := s.root.first(w, &value, will)
	if !ok {
		return w.End
	}
	return t
}

// first looks at the edges behind w.Start, before which the function has a value. It stops at w.End.
func (e *edge) first(w bookahead.Interval, value *wide, will func(wide) bool) (bookahead.Time, bool) {
	for ; e != nil; e = e.right {
		if e.at <= w.Start {
			continue
		}
		t, ok := e.left.first(w, value, will)
		if ok {
			return t, true
		}
		*value = value.plus(e.by)
		if e.at >= w.End || will(*value) {
			return min(e.at, w.End), true
		}
	}
	return 0, false
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
