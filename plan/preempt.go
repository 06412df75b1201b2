package plan

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// exactTries bounds how many sets of victims are tried for one job. All sets of 12 running jobs are fewer.
const exactTries = 1 << 12

// preempt proposes that running jobs of a lower class give way to a job that cannot start: as few as can be, and of several
// sets the one whose most important job is the least important. The set is exact if it is found within exactTries; otherwise
// jobs go one by one, the least important first, and those that need not go stay. It returns false if the steps do not suffice.
//
// The least important is of the lowest class, then of the lowest priority, then the one that began last.
func (q *Queue) preempt(j *job, first bool) bool {
	if !q.config.Preempt || !first && (q.config.Backfill.promises > 0 || !q.config.Backfill.overtake) {
		return true
	}
	list := q.lower(j)
	if len(list) == 0 {
		return true
	}
	form, places := j.form, j.places
	placed := j.ids != nil
	if placed {
		q.fail(q.plan.release(&j.kind.forms[form], j.ids))
		j.ids = nil
	}
	x := victims{q: q, of: j, list: list}
	set := x.fewest()
	if set == nil {
		if placed {
			q.fail(q.take(j, form, places))
		}
		return !x.stopped
	}
	q.fail(q.take(j, x.form, x.at))
	if placed {
		q.gain(&j.kind.forms[form], places)
	}
	for _, v := range set {
		v.heir = j
		j.victims = append(j.victims, v)
		q.gain(&v.kind.forms[v.form], v.places)
	}
	q.begin(j)
	return true
}

// lower returns the running jobs that may give way to a job, the least important first.
func (q *Queue) lower(j *job) (list []*job) {
	q.running.Ascend(func(v *job) bool {
		if v.Preemptible && v.Class < j.Class && v.heir == nil && j.kind.meets(v) {
			list = append(list, v)
		}
		return true
	})
	slices.SortFunc(list, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Priority, b.Priority), cmp.Compare(b.began, a.began), cmp.Compare(b.seq, a.seq))
	})
	return list
}

// meets reports whether a job lies on a schedule on which the kind may lie.
func (k *kind) meets(v *job) bool {
	for i := range k.forms {
		for _, on := range k.forms[i].on {
			if slices.Contains(v.kind.forms[v.form].on, on) {
				return true
			}
		}
	}
	return false
}

// victims is the search for the jobs that give way to one.
type victims struct {
	q       *Queue
	of      *job
	list    []*job
	out     []int // indices of those that are out of the plan
	tries   int
	stopped bool

	form int // where the job fits
	at   []Place
}

func (x *victims) remove(i int) {
	v := x.list[i]
	x.q.fail(x.q.plan.release(&v.kind.forms[v.form], v.ids))
	x.out = append(x.out, i)
}

// restore puts the last one back that was removed.
func (x *victims) restore() {
	v := x.list[x.out[len(x.out)-1]]
	x.out = x.out[:len(x.out)-1]
	x.put(v)
}

// put books a victim in the plan again. A part that is over has no place any more.
func (x *victims) put(v *job) {
	f := &v.kind.forms[v.form]
	for i := range v.places {
		p := v.places[i]
		if p.End <= x.q.now || v.firm[i] == 0 {
			continue
		}
		p.Start = max(p.Start, x.q.now)
		id, err := x.q.plan[f.on[i]].reserve(&p, &f.Shape[i])
		if err == bookahead.ErrUnavailable {
			x.q.stale = true // it lies on a closure
			continue
		}
		x.q.fail(err)
		v.ids[i] = id
	}
}

// fits reports whether the job fits now without those that are out.
func (x *victims) fits() bool {
	form, at, ok := x.q.fits(x.of.kind)
	x.stopped = x.stopped || !ok
	if at == nil {
		return false
	}
	x.form, x.at = form, at
	return true
}

// fewest returns the jobs that give way, which are out of the plan then; nil if there are none.
func (x *victims) fewest() []*job {
	if x.fits() || x.stopped {
		return nil // nobody need give way
	}
	prefix := 0
	for fits := false; !fits; prefix++ {
		if prefix == len(x.list) || x.stopped {
			x.restoreAll()
			return nil
		}
		x.remove(prefix)
		fits = x.fits()
	}
	greedy := x.needed(prefix)
	x.restoreAll()
	// No set fits whose last index is below prefix - 1, since all of them together do not.
	for size := 1; size < len(greedy); size++ {
		for last := max(prefix, size) - 1; last < len(x.list); last++ {
			x.remove(last)
			if x.choose(last, size-1) {
				return x.chosen(x.out)
			}
			x.restore()
			if x.tries >= exactTries || x.stopped {
				size = len(greedy)
				break
			}
		}
	}
	x.restoreAll()
	for _, i := range greedy {
		x.remove(i)
	}
	if !x.fits() {
		x.restoreAll()
		return nil
	}
	return x.chosen(greedy)
}

// needed returns the indices of a prefix without those that need not go, the most important of which stay first.
func (x *victims) needed(prefix int) (set []int) {
	for i := prefix - 1; i >= 0; i-- {
		x.restoreAll()
		for k := range i {
			x.remove(k)
		}
		for _, k := range set {
			x.remove(k)
		}
		if !x.fits() {
			set = append(set, i)
		}
	}
	slices.Sort(set)
	return set
}

// choose removes so many more jobs below an index that the job fits, and reports whether it could.
func (x *victims) choose(below, more int) bool {
	if more == 0 {
		x.tries++
		return x.tries <= exactTries && x.fits()
	}
	for i := more - 1; i < below; i++ {
		x.remove(i)
		if x.choose(i, more-1) {
			return true
		}
		x.restore()
		if x.tries >= exactTries || x.stopped {
			return false
		}
	}
	return false
}

func (x *victims) restoreAll() {
	for len(x.out) > 0 {
		x.restore()
	}
}

func (x *victims) chosen(set []int) (list []*job) {
	slices.Sort(set)
	for _, i := range set {
		x.list[i].ids = nil
		list = append(list, x.list[i])
	}
	return list
}
