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
	if q.config.Order.moves() || q.plain || q.bent > 0 {
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
		if !q.replan() {
			q.given = cover(q.given, rest)
			return false
		}
		q.sort()
		given := cover(q.given, rest)
		q.given, q.tight = bookahead.Interval{}, false
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
		again = how == newTurns || !q.given.Empty() || q.tight
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
	// Those who get no promise are looked at by kind.
	byKind := q.config.Backfill.overtake && depth == 0 && (!q.config.Preempt || promises > 0) && !q.config.Yield && !q.plain
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
