package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// steps is what is free on one node over time: times, in order, and the amounts that are free from
// each of them to the next. Each time lies beside its amounts, so that a look at a node waits for few
// lines of memory:
//
//	GPUs    ████████  ██░░░░         ████████    8 | 2 | 8
//	cores   ████████  ████░░         ████████   64 | 40 | 64
//	data    0 (8 64)  30 (2 40)      50 (8 64)   the amounts packed in a row
//
// An amount is negative where the node is closed while a reservation holds it.
type steps struct {
	*packing
	owner cow.Owner // of the machine that may write
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

// repack returns the same steps, packed in another way.
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

// start returns when step i starts, and end when it ends.
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

// amountAt returns what is free of a resource in step i.
func (s *steps) amountAt(i, r int) int64 { return s.amount(s.row(i), r) }

// overbooked reports whether more is held in step i than there is, of some resource.
func (s *steps) overbooked(i int) bool {
	for r := range s.fields {
		if s.amountAt(i, r) < 0 {
			return true
		}
	}
	return false
}

// set makes a resource free in step i.
func (s *steps) set(i, r int, amount int64) {
	f := &s.fields[r]
	word := &s.row(i)[f.word]
	*word = *word&^(f.mask<<f.shift) | uint64(amount+f.bias)<<f.shift
}

// at returns the step that contains t, which is not in the past.
func (s *steps) at(t bookahead.Time) int { return s.behind(0, t) }

// behind returns the step that contains t, which is step i or one behind it.
func (s *steps) behind(i int, t bookahead.Time) int {
	low, high := i, s.len()
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

// least writes the least of each resource that is free at some tick of w. O(log v + s) for s of v steps.
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

// holds reports whether an amount is free throughout w. O(log v + s) for s of v steps.
func (s *steps) holds(w bookahead.Interval, need []uint64) bool {
	i := s.at(w.Start)
	for s.covers(s.row(i), need) {
		if s.end(i) >= w.End {
			return true
		}
		i++
	}
	return false
}

// gap is a stretch in which a node has not what is needed throughout: no window that begins before
// its end can be served, from the time on at which the search for one began. What was free before
// it was too short.
type gap struct {
	bookahead.Interval
	short bookahead.Time // the longest that was free before
}

// first returns the first start from t to last from which an amount stays free for d, as the end of
// the gap before it; and whether there is one. If not, the gap ends behind last. O(log v + s) for the
// s of v steps that it passes.
func (s *steps) first(t, last, d bookahead.Time, need []uint64) (g gap, ok bool) {
	g.Start, g.End = t, t
	for i, n := s.at(t), s.len(); i < n && g.End <= last; i++ {
		end := s.end(i)
		switch {
		case !s.covers(s.row(i), need):
			if g.End < s.start(i) {
				g.short = max(g.short, s.start(i)-g.End)
				g.Start = s.start(i)
			}
			g.End = end
		case end-g.End >= d:
			return g, true
		}
	}
	if g.End <= last { // what is left of the axis is too short
		g.short = max(g.short, bookahead.MaxTime-g.End)
		g.Start, g.End = bookahead.MaxTime, bookahead.MaxTime
	}
	return g, false
}

// ceases returns the first start behind t from which an amount does not stay free for d, where it does
// from t on. If that is behind last, any time behind last is returned. O(log v + s) for the s of v
// steps that lie before.
func (s *steps) ceases(t, last, d bookahead.Time, need []uint64) bookahead.Time {
	i, n := s.behind(s.at(t), t+d-1), s.len()
	for i++; i < n && s.start(i)-d < last && s.covers(s.row(i), need); i++ {
	}
	return s.end(i-1) - d + 1
}

// change adds an amount of each resource throughout w, so many times. It returns by how many steps
// more begin at either end of w than before. O(v).
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

// split makes steps begin at both ends of w, and returns them, and how many it has made for each. No
// step begins at the end of the axis.
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

// grow makes room for n more steps: few at once, as there are many nodes.
func (s *steps) grow(n int) {
	more := len(s.data) + n*s.step
	if more > cap(s.data) {
		s.data = append(make([]uint64, 0, more+more/8+2*s.step), s.data...)
	}
	s.data = s.data[:more]
}

// move moves steps i to j by n places.
func (s *steps) move(i, j, n int) { copy(s.data[(i+n)*s.step:], s.data[i*s.step:j*s.step]) }

// copy makes step j like step i, but for its time.
func (s *steps) copy(i, j int, t bookahead.Time) {
	s.data[j*s.step] = uint64(t)
	copy(s.row(j), s.row(i))
}

// merge joins step i to the one before if nothing changes between them, and returns how many it has
// joined.
func (s *steps) merge(i int) int {
	if i == 0 || i == s.len() || !slices.Equal(s.row(i), s.row(i-1)) {
		return 0
	}
	s.data = slices.Delete(s.data, i*s.step, (i+1)*s.step)
	return 1
}

// forget drops the steps that have ended by now, if they are many.
func (s *steps) forget(now bookahead.Time) {
	const few = 8
	n := s.len()
	if n > few && s.start(max(few, n/4)) <= now {
		s.data = slices.Delete(s.data, 0, s.at(now)*s.step)
	}
}
