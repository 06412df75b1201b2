package plan

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// fill proposes starts, gives promises and moves promised jobs to earlier places, until nothing changes. It reports whether
// it came to the end.
func (q *Queue) fill() bool {
	var due []*job
	for _, j := range q.placed {
		if j.state == Promised && j.start == q.now {
			due = append(due, j)
		}
	}
	slices.SortFunc(due, q.turn)
	for _, j := range due {
		q.begin(j)
	}
	if q.config.Order.moves() || q.plain {
		q.scan.all = true
	}
	if !q.scan.all && !q.ahead() {
		slices.SortFunc(q.scan.fresh, q.turn)
		for len(q.scan.fresh) > 0 && q.config.Backfill.overtake {
			j := q.scan.fresh[0]
			if j.state == Waiting && !q.consider(j, q.config.Backfill.promises > len(q.waiting), false) {
				return false
			}
			q.scan.fresh = q.scan.fresh[1:]
		}
		q.scan.fresh = nil
		return true
	}
	rest := bookahead.Interval{}
	for again := true; again && q.fault == nil; {
		q.sort()
		given := cover(q.given, rest)
		q.given = bookahead.Interval{}
		how := q.round(given)
		if how == wholeLine {
			rest = bookahead.Interval{}
		} else {
			rest = given // others may move there yet
		}
		if how == noSteps {
			q.given = cover(q.given, rest)
			return false
		}
		again = how == newTurns || !q.given.Empty()
	}
	q.given = rest
	for on := range q.plan {
		if rest.Empty() {
			q.plan[on].given, q.plan[on].anyGiven = nil, false
		}
	}
	q.scan = scan{fresh: q.scan.fresh[:0]}
	return true
}

// ahead reports whether a fresh job may change what was decided for others: because it is one of the first, who get promises
// or must start before all others, or because the depth of the line or preemption counts.
func (q *Queue) ahead() bool {
	if q.config.Limits.Depth > 0 || q.config.Preempt {
		return true
	}
	most := q.config.Backfill.promises
	if most > len(q.waiting) {
		return false // each gets a promise beside the others
	}
	for _, j := range q.waiting {
		if j.state == Starting {
			continue
		}
		if slices.Contains(q.scan.fresh, j) {
			return true
		}
		if most == 0 {
			break
		}
		most--
	}
	return false
}

// The ends of a round.
const (
	wholeLine  = iota
	partOfLine // the others are beyond the depth of the line, or may not overtake
	newTurns   // have changed with use
	noSteps
)

// round goes through the line once, in turn, and returns how it has ended.
func (q *Queue) round(given bookahead.Interval) (how int) {
	heads, seen := 0, 0
	promises, depth := q.config.Backfill.promises, q.config.Limits.Depth
	// Of those who get no promise, only the first of each kind is looked at, unless a place was found for it.
	byKind := q.config.Backfill.overtake && depth == 0 && (!q.config.Preempt || promises > 0) && !q.plain
	for i, j := range q.waiting {
		if byKind && heads >= promises {
			return q.others(q.waiting[:i], given)
		}
		if j.state == Starting {
			continue
		}
		seen++
		if depth > 0 && seen > depth {
			return partOfLine
		}
		ok := q.look(j, given, heads < promises, heads == 0)
		switch {
		case !ok:
			return noSteps
		case j.state == Starting && q.config.Order.moves():
			return newTurns
		case j.state == Starting:
		case !q.config.Backfill.overtake:
			return partOfLine
		default:
			heads++
		}
	}
	return wholeLine
}

// look lets a job start or move if it can. It returns false if the steps do not suffice.
func (q *Queue) look(j *job, given bookahead.Interval, promised, first bool) bool {
	if j.state != Promised {
		return q.consider(j, promised, first)
	}
	if !q.improve(j, cover(given, q.given)) {
		return false
	}
	return j.state != Promised || q.preempt(j, first)
}

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

// contest is the jobs that may find a place: lines of jobs of one kind, each in turn.
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
