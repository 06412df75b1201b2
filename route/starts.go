package route

// span is a stretch of slots [from, to) in which something may start. Lists of
// them are in order, with a gap between any two.
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

// meet appends to dst the starts of a that are, by slots later, starts of b: ⊕ on
// lists.
func meet(dst, a, b []span, by int64) []span {
	for _, far := range b {
		from, to := max(far.from-by, 0), far.to-by
		for len(a) > 0 && a[0].to <= from {
			a = a[1:]
		}
		for len(a) > 0 && a[0].from < to {
			dst = append(dst, span{max(from, a[0].from), min(to, a[0].to)})
			if a[0].to > to {
				break // it may meet the next as well
			}
			a = a[1:]
		}
		if len(a) == 0 {
			break
		}
	}
	return dst
}

// later moves the starts of a list by slots, and drops those at end or behind it.
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

// join appends the starts of a or b to dst.
func join(dst, a, b []span) []span {
	for len(a) > 0 || len(b) > 0 {
		var s span
		if len(b) == 0 || len(a) > 0 && a[0].from <= b[0].from {
			s, a = a[0], a[1:]
		} else {
			s, b = b[0], b[1:]
		}
		if last := len(dst) - 1; last >= 0 && s.from <= dst[last].to {
			dst[last].to = max(dst[last].to, s.to)
		} else {
			dst = append(dst, s)
		}
	}
	return dst
}

// covers reports whether each start of b is one of a.
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
