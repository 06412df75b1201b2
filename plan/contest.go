package plan

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// others goes through the jobs behind some, who get no promise. Most are passed over without a look: they wait behind one of
// their kind that does not fit, or ask for more than there is now.
func (q *Queue) others(before []*job, given bookahead.Interval) (how int) {
	var last *job
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	c := q.contenders(last)
	for len(c.lines) > 0 {
		line, age := c.next(), q.age
		last = line[0]
		if last.state == Waiting && q.hopeless(last.kind) { // less is free by now
			c.sift()
			continue
		}
		c.looks++
		if !q.look(last, given, false, false) {
			return noSteps
		}
		switch {
		case last.state == Starting && q.config.Order.moves():
			return newTurns
		case q.age != age: // something was given back
			c = q.contenders(last)
			continue
		case last.state == Starting && len(c.lines) > few:
			for on := range q.plan {
				q.plan[on].measure(q.now)
			}
		}
		line = unplaced(line[1:])
		if len(line) > 0 && !q.hopeless(last.kind) {
			c.add(line)
		}
	}
	return wholeLine
}

// contest is the jobs behind the first ones that may find a place now, by kind. Jobs alike fit or do not fit together, so that
// only the first of a kind is looked at, unless it has found a place:
//
//	the line      a1 b1 a2 c1 b2 a3 c2
//	the contest   a: a1 a2 a3    b: b1 b2    c: c1 c2
//	looked at     a1 fits, b1 does not, a2 does not, c1 does not
//
// Most kinds are not even asked: they want more than the room that there is.
type contest struct {
	q      *Queue
	lines  [][]*job
	looks  int  // for the first of all
	sorted bool // whether the lines are in turn, the last one first
}

// next takes out the line whose turn it is. The first few are looked for, since most others are sifted out after these. Then the
// lines are sorted.
func (c *contest) next() (line []*job) {
	if c.looks > few && !c.sorted {
		c.sorted = true
		slices.SortFunc(c.lines, c.turn)
	}
	last := len(c.lines) - 1
	if !c.sorted {
		first := last
		for i := range last {
			if c.turn(c.lines[i], c.lines[first]) > 0 {
				first = i
			}
		}
		c.lines[first], c.lines[last] = c.lines[last], c.lines[first]
	}
	line, c.lines = c.lines[last], c.lines[:last]
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

// sift takes out the lines whose jobs do not fit any more.
func (c *contest) sift() {
	c.lines = slices.DeleteFunc(c.lines, func(line []*job) bool { return line[0].state == Waiting && c.q.hopeless(line[0].kind) })
}

// contenders returns the jobs in turn behind one: each that has a place, which may move, alone, and those of each kind that may
// fit. nil stands for the begin of the line.
func (q *Queue) contenders(last *job) *contest {
	c := &contest{q: q, lines: q.lines[:0]}
	for _, j := range q.placed {
		if j.state == Promised && (last == nil || q.turn(last, j) < 0) {
			c.lines = append(c.lines, []*job{j})
		}
	}
	for on, kinds := range q.single {
		m := &q.plan[on]
		if len(kinds) > few {
			m.measure(q.now)
		}
		most := m.room.most()
		for _, k := range kinds {
			if k.units > most {
				break // and all that come after it
			}
			if !m.room.lacks(k.ask) {
				c.join(k.kind, last)
			}
		}
	}
	for _, k := range q.mixed {
		c.join(k, last)
	}
	q.lines = c.lines
	return c
}

// join adds the jobs of a kind behind one, if they may fit.
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
	line = unplaced(line)
	if len(line) > 0 {
		c.lines = append(c.lines, line)
	}
}

// few is a number of kinds that are sooner searched for than sorted out.
const few = 4

// unplaced returns a line from the first job on that has no place.
func unplaced(line []*job) []*job {
	for len(line) > 0 && line[0].state >= Promised {
		line = line[1:]
	}
	return line
}
