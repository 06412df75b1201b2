package plan

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// contest is the jobs that get no promise and may find a place now, by kind. Jobs alike fit or do not fit together, so that only the
// first of a kind is looked at, and the next one if a place was found for it:
//
//	the line      a1 b1 a2 c1 b2 a3 c2
//	the contest   a: a1 a2 a3    b: b1 b2    c: c1 c2
//	looked at     a1 fits, b1 does not, a2 does not, c1 does not
//
// Most kinds are not even asked: they want more than the room that there is. Jobs that were promised a place before are in the
// contest as well, since they may move.
type contest struct {
	q      *Queue
	placed []*job   // that were promised a place, in turn
	lines  [][]*job // of jobs of one kind, each in turn
	sorted bool     // whether the lines are in turn, the last one first
	looks  int
}

// others goes through the jobs that come after some of the line; these others get no promise.
func (q *Queue) others(after []*job, given bookahead.Interval) (how int) {
	c := &contest{q: q, lines: q.lines}
	var last *job // that was looked at
	if len(after) > 0 {
		last = after[len(after)-1]
	}
	for _, j := range q.placed {
		if j.state == Promised && c.isBehind(j, last) {
			c.placed = append(c.placed, j)
		}
	}
	slices.SortFunc(c.placed, q.turn)
	c.gather(last)
	defer c.leave()
	for {
		line, age := c.next(), q.age
		if line == nil {
			return wholeLine
		}
		last = line[0]
		if last.state == Waiting && q.hopeless(last.kind) { // less is free by now
			c.sift()
			continue
		}
		c.looks++
		if !q.look(last, given, false, false) {
			return noSteps
		}
		if last.state == Starting && q.config.Order.moves() {
			return newTurns
		}
		if q.age != age { // something was given back
			c.gather(last)
			continue
		}
		line = c.able(line[1:])
		if len(line) > 0 && !q.hopeless(last.kind) {
			c.add(line)
		}
	}
}

// isBehind reports whether it is the turn of a job after that of another; nil stands for the begin of the line.
func (c *contest) isBehind(j, other *job) bool { return other == nil || c.q.turn(other, j) < 0 }

// gather makes the lines anew: for each kind that may fit, its jobs behind the last one that was looked at.
func (c *contest) gather(last *job) {
	clear(c.lines)
	c.lines, c.sorted = c.lines[:0], false
	for on, kinds := range c.q.single {
		m := &c.q.plan[on]
		if len(kinds) > few {
			m.measure(c.q.now)
		}
		most := m.room.most()
		for _, k := range kinds {
			if k.units > most {
				break // and so do all that come after it
			}
			if !m.room.lacks(k.ask) {
				c.join(k.kind, last)
			}
		}
	}
	for _, k := range c.q.mixed {
		c.join(k, last)
	}
}

// join adds the jobs of a kind, if they may fit.
func (c *contest) join(k *kind, last *job) {
	if c.q.hopeless(k) {
		return
	}
	line := k.line
	if last != nil {
		i, found := slices.BinarySearchFunc(line, last, c.q.turn)
		if found {
			i++
		}
		line = line[i:]
	}
	line = c.able(line)
	if len(line) > 0 {
		c.lines = append(c.lines, line)
	}
}

// able returns a line from the first job on that has no place, and is not postponed.
func (c *contest) able(line []*job) []*job {
	for len(line) > 0 && (line[0].state >= Promised || line[0].from > c.q.now) {
		line = line[1:]
	}
	return line
}

// next takes out the job whose turn it is, with those of its kind behind it; nil if there is none. The first few are looked
// for among all, since most others are sifted out after these. Then the lines are sorted.
func (c *contest) next() (line []*job) {
	if c.looks > few && !c.sorted {
		c.sorted = true
		slices.SortFunc(c.lines, c.turn)
	}
	end := len(c.lines) - 1
	if !c.sorted {
		first := end
		for i := range end {
			if c.turn(c.lines[i], c.lines[first]) > 0 {
				first = i
			}
		}
		if first >= 0 {
			c.lines[first], c.lines[end] = c.lines[end], c.lines[first]
		}
	}
	if len(c.placed) > 0 && (end < 0 || c.q.turn(c.placed[0], c.lines[end][0]) < 0) {
		line, c.placed = c.placed[:1], c.placed[1:]
		return line
	}
	if end < 0 {
		return nil
	}
	line, c.lines[end] = c.lines[end], nil
	c.lines = c.lines[:end]
	return line
}

// turn is negative if it is b's turn first.
func (c *contest) turn(a, b []*job) int { return c.q.turn(b[0], a[0]) }

// add puts a line where its turn is.
func (c *contest) add(line []*job) {
	i := len(c.lines)
	if c.sorted {
		i, _ = slices.BinarySearchFunc(c.lines, line, c.turn)
	}
	c.lines = slices.Insert(c.lines, i, line)
}

// sift takes out the lines whose jobs do not fit any more. Once the lines are sorted, they are asked when their turn comes.
func (c *contest) sift() {
	if !c.sorted {
		c.lines = slices.DeleteFunc(c.lines, func(line []*job) bool { return c.q.hopeless(line[0].kind) })
	}
}

// leave keeps the memory of the lines for the next contest, and no job in it.
func (c *contest) leave() {
	clear(c.lines)
	c.q.lines = c.lines[:0]
}
