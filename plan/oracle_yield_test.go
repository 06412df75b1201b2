package plan_test

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead/plan"
)

// ahead lets a job start in the units of running volumes that may pause and have more left than it does at all.
func (o *oracle) ahead(j *task) bool {
	c := j.shapes[0][0]
	if !o.config.Yield || len(j.shapes) > 1 || len(j.shapes[0]) > 1 || j.from > o.now {
		return false
	}
	left := func(v *task) int64 {
		p := v.shapes[v.form][0]
		n := p.units * int64(p.length)
		for _, x := range v.spots {
			for t := x.start; t < min(x.end, o.now); t++ {
				n -= x.part.units
			}
		}
		return n
	}
	list := slices.DeleteFunc(o.bending(), func(v *task) bool {
		p := v.shapes[v.form][0]
		return p.on != c.on || p.bends.Volume == nil || p.bends.Volume.Least > 0 || v.began == o.now || v.lost || v.heir != nil || v.overran != plan.Never || left(v) <= c.units*int64(c.length)
	})
	slices.SortStableFunc(list, func(a, b *task) int { return cmp.Compare(left(a), left(b)) })
	world, firm := o.plan(), o.caller()
	if j.state == plan.Promised {
		world.book(j.spots, -1)
	}
	for _, v := range list {
		world.book(v.spots, -1)
		firm.book(v.spots, -1)
	}
	at, ok := world.at(j.shapes[0], o.now)
	if len(list) == 0 || !ok {
		return false
	}
	world.book(at, 1)
	rests := make([][]spot, len(list))
	for i, v := range list {
		rests[i] = o.rest(world[c.on], v.shapes[v.form][0], v.spots)
		if rests[i] == nil {
			return false
		}
		for _, x := range rests[i] {
			x.start = max(x.start, o.now)
			if x.start < x.end && !firm[c.on].has(x) {
				return false
			}
			if x.start < x.end {
				world[c.on].book(x, 1)
				firm[c.on].book(x, 1)
			}
		}
	}
	for _, v := range list {
		for _, b := range v.firm {
			o.release(b)
		}
	}
	for i, v := range list {
		o.reset(v, rests[i])
	}
	o.lay(world, j, 0, at)
	o.begin(j)
	o.laid = true
	o.yielded++
	return true
}
