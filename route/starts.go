package route

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

// meet appends to dst the starts of a that are, by slots later, starts of b: it is ⊕ on
// lists. With by = 2:
//
//	slot      0 1 2 3 4 5 6 7 8 9
//	a         ■ ■ ■ ■ ■   ■ ■       [0, 5) [6, 8)
//	b           ■ ■   ■ ■ ■ ■ ■     [1, 3) [4, 9)
//	b by 2    ■   ■ ■ ■ ■ ■         [0, 1) [2, 7)
//	dst       ■   ■ ■ ■   ■         [0, 1) [2, 5) [6, 7)
//
// A span of a that ends behind one of b may meet the next of b as well, as [0, 5) does
// here. So only spans that have ended are left behind, and the cost is O(len(a) + len(b)).
// The result has gaps where a or b has them (P1).
func meet(dst, a, b []span, by int64) []span {
	for _, far := range b {
		from, to := max(far.from-by, 0), far.to-by
		for len(a) > 0 && a[0].to <= from {
			a = a[1:]
		}
		for len(a) > 0 && a[0].from < to {
			dst = append(dst, span{max(from, a[0].from), min(to, a[0].to)})
			if a[0].to > to {
				break
			}
			a = a[1:]
		}
		if len(a) == 0 {
			break
		}
	}
	return dst
}

// later moves the starts of a list by slots, in place, and drops those at end or behind
// it.
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

// join appends the starts of a or b to an empty dst. Spans that touch become one, or
// there would be no gap between them (P1):
//
//	[0, 3) [7, 9)  and  [3, 5)  are  [0, 5) [7, 9)
func join(dst, a, b []span) []span {
	for len(a) > 0 || len(b) > 0 {
		var s span
		if len(b) == 0 || len(a) > 0 && a[0].from <= b[0].from {
			s, a = a[0], a[1:]
		} else {
			s, b = b[0], b[1:]
		}
		last := len(dst) - 1
		if last >= 0 && s.from <= dst[last].to {
			dst[last].to = max(dst[last].to, s.to)
		} else {
			dst = append(dst, s)
		}
	}
	return dst
}

// covers reports whether each start of b is one of a. By P1 a span of b is covered by one
// span of a, or not at all: the first that ends no earlier is the only one that can.
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
