package quota

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// Steps is a step function over time, which is 0 at first and at last. The zero value is 0
// everywhere. Steps is a value: a copy is a clone, as long as the copy and the original are
// changed under different Owners.
//
//	value      3 │      ▒▒▒
//	           2 │▒▒▒▒▒▒▒▒▒
//	           1 │▒▒▒▒▒▒▒▒▒▒▒
//	             0     6  9 11
//	edges        +2    +1 -1 -2     at most one for each tick, in a B+ tree
type Steps struct{ root *node }

// Add adds a number of either sign in an interval, which is not empty and begins at 0 or later.
// It writes to the nodes of the owner, and copies other nodes. O(log n) for n edges.
func (s *Steps) Add(owner cow.Owner, w bookahead.Interval, n int64) {
	by := wideOf(n)
	s.rise(owner, w.Start, by)
	s.rise(owner, w.End, wide{}.minus(by))
}

func (s *Steps) rise(owner cow.Owner, at bookahead.Time, by wide) {
	if by == (wide{}) {
		return
	}
	if s.root == nil {
		s.root = &node{owner: owner}
	}
	s.root = s.root.own(owner)
	s.root.rise(owner, at, edge(at, by))
	if len(s.root.ticks) == s.root.max() {
		left := s.root
		right, before := left.split(owner)
		s.root = newNode(owner, false)
		s.root.ticks = append(s.root.ticks, left.ticks[0], right.ticks[0])
		s.root.kids = append(s.root.kids, kid{node: left}, kid{right, before})
	}
	s.lower()
}

// lower removes a root without entries, or with only one kid.
func (s *Steps) lower() {
	for s.root != nil && len(s.root.kids) == 1 {
		s.root = s.root.kids[0].node
	}
	if s.root != nil && len(s.root.ticks) == 0 {
		s.root = nil
	}
}

// Forget makes the value before a tick 0. O(log n).
func (s *Steps) Forget(owner cow.Owner, before bookahead.Time) {
	if s.root == nil {
		return
	}
	var gone sums
	s.root = s.root.from(owner, before, &gone)
	s.lower()
	s.rise(owner, before, gone.value)
}

// Since returns the function with the value 0 before a tick; s stays as it is. O(log n), and O(1) if nothing changes.
func (s Steps) Since(t bookahead.Time) Steps {
	if s.root == nil || upTo(s.root.ticks, t-1) == 0 {
		return s
	}
	var by cow.Owner
	by.Renew()
	s.Forget(by, t)
	return s
}

// Zero reports whether the value is 0 everywhere.
func (s Steps) Zero() bool { return s.root == nil }

// Equal reports whether two functions have the same values from a tick on. O(n) for n edges.
func (s Steps) Equal(o Steps, from bookahead.Time) bool {
	a, _ := s.find(from)
	b, _ := o.find(from)
	for a.value == b.value && a.end == b.end {
		if a.end == bookahead.MaxTime {
			return true
		}
		a.next()
		b.next()
	}
	return false
}

// Piece is a stretch with one value, which is not 0: More times 2^62 + Units.
type Piece struct {
	bookahead.Interval
	Units int64
	More  uint64
}

// Pieces returns the function from a tick on; before, it counts as 0. O(log n + k) for k pieces.
func (s Steps) Pieces(from bookahead.Time) []Piece {
	return s.Within(bookahead.Interval{Start: from, End: bookahead.MaxTime})
}

// Within is Pieces up to a tick. The last piece may end later.
func (s Steps) Within(w bookahead.Interval) (list []Piece) {
	x, _ := s.find(w.Start)
	for t := w.Start; t < w.End; x.next() {
		if x.value != (wide{}) {
			w := bookahead.Interval{Start: t, End: x.end}
			list = append(list, Piece{w, int64(x.value.low & (1<<62 - 1)), x.value.low>>62 | x.value.mid<<2})
		}
		t = x.end
	}
	return list
}

// AddPiece adds the value of a piece.
func (s *Steps) AddPiece(owner cow.Owner, p Piece) {
	by := wide{low: uint64(p.Units) | p.More<<62, mid: p.More >> 2}
	s.rise(owner, p.Start, by)
	s.rise(owner, p.End, wide{}.minus(by))
}
