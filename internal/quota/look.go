package quota

import "github.com/bookahead/bookahead"

// cursor stands on a tick of steps, in the stretch up to the next edge. It goes from edge to
// edge, and looks down the tree only where a leaf ends.
type cursor struct {
	steps  Steps
	leaf   *node
	i      int            // index of the next edge in the leaf
	behind bookahead.Time // the first edge after the leaf; bookahead.MaxTime if there is none
	end    bookahead.Time // the next edge; bookahead.MaxTime if there is none
	value  wide
}

// find returns the cursor at a tick, and the sum of the moments of all edges up to there. O(log
// n) for n edges.
func (s Steps) find(t bookahead.Time) (x cursor, moment wide) {
	x.steps, x.behind = s, bookahead.MaxTime
	n := s.root
	for n != nil && !n.leaf() {
		i := upTo(n.ticks, t)
		if i < len(n.ticks) {
			x.behind = n.ticks[i]
		}
		if i == 0 {
			n = nil
			break
		}
		k := &n.kids[i-1]
		x.value, moment = x.value.plus(k.before.value), moment.plus(k.before.moment)
		n = k.node
	}
	x.leaf, x.end = n, x.behind
	if n == nil {
		return x, moment
	}
	value := x.value
	for i, at := range n.ticks {
		if at > t {
			x.i, x.end, x.value = i, at, value
			return x, moment
		}
		by := n.by(i)
		value, moment = value.plus(by), moment.plus(by.times(uint64(at)))
	}
	x.i, x.value = len(n.ticks), value
	return x, moment
}

// next moves to the next edge. There is one.
func (x *cursor) next() {
	if x.leaf == nil || x.i == len(x.leaf.ticks) {
		*x, _ = x.steps.find(x.end)
		return
	}
	x.value = x.value.plus(x.leaf.by(x.i))
	x.i++
	x.end = x.behind
	if x.i < len(x.leaf.ticks) {
		x.end = x.leaf.ticks[x.i]
	}
}

// at returns the value at a tick, and the next edge; bookahead.MaxTime if there is none. O(log n).
func (s Steps) at(t bookahead.Time) (value wide, end bookahead.Time) {
	x, _ := s.find(t)
	return x.value, x.end
}

// next returns the next edge after a tick; bookahead.MaxTime if there is none. O(log n).
func (s Steps) next(t bookahead.Time) bookahead.Time {
	x, _ := s.find(t)
	return x.end
}

// until returns the area before a tick, and the cursor there. O(log n).
func (s Steps) until(t bookahead.Time) (area wide, x cursor) {
	x, area = s.find(t)
	if x.value == (wide{}) && area == (wide{}) {
		return wide{}, x // t may be negative
	}
	return x.value.times(uint64(t)).minus(area), x
}

func (s Steps) area(w bookahead.Interval) wide {
	before, _ := s.until(w.Start)
	all, _ := s.until(w.End)
	return all.minus(before)
}

// Area returns the area below the steps in an interval, at most Over. O(log n).
func (s Steps) Area(w bookahead.Interval) uint64 { return s.area(w).capped() }

// stretch returns the end of the longest interval from t on whose area is within a bound;
// bookahead.MaxTime if no interval exceeds the bound. It also returns the last edge up to there; 0 if there is
// none. No value is negative. O(log n).
func (s Steps) stretch(t bookahead.Time, bound uint64) (to, edgeAt bookahead.Time) {
	all, _ := s.until(t)
	all = all.plus(wide{low: bound})
	from, end := bookahead.Time(0), bookahead.MaxTime // the last edge that the interval reaches, and the first that it does not
	left, sum := all, sums{}                          // the rest of the bound at from; the sums of the edges up to there
	for n := s.root; n != nil; {
		if !n.leaf() {
			lo, hi := 0, len(n.ticks) // the interval reaches kid lo, but not kid hi
			for hi-lo > 1 {
				mid := int(uint(lo+hi) / 2)
				if all.minus(sum.plus(n.kids[mid].before).until(n.ticks[mid])).negative() {
					hi = mid
				} else {
					lo = mid
				}
			}
			if hi < len(n.ticks) {
				end = n.ticks[hi]
			}
			sum = sum.plus(n.kids[lo].before)
			n = n.kids[lo].node
			continue
		}
		for i, at := range n.ticks {
			over := all.minus(sum.until(at))
			if over.negative() {
				end = at
				break
			}
			from, left = at, over
			sum = sum.plus(edge(at, n.by(i)))
		}
		break
	}
	if sum.value == (wide{}) {
		return end, from
	}
	return min(end, later(from, bookahead.Duration(min(left.capped()/sum.value.capped(), Over-1)))), from
}

// until returns the area before a tick that no edge comes after.
func (x sums) until(t bookahead.Time) wide { return x.value.times(uint64(t)).minus(x.moment) }

// Most returns the greatest value in an interval, at most Over. O(log n + k) for k steps.
func (s Steps) Most(w bookahead.Interval) uint64 {
	var looks int64
	return s.most(w, &looks)
}

// most is Most, and counts the steps.
func (s Steps) most(w bookahead.Interval, looks *int64) (most uint64) {
	x, _ := s.find(w.Start)
	for t := w.Start; t < w.End; {
		*looks++
		most = max(most, x.value.capped())
		t = x.end
		if t < w.End {
			x.next()
		}
	}
	return most
}

// above returns the first tick of w with a value above a bound; w.End if there is none. O(log n + k) for k steps.
func (s Steps) above(w bookahead.Interval, bound uint64, looks *int64) bookahead.Time {
	x, _ := s.find(w.Start)
	t := w.Start
	*looks++
	for t < w.End && x.value.capped() <= bound {
		*looks++
		t = x.end
		if t < w.End {
			x.next()
		}
	}
	return min(t, w.End)
}

// within returns the first tick from t on with a value within a bound. O(log n + k) for k steps.
func (s Steps) within(t bookahead.Time, bound uint64, looks *int64) bookahead.Time {
	x, _ := s.find(t)
	*looks++
	for x.value.capped() > bound {
		*looks++
		t = x.end
		x.next()
	}
	return t
}

// fit returns the first tick from t on at which an interval of a length begins that has no value
// above a bound, or a tick after last. O(log n + k) for k steps.
func (s Steps) fit(t, last bookahead.Time, length bookahead.Duration, bound uint64, looks *int64) bookahead.Time {
	start := t
	for x, _ := s.find(t); start <= last; x.next() {
		*looks++
		if x.value.capped() > bound {
			start = x.end // the last value is 0, so there is a next edge
		} else if x.end >= later(start, length) {
			break
		}
	}
	return start
}
