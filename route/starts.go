package route

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// span is a stretch of slots [from, to) in which something may start. A list of spans
// is in order, no span in it is empty, and between any two there is a gap (P1). So a
// set of slots has one list only, and an unbroken stretch of slots lies in one span.
type span struct{ from, to int64 }

// next returns the first start at slot at or later, or never.
func next(list []span, at int64) int64 {
	for _, s := range list {
		if s.to > at {
			return max(s.from, at)
		}
	}
	return never
}

// meet appends to dst the starts t of a for which t + by is a start of b: ⊕ on lists. With
// by = 2:
//
//	slot      0 1 2 3 4 5 6 7 8 9
//	a         ■ ■ ■ ■ ■   ■ ■       [0, 5) [6, 8)
//	b           ■ ■   ■ ■ ■ ■ ■     [1, 3) [4, 9)
//	b by 2    ■   ■ ■ ■ ■ ■         [0, 1) [2, 7)
//	dst       ■   ■ ■ ■   ■         [0, 1) [2, 5) [6, 7)
//
// A span of a that ends behind a span of b may meet the next span of b as well, as [0, 5)
// does here. So of two spans only the one that ends first is left behind, and the cost is
// O(len(a) + len(b)). No start of a is negative. The result has gaps where a or b has gaps (P1).
func meet(dst, a, b []span, by int64) []span {
	n, most := len(dst), len(dst)+len(a)+len(b)
	dst = slices.Grow(dst, len(a)+len(b))[:most]
	// No processor could predict which list comes next, nor whether two spans meet. So the loop
	// has no branch for this: it writes each span, and counts it if it is not empty.
	for i, j := 0, 0; i < len(a) && j < len(b); {
		near, far := a[i], span{b[j].from - by, b[j].to - by}
		both := span{max(near.from, far.from), min(near.to, far.to)}
		dst[n] = both
		if both.from < both.to {
			n++
		}
		ended := 0
		if near.to <= far.to {
			ended = 1
		}
		i += ended
		j += 1 - ended
	}
	return dst[:n]
}

// later moves the starts of a list by so many slots, in place, and drops the starts at end
// and behind it.
func later(list []span, by, end int64) []span {
	for i, s := range list {
		from, to := s.from+by, min(s.to+by, end)
		if from >= to {
			return list[:i]
		}
		list[i] = span{from, to}
	}
	return list
}

// join appends the starts of a or b to an empty dst. Spans that touch become one span, for there
// must be a gap between any two (P1):
//
//	[0, 3) [7, 9)  and  [3, 5)  are  [0, 5) [7, 9)
func join(dst, a, b []span) []span {
	if len(a) == 0 || len(b) == 0 {
		return append(append(dst, a...), b...)
	}
	n := 0
	dst = slices.Grow(dst, len(a)+len(b))[:len(a)+len(b)]
	last := a[0] // the span that is appended next, and may grow until then
	if b[0].from < last.from {
		last = b[0]
	}
	for i, j := 0, 0; ; { // without a branch for the list that comes next, as in meet
		if i == len(a) {
			a = b[j:]
			break
		}
		if j == len(b) {
			a = a[i:]
			break
		}
		next, fromA := b[j], 0
		if a[i].from <= next.from {
			next, fromA = a[i], 1
		}
		i += fromA
		j += 1 - fromA
		dst[n] = last
		if next.from > last.to {
			last.from = next.from
			n++
		}
		last.to = max(last.to, next.to)
	}
	for len(a) > 0 && a[0].from <= last.to {
		last.to, a = max(last.to, a[0].to), a[1:]
	}
	return append(append(dst[:n], last), a...)
}

// covers reports whether each start of b is a start of a. By P1 a span of b is covered by one
// span of a, or not at all. Only the first span of a that ends no earlier can cover it.
func covers(a, b []span) bool {
	i := 0
	for _, s := range b {
		for i < len(a) && a[i].to < s.to {
			i++
		}
		if i == len(a) || s.from < a[i].from {
			return false
		}
	}
	return true
}

const never = int64(bookahead.MaxTime)
