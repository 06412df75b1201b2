package desk

import (
	"reflect"
	"slices"

	"github.com/bookahead/bookahead"
)

// within returns the place of a Change that is a part of the place that a booking has, which needs no notice and may be
// beyond a quota that was broken before. The booking is not on the boards.
func (o *ideal) within(old *entry, to Request) (shape int, times []bookahead.Interval, ok bool) {
	milder := *o
	milder.boards = map[string]*board{}
	for name, b := range o.boards {
		c := *b
		c.terms.Notice, c.terms.Ahead = 0, 0
		milder.boards[name] = &c
	}
	r := to
	r.Ready, r.Deadline = max(to.Ready, old.Start), old.End
	if to.Deadline != 0 {
		r.Deadline = min(to.Deadline, old.End)
	}
	var at []int
	r.Shapes = nil
	for i, s := range to.Shapes {
		s, less := o.lessOf(old, s)
		if less {
			r.Shapes, at = append(r.Shapes, s), append(at, i)
		}
	}
	if len(at) == 0 || milder.unsearchable(&r) {
		return 0, nil, false
	}
	best := bookahead.Interval{}
	for k, s := range r.Shapes {
		starts, found := milder.starts(&r, s, func([]seat) bool { return true })
		if !found {
			continue
		}
		var all []bookahead.Interval
		for n, x := range spellsOf(s) {
			for _, seat := range x.seats(starts[n]) {
				all = append(all, seat.Interval)
			}
		}
		if !ok || spanned(all).End < best.End {
			shape, times, best, ok = at[k], all, spanned(all), true
		}
	}
	if !ok {
		return 0, nil, false
	}
	e := *old
	e.Request, e.Shape, e.Places = to, shape, slices.Clone(old.Places)
	for i, w := range times {
		p := &e.Places[i]
		if w.Start < p.Start || w.End > p.End {
			return 0, nil, false
		}
		p.Interval, p.Units = w, to.Shapes[shape][i].Units
	}
	return shape, times, !o.worsens(old, &e)
}

// lessOf returns a shape with its parts on the schedules and servers of a booking, if they want no more than it has.
func (o *ideal) lessOf(old *entry, s Shape) (Shape, bool) {
	if len(s) != len(old.Places) {
		return nil, false
	}
	s = slices.Clone(s)
	for i := range s {
		p, has, was := &s[i], old.Places[i], old.Shapes[old.Shape][i]
		if p.Units > has.Units || !slices.Contains([]string{has.On, was.On}, p.On) || !reflect.DeepEqual(p.Tasks, was.Tasks) {
			return nil, false
		}
		p.On = has.On
		if has.Servers == nil {
			continue
		}
		var both []int
		for _, k := range has.Servers {
			if p.Servers == nil || slices.Contains(p.Servers, k) {
				both = append(both, k)
			}
		}
		p.Servers = both
		if len(both) < int(p.Units) {
			return nil, false
		}
	}
	return s, true
}
