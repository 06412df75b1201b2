package plan

import (
	"cmp"
	"errors"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// replan plans what is left of running jobs that bend anew, those first that began first, and moves the rest that ends earlier so, or
// that would run into an outage. Others may get what it gives back. It returns false if the steps do not suffice.
func (q *Queue) replan() bool {
	list := q.bending()
	for again := len(list) > 0; again; {
		again = false
		for _, j := range list {
			if j.tried == q.age || j.lost || j.heir != nil || j.overran != Never {
				continue
			}
			f := &j.kind.forms[j.form]
			if !q.meter.Spend(f.steps) {
				return false
			}
			moved, ok := q.reroute(j, f)
			if !ok {
				return false
			}
			again = moved || again
		}
	}
	return true
}

// bending returns the running jobs that bend, by their starts.
func (q *Queue) bending() (list []*job) {
	if q.bent == 0 {
		return nil
	}
	return q.eldest(func(j *job) bool { return j.kind.forms[j.form].bends() })
}

// eldest returns some of the running jobs, those first that began first.
func (q *Queue) eldest(of func(*job) bool) (list []*job) {
	q.running.Ascend(func(j *job) bool {
		if of(j) {
			list = append(list, j)
		}
		return true
	})
	slices.SortFunc(list, func(a, b *job) int { return cmp.Or(cmp.Compare(a.began, b.began), cmp.Compare(a.seq, b.seq)) })
	return list
}

// reroute plans the rest of a running job, and moves it there if it ends earlier so, or cannot stay. All is tried on copies, since a place that is
// closed could not be booked again. It returns false if the search was stopped.
func (q *Queue) reroute(j *job, f *form) (moved, ok bool) {
	on, p := f.of(0)
	plan := world{q.plan[on]}.Clone()
	q.fail(plan[0].releaseAll(j.ids))
	at, err := plan[0].rest(q.meter.Rest(1).Context, p, j.places, q.now)
	if err == nil && span(at).End >= j.end && (len(q.known) == 0 || !q.firm[on].blocks(j.places, q.now)) {
		err = bookahead.ErrUnavailable
	}
	if err == nil && p.Volume != nil && holds(j.places, q.now) && !holds(at, q.now) { // its units are closed: they are its own until it is Lost
		err = bookahead.ErrUnavailable
	}
	var ids []bookahead.ID
	if err == nil {
		ids, err = plan[0].reserveRest(p, at, q.now)
	}
	switch {
	case errors.Is(err, bookahead.ErrStopped):
		return false, false
	case err == bookahead.ErrUnavailable:
		j.tried = q.age
		return false, true
	case err != nil:
		q.fail(err)
		return false, true
	}
	firm := world{q.firm[on]}.Clone()
	q.fail(firm[0].releaseAll(j.firm))
	_, err = firm[0].reserveRest(p, at, q.now)
	if err != nil {
		return false, true // others have booked there, or a job has not given way yet
	}
	q.plan[on] = plan[0]
	q.fail(q.firm[on].releaseAll(j.firm))
	q.reset(j, at, ids)
	j.tried = q.age
	return true, true
}

// holds reports whether one of some places has a tick.
func holds(at []Place, t bookahead.Time) bool {
	return slices.ContainsFunc(at, func(x Place) bool { return x.Contains(t) })
}

// reset books the rest of a running job, whose own place is free on the caller's schedule, and has its places in the plan.
func (q *Queue) reset(j *job, at []Place, ids []bookahead.ID) {
	f := &j.kind.forms[j.form]
	on, p := f.of(0)
	var err error
	j.firm, err = q.firm[on].reserveRest(p, at, q.now)
	q.fail(err)
	old := j.places
	q.running.Delete(j)
	q.settle(j, q.now)
	j.places, j.ids, j.end = at, ids, span(at).End
	q.settleUp(j, q.now)
	q.running.ReplaceOrInsert(j)
	if i := j.told / 2; i >= len(at) || at[i].Units != old[i].Units {
		j.told = -1 // the place that the caller was told has other units now
	}
	q.gain(f, old)
}

// yield lets a job start that cannot otherwise, in the units of running volumes that may pause and have more left to do. As time goes by they have
// less left, so a job that cannot start in this way does not come to it before something is given back. It returns false if the steps do
// not suffice.
//
//	v  ▒▒▒▒▒▒▒▒▒▒▒▒        ▒▒▒▒░░░░▒▒▒▒▒▒▒▒
//	j          ░░░░            ░░░░
func (q *Queue) yield(j *job) bool {
	f := &j.kind.forms[0]
	if !q.config.Yield || len(j.kind.forms) > 1 || len(f.Shape) > 1 || j.from > q.now || j.ids == nil && j.kind.barred == q.age {
		return true
	}
	on, p := f.of(0)
	list := q.eldest(func(v *job) bool { return v.yields(on, q.now) > product(p.Units, p.Duration) })
	if len(list) == 0 {
		return true
	}
	slices.SortStableFunc(list, func(a, b *job) int { return cmp.Compare(a.yields(on, q.now), b.yields(on, q.now)) })
	if !q.meter.Spend(f.steps * int64(1+len(list))) {
		return false
	}
	plan, firm := slices.Clone(q.plan), world{q.firm[on]}.Clone()
	plan[on] = world{q.plan[on]}.Clone()[0]
	q.fail(plan[on].releaseAll(j.ids))
	for _, v := range list {
		q.fail(plan[on].releaseAll(v.ids))
		q.fail(firm[0].releaseAll(v.firm))
	}
	c := q.meter.Rest(1).Context
	at, err := plan.at(c, f, q.now)
	var own []bookahead.ID
	if err == nil {
		own, err = plan.reserve(f, at)
	}
	rests, ids := make([][]Place, len(list)), make([][]bookahead.ID, len(list))
	for i, v := range list {
		_, part := v.kind.forms[v.form].of(0)
		if err == nil {
			rests[i], err = plan[on].rest(c, part, v.places, q.now)
		}
		if err == nil {
			ids[i], err = plan[on].reserveRest(part, rests[i], q.now)
		}
		if err == nil {
			_, err = firm[0].reserveRest(part, rests[i], q.now)
		}
	}
	switch {
	case errors.Is(err, bookahead.ErrStopped):
		return false
	case err == bookahead.ErrUnavailable && j.ids == nil:
		j.kind.barred = q.age
		return true
	case err == bookahead.ErrUnavailable:
		return true
	case err != nil:
		q.fail(err)
		return true
	}
	q.plan[on] = plan[on]
	for _, v := range list {
		q.fail(q.firm[on].releaseAll(v.firm))
	}
	for i, v := range list {
		q.reset(v, rests[i], ids[i])
	}
	if j.ids != nil {
		q.gain(f, j.places)
	}
	w := span(at)
	j.places, j.ids, j.start, j.end = at, own, w.Start, w.End
	q.begin(j)
	q.taken()
	return true
}

// yields returns how much is left of a running volume on a schedule that may pause; 0 for any other job.
func (j *job) yields(on int, now bookahead.Time) uint64 {
	of, p := j.kind.forms[j.form].of(0)
	if of != on || !p.pauses() || j.began == now || j.lost || j.heir != nil || j.overran != Never {
		return 0
	}
	return uint64(max(0, p.work()-p.done(j.places, now)))
}

// begins reports whether a volume has begun now that may yield from the next tick on.
func (q *Queue) begins() (ok bool) {
	if !q.config.Yield || q.bent == 0 {
		return false
	}
	q.running.Ascend(func(j *job) bool {
		ok = j.began == q.now && j.kind.forms[j.form].Shape[0].pauses()
		return !ok
	})
	return ok
}

// blocks reports whether an outage is to come over one of the places of a job that runs.
func (m *member) blocks(at []Place, now bookahead.Time) bool {
	for i := range at {
		w := bookahead.Interval{Start: max(at[i].Start, now), End: at[i].End}
		if w.Empty() {
			continue
		}
		for o := range m.overbooked(w) {
			if at[i].meets(o.Servers) {
				return o.Start > now
			}
		}
	}
	return false
}

// swap moves the tasks of running parts that may swap off nodes that are closed now; those of the job first that began first. What
// has no room elsewhere is Lost. No promise is in the way of a part that runs: the plan is made anew.
func (q *Queue) swap() {
	looked := q.looked
	if q.stale {
		looked = -1 // closures may have changed
	}
	for on := range q.firm {
		m := &q.firm[on]
		if m.nodes == nil || !m.closesIn(looked, q.now) {
			continue
		}
		closed := m.lacking(q.now)
		if closed == nil {
			continue
		}
		for _, j := range q.eldest(func(j *job) bool { return !j.lost }) {
			for i := range j.places {
				of, p := j.kind.forms[j.form].of(i)
				if of != on || !p.Swap || j.firm[i] == 0 || !j.places[i].Contains(q.now) {
					continue
				}
				to, ok := m.swap(j.firm[i], j.places[i], closed.named)
				if ok {
					j.places = slices.Clone(j.places) // the caller has the old ones
					j.places[i], q.stale = to, true
					q.swapped = append(q.swapped, Change{j.ID, []Place{to}})
				}
			}
		}
	}
}

// swap moves the tasks of a reservation off all closed nodes, or off none. It returns the new place, and false if nothing has moved.
func (m *member) swap(id bookahead.ID, x Place, closed map[int]bool) (to Place, ok bool) {
	gone := slices.DeleteFunc(x.on(), func(k int) bool { return !closed[k] })
	slices.Sort(gone)
	gone = slices.Compact(gone)
	trial := m.nodes
	if len(gone) > 1 {
		trial = m.nodes.Clone()
	}
	for _, on := range []*nodes.Machine{trial, m.nodes} {
		for _, k := range gone {
			res, err := on.Swap(id, k)
			if err != nil {
				return x, false
			}
			x.Nodes, x.Head = res.Tasks, res.Head
		}
		if on == m.nodes {
			break
		}
	}
	return x, len(gone) > 0
}

// releaseAll gives back what is left of some places.
func (m *member) releaseAll(ids []bookahead.ID) error {
	for _, id := range ids {
		err := m.release(id)
		if err != nil && err != bookahead.ErrNotFound {
			return err
		}
	}
	return nil
}

// reserveRest books the places of a part from now on, and returns an ID for each, 0 for those that are over.
func (m *member) reserveRest(p *Part, at []Place, now bookahead.Time) ([]bookahead.ID, error) {
	ids := make([]bookahead.ID, len(at))
	for i, x := range at {
		x.Start = max(x.Start, now)
		if x.Empty() {
			continue
		}
		id, err := m.reserve(&x, p)
		if err != nil {
			return ids, err
		}
		ids[i] = id
	}
	return ids, nil
}

// phase returns where a running job that bends is: 2i if it holds place i, and 2i+1 if it pauses after that.
func (j *job) phase(now bookahead.Time) int {
	i := 0
	for i+1 < len(j.places) && j.places[i+1].Start <= now {
		i++
	}
	if j.places[i].End <= now {
		return 2*i + 1
	}
	return 2 * i
}

// changes returns what running jobs hold from now on, as far as the caller does not know it.
func (q *Queue) changes() (list []Change) {
	for _, j := range q.bending() {
		n := j.phase(q.now)
		if n == j.told {
			continue
		}
		paused := j.told >= 0 && j.told%2 == 1
		j.told = n
		switch {
		case n%2 == 0:
			list = append(list, Change{j.ID, []Place{j.places[n/2]}})
		case !paused:
			list = append(list, Change{Job: j.ID})
		}
	}
	return list
}
