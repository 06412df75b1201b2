package spans

import (
	"iter"
	"math"

	"github.com/bookahead/bookahead"
)

// Overlapping yields the spans that share a tick with w, by Start, then by ID. The index must not
// change meanwhile. O(log n + k) for k spans that lie side by side, O(k log n) at worst. It
// allocates nothing but the iterator.
func (x *Index) Overlapping(w bookahead.Interval) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		if x.root != nil && !w.Empty() {
			x.root.overlapping(w, yield)
		}
	}
}

// From yields the spans that start at a tick or later, by Start, then by ID. The index must not change
// meanwhile. O(log n + k) for k spans.
func (x *Index) From(start bookahead.Time) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		if x.root != nil {
			x.root.from(start, yield)
		}
	}
}

// from is From below a node. It returns false if yield does.
func (nd *node) from(start bookahead.Time, yield func(Span) bool) bool {
	first := nd.upTo(Span{Interval: bookahead.Interval{Start: start - 1}, ID: math.MaxUint64})
	if nd.inner != nil {
		first = max(first-1, 0) // the kid before may have later starts as well
	}
	for i := first; i < nd.n; i++ {
		if nd.inner != nil && !nd.kid[i].from(start, yield) || nd.inner == nil && !yield(nd.span(i)) {
			return false
		}
	}
	return true
}

// overlapping is Overlapping below a node. It returns false if yield does.
func (nd *node) overlapping(w bookahead.Interval, yield func(Span) bool) bool {
	for i, end := range nd.end[:nd.n] {
		switch {
		case end <= w.Start: // all spans here end before w
			continue
		case nd.start[i] >= w.End:
			return true
		case nd.inner != nil:
			if !nd.kid[i].overlapping(w, yield) {
				return false
			}
		case !yield(nd.span(i)):
			return false
		}
	}
	return true
}
