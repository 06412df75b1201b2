package plan_test

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// fill goes through the line until no job has moved.
func (o *oracle) fill() {
	for _, j := range o.line() {
		if j.state == plan.Promised && j.start == o.now {
			o.begin(j)
		}
	}
	for again := true; again; {
		o.laid = false
		o.replan()
		again = o.round() || o.laid && slices.ContainsFunc(o.jobs, (*task).mayBend)
	}
}

// round goes through the line once, and reports whether anything was given back, or the turns have changed.
func (o *oracle) round() (again bool) {
	heads, seen := 0, 0
	for _, j := range o.line() {
		if j.state == plan.Starting {
			continue
		}
		seen++
		if o.config.Limits.Depth > 0 && seen > o.config.Limits.Depth {
			break
		}
		if j.state == plan.Promised {
			again = o.improve(j) || again
		} else {
			o.consider(j, heads < o.rules.promises)
		}
		if j.state != plan.Starting && o.ahead(j) {
			again = true
		}
		if j.state != plan.Starting && o.preempt(j, heads == 0) {
			again = true
		}
		if j.state != plan.Starting && j.state != plan.Promised && heads < o.rules.promises {
			o.promise(j)
		}
		switch {
		case j.state == plan.Starting && o.rules.moves:
			return true
		case j.state == plan.Starting:
		case !o.rules.overtake:
			return again
		default:
			heads++
		}
	}
	return again
}

// lay puts a job in a place.
func (o *oracle) lay(world cluster, j *task, form int, at []spot) {
	world.book(at, 1)
	j.state, j.form, j.spots = plan.Promised, form, at
	j.start, j.end = at[0].start-at[0].part.wait, 0
	for _, x := range at {
		j.end = max(j.end, x.end)
	}
}

// best returns the place that ends first, of the earliest places of all shapes that are near enough to be promised.
func (o *oracle) best(world cluster, j *task) (form int, best []spot) {
	end := bookahead.Time(ticks + 1)
	for i, shape := range j.shapes {
		at := world.earliest(shape, o.ready(j))
		if at == nil || !o.near(at) {
			continue
		}
		if e := endOf(at); e < end {
			form, best, end = i, at, e
		}
	}
	return form, best
}

// now returns the place that ends first, of those that begin now.
func (o *oracle) fits(world cluster, j *task) (form int, best []spot) {
	for i, shape := range j.shapes {
		at, ok := world.at(shape, o.now)
		if ok && (best == nil || endOf(at) < endOf(best)) {
			form, best = i, at
		}
	}
	return form, best
}

// near reports whether a place may be promised.
func (o *oracle) near(at []spot) bool {
	w := bookahead.Time(o.config.Limits.Window)
	return w == 0 || at[0].start-at[0].part.wait-o.now <= w
}

// consider proposes a job without a place if it fits now. If it is to be promised its best place, that must begin now.
func (o *oracle) consider(j *task, promised bool) {
	world := o.plan()
	form, at := o.fits(world, j)
	if j.from > o.now {
		at = nil
	}
	if promised {
		form, at = o.best(world, j)
		if at != nil && at[0].start-at[0].part.wait > o.now {
			at = nil
		}
	}
	if at != nil {
		o.noLater(world, j)
		o.lay(world, j, form, at)
		o.begin(j)
		o.laid = true
	}
}

func (o *oracle) promise(j *task) {
	world := o.plan()
	form, at := o.best(world, j)
	if at != nil {
		o.noLater(world, j)
		o.lay(world, j, form, at)
		j.promised = j.start
		o.given = append(o.given, j)
		o.laid = true
	}
}

// improve releases the place of a promised job, tries all ticks from now to its start, and reports whether the job moves: to
// the place that ends first, if that ends no later than its own.
func (o *oracle) improve(j *task) bool {
	world := o.plan()
	world.book(j.spots, -1)
	form, best, start, end := 0, []spot(nil), j.start, j.end+1
	for i, shape := range j.shapes {
		if shape[0].bends != nil {
			at := world.earliest(shape, o.ready(j))
			if at != nil && at[0].start <= j.start && endOf(at) < end {
				form, best, start, end = i, at, at[0].start, endOf(at)
			}
			continue
		}
		for t := o.ready(j); t <= j.start; t++ {
			at, ok := world.at(shape, t)
			if !ok {
				continue
			}
			if e := t + length(shape); e < end {
				form, best, start, end = i, at, t, e
			}
			break
		}
	}
	if best == nil || start == j.start && end == j.end {
		return false
	}
	o.lay(world, j, form, best)
	j.promised = j.start
	if j.start == o.now {
		o.begin(j)
	}
	return true
}

// preempt tries all sets of running jobs that may give way: the smallest come first, and of these the one whose most important
// job is the least important, then its next. It reports whether a set gives way.
func (o *oracle) preempt(j *task, first bool) bool {
	if !o.config.Preempt || j.mayBend() || j.from > o.now || !first && (o.rules.promises > 0 || !o.rules.overtake) {
		return false
	}
	var lower []*task
	for _, v := range o.running() {
		if v.Preemptible && v.Class < j.Class && v.heir == nil {
			lower = append(lower, v)
		}
	}
	slices.SortFunc(lower, func(a, b *task) int { // the least important first
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Priority, b.Priority), cmp.Compare(b.began, a.began), cmp.Compare(b.seq, a.seq))
	})
	world := o.plan()
	if j.state == plan.Promised {
		world.book(j.spots, -1)
	}
	if _, at := o.fits(world, j); at != nil {
		return false // nobody need give way
	}
	var best []int
	for set := 1; set < 1<<len(lower); set++ {
		var list []int // the most important first
		for i := len(lower) - 1; i >= 0; i-- {
			if set&(1<<i) != 0 {
				list = append(list, i)
			}
		}
		if best != nil && cmp.Or(cmp.Compare(len(list), len(best)), slices.Compare(list, best)) >= 0 {
			continue
		}
		o.yield(world, lower, list, -1)
		_, at := o.fits(world, j)
		o.yield(world, lower, list, 1)
		if at != nil {
			best = list
		}
	}
	if best == nil {
		return false
	}
	o.yield(world, lower, best, -1)
	form, at := o.fits(world, j)
	o.lay(world, j, form, at)
	slices.Reverse(best)
	for _, i := range best {
		lower[i].heir = j
		j.victims = append(j.victims, lower[i])
	}
	o.begin(j)
	return true
}

// yield takes the reservations of running jobs off, or puts them back.
func (o *oracle) yield(world cluster, lower []*task, set []int, sign int32) {
	for _, i := range set {
		for _, b := range lower[i].firm {
			if b != nil && b.spot.end > o.now {
				world[b.spot.part.on].book(b.spot, sign)
			}
		}
	}
}

// same reports whether two jobs ask for the same.
func (o *oracle) same(a, b *task) bool {
	rounded := func(j *task) (list []plan.Shape) {
		for i, s := range j.Shapes {
			s = slices.Clone(s)
			for k := range s {
				s[k].Duration = bookahead.Duration(j.shapes[i][k].length)
			}
			list = append(list, s)
		}
		return list
	}
	return reflect.DeepEqual(rounded(a), rounded(b))
}
