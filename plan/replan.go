package plan

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// replan plans what is left of running jobs that bend anew, those first that began first, and moves what ends earlier so. What it
// gives back, others may get. It returns false if the steps do not suffice.
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
			again = q.shorten(j, f) || again
		}
	}
	return true
}

// bending returns the running jobs that bend, by their starts.
func (q *Queue) bending() (list []*job) {
	if q.bent == 0 {
		return nil
	}
	q.running.Ascend(func(j *job) bool {
		if j.kind.forms[j.form].bends() {
			list = append(list, j)
		}
		return true
	})
	slices.SortFunc(list, func(a, b *job) int { return cmp.Or(cmp.Compare(a.began, b.began), cmp.Compare(a.seq, b.seq)) })
	return list
}

// shorten plans the rest of a running job, and reports whether it moves there, since it ends earlier. All is tried on copies, since a place that is
// closed could not be booked again.
func (q *Queue) shorten(j *job, f *form) bool {
	on, p := f.of(0)
	plan := world{q.plan[on]}.Clone()
	q.fail(plan[0].releaseAll(j.ids))
	at, err := plan[0].rest(q.meter.Rest(1).Context, p, j.places, q.now)
	var ids []bookahead.ID
	if err == nil && span(at).End < j.end {
		ids, err = plan[0].reserveRest(p, at, q.now)
	}
	if err != nil || ids == nil {
		j.tried = q.age
		return false
	}
	firm := world{q.firm[on]}.Clone()
	q.fail(firm[0].releaseAll(j.firm))
	_, err = firm[0].reserveRest(p, at, q.now)
	if err != nil {
		return false // others have booked there, or a job has not given way yet
	}
	q.plan[on] = plan[0]
	q.fail(q.firm[on].releaseAll(j.firm))
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
	j.tried = q.age
	return true
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
