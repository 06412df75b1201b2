package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// steps is the free amounts of one node over time: times in order, and the amounts that are free from each
// time to the next. Each time lies beside its amounts, so that a look at a node reads few cache lines:
//
//	GPUs    ████████  ██░░░░         ████████    8 | 2 | 8
//	cores   ████████  ████░░         ████████   64 | 40 | 64
//	data    0 (8 64)  30 (2 40)      50 (8 64)   the amounts packed in a row
//
// An amount is negative where the node is closed while a reservation holds it.
type steps struct {
	*packing
	owner cow.Owner // only the machine of this owner may write
	data  []uint64  // for each step its time and a row; rows of neighbours differ
}

// newSteps returns a node on which all is free.
func newSteps(p *packing, now bookahead.Time, given Vector) steps {
	return steps{packing: p, data: append([]uint64{uint64(now)}, p.pack(given)...)}
}

// clone returns a copy that shares nothing, with room for a change.
func (s *steps) clone() steps {
	c := *s
	c.data = append(make([]uint64, 0, len(s.data)+2*s.step), s.data...)
	return c
}

// repack returns the same steps in another packing.
func (s *steps) repack(p *packing) steps {
	c := steps{packing: p}
	v := make(Vector, len(p.fields))
	for i := range s.len() {
		for r := range v {
			v[r] = s.amountAt(i, r)
		}
		c.data = append(append(c.data, uint64(s.start(i))), p.pack(v)...)
	}
	return c
}

func (s *steps) len() int { return len(s.data) / s.step }

// start returns the time at which step i begins, and end the time at which it ends.
func (s *steps) start(i int) bookahead.Time { return bookahead.Time(s.data[i*s.step]) }

func (s *steps) end(i int) bookahead.Time {
	i = (i + 1) * s.step
	if i < len(s.data) {
		return bookahead.Time(s.data[i])
	}
	return bookahead.MaxTime
}

// row returns the free amounts of step i.
func (s *steps) row(i int) []uint64 { return s.data[i*s.step+1 : (i+1)*s.step] }

// amountAt returns the free amount of a resource in step i.
func (s *steps) amountAt(i, r int) int64 { return s.amount(s.row(i), r) }

// overbooked reports whether a closed node is held in step i: the free amount of some resource is negative.
func (s *steps) overbooked(i int) bool {
	for r := range s.fields {
		if s.amountAt(i, r) < 0 {
			return true
		}
	}
	return false
}

// set sets the free amount of a resource in step i.
func (s *steps) set(i, r int, amount int64) {
	f := &s.fields[r]
	word := &s.row(i)[f.word]
	*word = *word&^(f.mask<<f.shift) | uint64(amount+f.bias)<<f.shift
}

// at returns the step that contains t, which is not in the past.
func (s *steps) at(t bookahead.Time) int { return s.behind(0, t) }

// behind returns the step that contains t, which is step i or one behind it. O(log k) if it is k steps behind, or
// O(log v) of v steps if i is 0.
func (s *steps) behind(i int, t bookahead.Time) int {
	low, high := i, s.len()
	for by := 1; i > 0 && low+by < high; by *= 2 {
		if s.start(low+by) > t {
			high = low + by
			break
		}
		low += by
	}
	for low < high {
		mid := int(uint(low+high) / 2)
		if s.start(mid) <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low - 1
}

// least writes the amount of each resource that is free throughout w. O(log v + s) for s of v steps.
func (s *steps) least(w bookahead.Interval, into Vector) {
	i := s.at(w.Start)
	for r := range into {
		into[r] = s.amountAt(i, r)
	}
	for s.end(i) < w.End {
		i++
		for r := range into {
			into[r] = min(into[r], s.amountAt(i, r))
		}
	}
}

// leastOf is least, but if a need is not free throughout w it stops and returns false.
func (s *steps) leastOf(w bookahead.Interval, need []uint64, into Vector) bool {
	for i := s.at(w.Start); s.covers(s.row(i), need); i++ {
		for r := range into {
			amount := s.amountAt(i, r)
			if s.start(i) > w.Start {
				amount = min(amount, into[r])
			}
			into[r] = amount
		}
		if s.end(i) >= w.End {
			return true
		}
	}
	return false
}

// gap is the last stretch before a start in which too little is free on a node. The node serves no window that
// begins between the time from which a start was sought and the end of the gap, because the free stretches
// before the gap are too short.
//
//	sought from 0 for 15 ticks      free    ████░░░░████████░░░░████████████████
//	                                time    0   5   10      20  25
//	the gap is [20, 25), and short is 10
type gap struct {
	bookahead.Interval
	short bookahead.Time // the longest free stretch before the gap
	free  bookahead.Time // the node is free from the end of the gap at least until this time
	step  int            // the last step that was read: it does not begin behind free
}

// first returns the first start from t to last from which the need stays free for d, as the end of the gap
// before it, and whether there is such a start. If there is none, the gap ends after last. The caller knows
// that the need is free from t to known, and that known lies in step at or behind it; a known that equals t,
// and a step 0, say nothing. O(log v + s) for the s of v steps read after known.
func (s *steps) first(at int, t, known, last, d bookahead.Time, need []uint64) (g gap, ok bool) {
	g.Start, g.End, g.free = t, t, known
	i, n := s.behind(at, known), s.len()
	for ; i < n && g.End <= last && g.free-g.End < d; i++ {
		if s.covers(s.row(i), need) {
			g.free = s.end(i)
			continue
		}
		if g.End < s.start(i) {
			g.short = max(g.short, s.start(i)-g.End)
			g.Start = s.start(i)
		}
		g.End, g.free = s.end(i), s.end(i)
	}
	g.step = max(0, i-1)
	switch {
	case g.End > last:
		return g, false
	case g.free-g.End >= d:
		return g, true
	}
	g.short = max(g.short, g.free-g.End) // the rest of the axis is too short
	g.Start, g.End, g.free = bookahead.MaxTime, bookahead.MaxTime, bookahead.MaxTime
	return g, false
}

// lasts returns until when the need is free, given that it is free until known. It stops reading as soon as
// the need is known to be free until to.
func (s *steps) lasts(known, to bookahead.Time, need []uint64) bookahead.Time {
	for i := s.at(known); known < to && s.covers(s.row(i), need); i++ {
		known = s.end(i)
	}
	return known
}

// change adds a vector to the free amounts throughout w, so many times. atStart and atEnd are the numbers of
// steps that begin at the two ends of w now, less those that did before: -1, 0 or 1. O(v).
func (s *steps) change(w bookahead.Interval, by Vector, times int64) (atStart, atEnd int) {
	i, j, atStart, atEnd := s.split(w)
	var delta [MaxResources]uint64
	s.delta(times, by, delta[:])
	for row := i * s.step; row < j*s.step; row += s.step {
		for x, word := range delta[:s.words] {
			s.data[row+1+x] += word
		}
	}
	atEnd -= s.merge(j)
	atStart -= s.merge(i)
	return atStart, atEnd
}

// split makes a step begin at each end of w, and returns the two steps and how many were made for each end:
//
//	w              ├──────────┤
//	steps      │       │         │       before
//	           │   │   │      │  │       after: first is 1, end is 3, and one step was made for each
//
// No step begins at the end of the axis; then end is behind the last step. The steps behind the end move
// first, so that each step is moved once and none is overwritten.
func (s *steps) split(w bookahead.Interval) (first, end, atStart, atEnd int) {
	n := s.len()
	i, j := s.at(w.Start), n-1
	if s.start(i) < w.Start {
		atStart = 1
	}
	if w.End < bookahead.MaxTime {
		j = s.behind(i, w.End)
		if s.start(j) < w.End {
			atEnd = 1
		}
	}
	s.grow(atStart + atEnd)
	s.move(j+1, n, atStart+atEnd)
	if atEnd > 0 {
		s.copy(j, j+1+atStart, w.End)
	}
	s.move(i+1, j+1, atStart)
	if atStart > 0 {
		s.copy(i, i+1, w.Start)
	}
	end = j + atStart + atEnd
	if w.End == bookahead.MaxTime {
		end = n + atStart
	}
	return i + atStart, end, atStart, atEnd
}

// grow makes room for n more steps. The spare room is small, because there are many nodes.
func (s *steps) grow(n int) {
	more := len(s.data) + n*s.step
	if more > cap(s.data) {
		s.data = append(make([]uint64, 0, more+more/8+2*s.step), s.data...)
	}
	s.data = s.data[:more]
}

// move moves steps i to j by n places.
func (s *steps) move(i, j, n int) { copy(s.data[(i+n)*s.step:], s.data[i*s.step:j*s.step]) }

// copy makes step j a copy of step i that begins at t.
func (s *steps) copy(i, j int, t bookahead.Time) {
	s.data[j*s.step] = uint64(t)
	copy(s.row(j), s.row(i))
}

// merge joins step i to the step before if their amounts are equal, and returns how many steps are gone: 0 or
// 1.
func (s *steps) merge(i int) int {
	if i == 0 || i == s.len() || !slices.Equal(s.row(i), s.row(i-1)) {
		return 0
	}
	s.data = slices.Delete(s.data, i*s.step, (i+1)*s.step)
	return 1
}

// forget drops the steps that have ended by now, if they are at least eight and a quarter of all: so the cost
// of moving the others is spread over many steps.
func (s *steps) forget(now bookahead.Time) {
	const few = 8
	n := s.len()
	if n > few && s.start(max(few, n/4)) <= now {
		s.data = slices.Delete(s.data, 0, s.at(now)*s.step)
	}
}

// enough reports whether the free amounts cover the need. A resource of which nothing is needed does not
// matter, even if it is overbooked.
func enough(free, need Vector) bool {
	for r, n := range need {
		if n > 0 && free[r] < n {
			return false
		}
	}
	return true
}
