package plan

import (
	"cmp"
	"slices"
)

// exactTries bounds how many sets of victims are tried for one job. All sets of 12 running jobs are fewer.
const exactTries = 1 << 12

// preempt proposes that running jobs of a lower class give way to a job that cannot start: as few as can be, and of several
// sets the one whose most important job is the least important. The set is exact if it is found within exactTries; otherwise
// jobs go one by one, the least important first, and those that need not go stay. It returns false if the steps do not suffice.
//
// The least important is of the lowest class, then of the lowest priority, then the one that began last.
func (q *Queue) preempt(j *job, first bool) bool {
	if !q.yield(j) {
		return false
	}
	if j.state == Starting || !q.config.Preempt || j.kind.bends || j.from > q.now || !first && (q.config.Backfill.promises > 0 || !q.config.Backfill.overtake) {
		return true
	}
	list := q.lower(j)
	if len(list) == 0 {
		return true
	}
	x := victims{q: q, of: j, list: list, plan: q.plan.Clone()}
	placed := j.ids != nil
	f, places := &j.kind.forms[j.form], j.places
	if placed {
		q.fail(x.plan.release(f, j.ids))
	}
	set := x.fewest()
	if set == nil {
		return !x.stopped
	}
	if placed {
		q.fail(q.plan.release(f, j.ids))
	}
	for _, i := range set {
		v := list[i]
		q.fail(q.plan.release(&v.kind.forms[v.form], v.ids))
		v.ids, v.heir = nil, j
		j.victims = append(j.victims, v)
	}
	q.fail(q.take(j, x.form, x.at))
	if placed {
		q.gain(f, places)
	}
	for _, v := range j.victims {
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

// victims is the search for the jobs that give way to one. It tries on copies of the plan, because a place that is closed
// could not be booked again.
type victims struct {
	q       *Queue
	of      *job
	list    []*job
	plan    world // without the job itself
	tries   int
	stopped bool

	form int // where the job fits
	at   []Place
}

// fits reports whether the job fits now without the jobs of some indices.
func (x *victims) fits(set []int) bool {
	if x.lacks(set) {
		return false
	}
	plan := x.plan.Clone()
	for _, i := range set {
		v := x.list[i]
		x.q.fail(plan.release(&v.kind.forms[v.form], v.ids))
	}
	form, at, ok := x.q.fits(plan, x.of.kind)
	x.stopped = x.stopped || !ok
	if at == nil {
		return false
	}
	x.form, x.at = form, at
	return true
}

// lacks reports whether what is free now, and all that some jobs hold, is too little for the job: most sets need no other look.
func (x *victims) lacks(set []int) bool {
	k := x.of.kind
	if k.like == nil {
		return false
	}
	on, want := k.on(), ask{k.want.units, 1}
	for _, i := range set {
		f := &x.list[i].kind.forms[x.list[i].form]
		for n, p := range x.list[i].places {
			if of, _ := f.of(n); of == on && p.Contains(x.q.now) {
				want.units -= p.Units
			}
		}
	}
	x.plan[on].measure(x.q.now)
	return x.plan[on].room.lacks(want)
}

// fewest returns the indices of the jobs that give way; nil if there are none, or if nobody need give way.
func (x *victims) fewest() []int {
	if x.fits(nil) {
		return nil
	}
	var all []int
	for len(all) == 0 || !x.fits(all) {
		if len(all) == len(x.list) || x.stopped {
			return nil
		}
		all = append(all, len(all))
	}
	greedy := x.needed(all)
	// No set fits whose last index is below that of all, since all before it together do not.
	for size := 1; size < len(greedy); size++ {
		for last := max(len(all), size) - 1; last < len(x.list); last++ {
			set := x.choose([]int{last}, size-1)
			if set != nil {
				return set
			}
		}
	}
	if x.stopped || !x.fits(greedy) {
		return nil
	}
	return greedy
}

// needed returns the indices without those that need not go, the most important of which stay first.
func (x *victims) needed(all []int) (set []int) {
	for i := len(all) - 1; i >= 0; i-- {
		if !x.fits(slices.Concat(all[:i], set)) {
			set = append(set, i)
		}
	}
	slices.Sort(set)
	return set
}

// choose adds so many more jobs before those of a set that the job fits, and returns the set; nil if it does not fit, or if there were too many tries.
func (x *victims) choose(set []int, more int) []int {
	switch {
	case x.stopped || x.tries >= exactTries:
		return nil
	case more == 0:
		x.tries++
		if x.fits(set) {
			slices.Sort(set)
			return set
		}
		return nil
	}
	for i := more - 1; i < set[len(set)-1]; i++ {
		found := x.choose(append(slices.Clone(set), i), more-1)
		if found != nil {
			return found
		}
	}
	return nil
}
