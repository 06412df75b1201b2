package plan

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// line puts a job that has no place into the line: of those that wait, or of those that are held.
func (q *Queue) line(j *job) {
	j.state, j.tried = Held, 0
	if j.after > 0 {
		return
	}
	if j.NotBefore > q.now {
		q.asleep.ReplaceOrInsert(j)
		return
	}
	j.state = Waiting
	q.stand(j)
	q.scan.fresh = append(q.scan.fresh, j)
}

// stand puts a job into its turn in the line, and among those of its kind.
func (q *Queue) stand(j *job) {
	q.waiting = insert(q.waiting, j, q.turn)
	j.kind.line = insert(j.kind.line, j, q.turn)
	if len(j.kind.line) == 1 {
		q.list(j.kind)
	}
}

// list puts a kind that has begun to wait among those that a round asks.
func (q *Queue) list(k *kind) {
	if k.like == nil {
		q.mixed = append(q.mixed, k)
		return
	}
	list := &q.single[k.on()]
	i, _ := slices.BinarySearchFunc(*list, k, byUnits)
	*list = slices.Insert(*list, i, single{k.want, k})
}

// unlist takes a kind out of which nobody waits any more. It does not hear of what is given back, so nothing is known of its places.
func (q *Queue) unlist(k *kind) {
	k.line, k.bound, k.open = nil, 0, bookahead.Interval{}
	if k.like == nil {
		i := slices.Index(q.mixed, k)
		q.mixed = slices.Delete(q.mixed, i, i+1)
		return
	}
	list := &q.single[k.on()]
	i, _ := slices.BinarySearchFunc(*list, k, byUnits)
	for (*list)[i].kind != k {
		i++ // it asks for other servers, or for other tasks
	}
	*list = slices.Delete(*list, i, i+1)
}

func insert(list []*job, j *job, turn func(a, b *job) int) []*job {
	i, _ := slices.BinarySearchFunc(list, j, turn)
	return slices.Insert(list, i, j)
}

// unline takes a job out of the line.
func (q *Queue) unline(j *job) {
	switch j.state {
	case Held:
		q.asleep.Delete(j)
	case Running:
		q.running.Delete(j)
	default:
		q.waiting = remove(q.waiting, j, q.turn)
		j.kind.line = remove(j.kind.line, j, q.turn)
		if len(j.kind.line) == 0 {
			q.unlist(j.kind)
		}
		if j.state >= Promised {
			q.unplace(j)
		}
		q.scan.fresh = slices.DeleteFunc(q.scan.fresh, func(x *job) bool { return x == j })
		q.scan.all = q.scan.all || j.state != Starting // the next one is first now
	}
}

// remove looks for a job where its turn is. The order may have moved since the job was put there: then it goes through the list.
func remove(list []*job, j *job, turn func(a, b *job) int) []*job {
	i, found := slices.BinarySearchFunc(list, j, turn)
	if !found {
		i = slices.Index(list, j)
	}
	return slices.Delete(list, i, i+1)
}

// sort puts the line into its turns, if these move with use.
func (q *Queue) sort() {
	if !q.config.Order.moves() {
		return
	}
	slices.SortFunc(q.waiting, q.turn)
	for _, j := range q.waiting {
		j.kind.line = j.kind.line[:0]
	}
	for _, j := range q.waiting {
		j.kind.line = append(j.kind.line, j)
	}
}

// inTurn returns the line. If turns move with use, the list of those that wait has the turns of the last Pass.
func (q *Queue) inTurn() []*job {
	if !q.config.Order.moves() {
		return q.waiting
	}
	return slices.SortedFunc(slices.Values(q.waiting), q.turn)
}

// turn compares two waiting jobs: negative if it is a's turn first.
func (q *Queue) turn(a, b *job) int {
	if q.config.Order.compare != nil {
		if c := q.config.Order.compare(&a.Job, &b.Job, &q.used); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.seq, b.seq))
}

// set gives a job in the line another state.
func (q *Queue) set(j *job, to State) {
	had, has := j.state >= Promised, to >= Promised
	j.state = to
	switch {
	case has && !had:
		q.placed = append(q.placed, j)
	case had && !has:
		q.unplace(j)
	}
}

// unplace takes a job off the list of those that have a place in the line.
func (q *Queue) unplace(j *job) {
	i := slices.Index(q.placed, j)
	q.placed[i] = q.placed[len(q.placed)-1]
	q.placed = q.placed[:len(q.placed)-1]
}

// held returns the jobs that are held, each after those that it waits for, and else as they came in.
func (q *Queue) held() (list []*job) {
	waits := map[*job]int{}
	var ready []*job
	for _, j := range q.jobs {
		if j.state != Held {
			continue
		}
		for _, id := range j.After {
			if other := q.jobs[id]; other != nil && other.state == Held {
				waits[j]++
			}
		}
		if waits[j] == 0 {
			ready = append(ready, j)
		}
	}
	for len(ready) > 0 {
		slices.SortFunc(ready, func(a, b *job) int { return cmp.Compare(b.seq, a.seq) })
		j := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		list = append(list, j)
		for _, other := range j.before {
			waits[other]--
			if waits[other] == 0 {
				ready = append(ready, other)
			}
		}
	}
	return list
}
