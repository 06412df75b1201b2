package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// find returns a job of the queue.
func (q *Queue) find(id ID) (*job, error) {
	j := q.jobs[id]
	if j == nil {
		return nil, fmt.Errorf("plan: job %q: %w", id, bookahead.ErrNotFound)
	}
	return j, nil
}

// Started says that a job, which the last Pass has proposed, has started. The queue books it on the caller's schedules to
// the letter. The jobs that give way to it must be gone by then, by Requeue, Ended or Withdraw.
//
// The error wraps bookahead.ErrUnavailable if others have booked there: the next Pass finds another place. It wraps
// bookahead.ErrNotFound if the queue has no such job, and bookahead.ErrInvalid if no Pass has proposed it. An error starts
// nothing.
func (q *Queue) Started(id ID) error {
	j, err := q.find(id)
	if err != nil {
		return err
	}
	if j.state != Starting {
		return limits.Invalid("job "+string(id), j.state.String(), "is not proposed by the last Pass")
	}
	if len(j.victims) > 0 {
		return limits.Invalid("job "+string(id), string(j.victims[0].ID), "still runs, and is to give way to it")
	}
	ids, err := q.firm.reserve(&j.kind.forms[j.form], j.places)
	if err != nil {
		q.Changed()
		return fmt.Errorf("plan: job %q: %w", id, err)
	}
	q.unline(j)
	j.firm, j.state, j.began, j.lost, j.told, j.tried = ids, Running, j.start, false, 0, 0
	q.running.ReplaceOrInsert(j)
	q.done = false
	return nil
}

// Ended says that a running job is over at a time, which is the last time that the queue was told or later. What is left of
// its estimate is given back, and jobs that wait for it may start. The error wraps bookahead.ErrNotFound if the queue has no
// such job, and bookahead.ErrInvalid if the job does not run, or the time is in the past.
func (q *Queue) Ended(now bookahead.Time, id ID) error {
	j, err := q.stop(now, id)
	if err != nil {
		return err
	}
	q.leave(j)
	for _, x := range j.before {
		x.After = slices.DeleteFunc(x.After, func(other ID) bool { return other == id })
		if x.after == 0 {
			continue // it was named twice
		}
		x.after = len(x.After)
		if x.after == 0 {
			q.line(x)
		}
	}
	j.before = nil // others may point to the job for a while
	return q.took()
}

// Requeue says that a running job has stopped at a time, and waits again: because it has failed or lost its node, or gives way
// to another. It begins anew, in its old turn, and has no promise. Errors are those of Ended.
func (q *Queue) Requeue(now bookahead.Time, id ID) error {
	j, err := q.stop(now, id)
	if err != nil {
		return err
	}
	j.promised, j.lost, j.overran = Never, false, Never
	q.line(j)
	return q.took()
}

// took returns the fault of a schedule, if there was one.
func (q *Queue) took() error {
	err := q.fault
	q.fault = nil
	return err
}

// stop takes a running job off its schedules.
func (q *Queue) stop(now bookahead.Time, id ID) (*job, error) {
	j, err := q.find(id)
	if err != nil {
		return nil, err
	}
	if j.state != Running {
		return nil, limits.Invalid("job "+string(id), j.state.String(), "does not run")
	}
	err = q.advance(now)
	if err != nil {
		return nil, err
	}
	f := &j.kind.forms[j.form]
	q.running.Delete(j)
	q.fail(q.firm.release(f, j.firm))
	if j.heir != nil {
		// The plan has its place already: it is the heir's.
		j.heir.victims = slices.DeleteFunc(j.heir.victims, func(x *job) bool { return x == j })
		j.heir = nil
	}
	q.giveBack(j)
	q.settle(j, now)
	j.firm = nil
	q.done = false
	return j, nil
}

// Withdraw takes a job out of the queue, with all jobs that come after it, and returns them as they were: the job itself, and then
// the others in the order in which they came in. A running job must have Ended, or be Requeued. The error wraps
// bookahead.ErrNotFound if the queue has no such job, and bookahead.ErrInvalid if one of them runs.
func (q *Queue) Withdraw(id ID) ([]Job, error) {
	first, err := q.find(id)
	if err != nil {
		return nil, err
	}
	list := []*job{first}
	for i := 0; i < len(list); i++ {
		if list[i].state == Running {
			return nil, limits.Invalid("job "+string(list[i].ID), "running", "cannot be withdrawn")
		}
		for _, x := range list[i].before {
			if !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	slices.SortFunc(list[1:], func(a, b *job) int { return cmp.Compare(a.seq, b.seq) })
	gone := make([]Job, len(list))
	for i, j := range list {
		gone[i] = j.Job.clone()
		q.unline(j)
		q.unpropose(j)
		q.giveBack(j)
		q.leave(j)
	}
	return gone, q.took()
}

// Change replaces a job that does not run by another of the same ID. It keeps its place among jobs of one time, and its
// promise if it asks for the same as before. A job that was postponed stays so. The error wraps bookahead.ErrNotFound if the queue has no such job, and
// bookahead.ErrInvalid if it runs, or if Submit would refuse the new job.
func (q *Queue) Change(to Job) error {
	j, err := q.find(to.ID)
	if err != nil {
		return err
	}
	if j.state == Running {
		return limits.Invalid("job "+string(to.ID), "running", "cannot be changed")
	}
	err = q.check(&to)
	if err == nil {
		err = q.checkAfter(&to)
	}
	if err != nil {
		return err
	}
	q.unline(j)
	q.unpropose(j)
	key, _ := q.keyOf(q.rounded(to.Shapes))
	if j.ids != nil && (j.promised == Never || to.NotBefore > j.start || string(key) != j.kind.key) {
		q.giveBack(j)
	}
	before := j.before
	q.leave(j)
	j.Job = to.clone()
	q.enter(j)
	j.before = before
	if j.ids != nil && j.state == Held {
		q.giveBack(j)
	}
	if j.ids == nil {
		j.promised, j.form, j.places = Never, 0, nil
	} else {
		q.set(j, Promised)
	}
	return q.took()
}

// checkAfter returns an error that wraps bookahead.ErrInvalid if a job would wait for itself, by way of others.
func (q *Queue) checkAfter(to *Job) error {
	seen := map[*job]bool{}
	list := []*job{q.jobs[to.ID]}
	for len(list) > 0 {
		j := list[len(list)-1]
		list = list[:len(list)-1]
		for _, x := range j.before {
			if !seen[x] {
				seen[x] = true
				list = append(list, x)
			}
		}
	}
	for _, id := range to.After {
		if seen[q.jobs[id]] {
			return limits.Invalid("Job.After", id, "comes after the job itself")
		}
	}
	return nil
}

// Postpone says that a job cannot start before a time, for a reason that no schedule shows: its launch has failed, or nodes are
// missing that a pool does not know of. A proposal or a promise before that time is taken back. Unlike a job that has a NotBefore, the
// job stays in the line: under EASY it counts as one of the first, and is promised a start from that time on. A later call has the
// last word, and one for the past lets the job start. The error wraps bookahead.ErrNotFound if the queue has no such job, and
// bookahead.ErrInvalid if it runs.
func (q *Queue) Postpone(id ID, until bookahead.Time) error {
	j, err := q.find(id)
	if err != nil {
		return err
	}
	if j.state == Running {
		return limits.Invalid("job "+string(id), "running", "cannot be postponed")
	}
	if until < j.from {
		q.given = cover(q.given, bookahead.Interval{Start: q.now, End: j.end}) // it may move there
		for on := range q.plan {
			q.plan[on].gave(nil)
		}
	}
	j.from, j.tried = max(0, until), 0
	q.scan.all, q.done = true, false
	if until > q.now && !slices.Contains(q.postponed, j) {
		q.postponed = append(q.postponed, j)
	}
	if j.state >= Promised && j.start < until {
		q.unpropose(j)
		q.giveBack(j)
		q.set(j, Waiting)
		j.promised = Never
	}
	return q.took()
}

// ready returns the first tick at which a job may start.
func (q *Queue) ready(j *job) bookahead.Time { return max(q.now, j.from) }

// begin proposes that a job starts now, where it lies in the plan.
func (q *Queue) begin(j *job) {
	q.set(j, Starting)
	q.found++
	j.found = q.found
	q.settleUp(j, j.start)
}

// settleUp charges a job for its estimate, from a time on.
func (q *Queue) settleUp(j *job, from bookahead.Time) {
	if !q.config.Order.moves() {
		return
	}
	f := &j.kind.forms[j.form]
	j.cost, j.until, j.halved = f.units(), j.end, q.used.halved
	if f.bends() {
		j.cost = 1
	}
	q.used.charge(&j.Job, j.cost, j.charged(from))
}

// charged returns the ticks for which a job is charged from a time on. A job that bends costs 1, for all units times ticks that it holds.
func (j *job) charged(from bookahead.Time) bookahead.Duration {
	if !j.kind.forms[j.form].bends() {
		return bookahead.Duration(j.until - from)
	}
	n := uint64(0)
	for _, p := range j.places {
		n += min(math.MaxInt64-n, product(p.Units, bookahead.Duration(p.End-max(p.Start, from))))
	}
	return bookahead.Duration(n)
}

// settle gives a job that has stopped its charge back, for the time that it did not run.
func (q *Queue) settle(j *job, now bookahead.Time) {
	if j.cost > 0 && j.until > now {
		q.used.refund(&j.Job, j.cost, j.charged(now), q.used.halved-j.halved)
		q.scan.all = true
	}
	j.cost = 0
}

// unpropose takes the proposal to start a job back. Its place in the plan stays, but victims get theirs back with the next
// Pass.
func (q *Queue) unpropose(j *job) {
	if j.state != Starting {
		return
	}
	q.settle(j, j.start)
	for _, v := range j.victims {
		v.heir = nil
		q.stale = true
	}
	j.victims = nil
	q.set(j, Promised)
}
