package main

import (
	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/trace"
)

// tree is the step function of free units in a B-tree of google/btree, keyed by the starts of
// the steps. The first step starts now, and neighbours differ.
type tree struct {
	steps *btree.BTreeG[step]
	moved []step // the steps that a change has read, since a tree may not change while it is read
}

// degree is that of the library's own step function on the same tree.
const degree = 32

func newTree(h trace.Header, booked []bookahead.Offer) (room, error) {
	steps, err := stepsOf(h, booked)
	t := &tree{steps: btree.NewG(degree, func(a, b step) bool { return a.start < b.start })}
	for _, s := range steps {
		t.steps.ReplaceOrInsert(s)
	}
	return t, err
}

// at returns the step that contains t, which is not in the past.
func (v *tree) at(t bookahead.Time) (found step) {
	v.steps.DescendLessOrEqual(step{start: t}, func(s step) bool {
		found = s
		return false
	})
	return found
}

// Search begins anew behind each step that has too few units. O(log v + steps that are read).
func (v *tree) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t, s, ok := first, v.at(first), false
	v.steps.AscendGreaterOrEqual(step{start: first + 1}, func(next step) bool {
		if s.free < n {
			t = next.start
		} else if next.start-t >= d {
			ok = true
		}
		s = next
		return !ok && t <= last
	})
	if !ok && s.free >= n { // the last step has no end
		ok = true
	}
	return t, ok && t <= last
}

// Take implements room. O(m log v) for the m steps of the place.
func (v *tree) Take(_ bookahead.ID, o bookahead.Offer) { v.change(o.Interval, -o.Units) }

// Give implements room. O(m log v).
func (v *tree) Give(_ bookahead.ID, o bookahead.Offer, now bookahead.Time) {
	v.change(bookahead.Interval{Start: max(o.Start, now), End: o.End}, o.Units)
}

// change cuts a step at each edge, adds to the steps between, and joins the edges to their neighbours where
// both sides have as many units.
func (v *tree) change(w bookahead.Interval, delta int64) {
	v.cut(w.Start)
	v.cut(w.End)
	v.moved = v.moved[:0]
	v.steps.AscendRange(step{start: w.Start}, step{start: w.End}, func(s step) bool {
		v.moved = append(v.moved, step{s.start, s.free + delta})
		return true
	})
	for _, s := range v.moved {
		v.steps.ReplaceOrInsert(s)
	}
	v.join(w.End)
	v.join(w.Start)
}

// cut makes a step start at t.
func (v *tree) cut(t bookahead.Time) {
	s := v.at(t)
	if s.start != t {
		v.steps.ReplaceOrInsert(step{t, s.free})
	}
}

// join joins the step that starts at t to the step before if both have as many units.
func (v *tree) join(t bookahead.Time) {
	first, _ := v.steps.Min()
	if t > first.start && v.at(t).free == v.at(t-1).free {
		v.steps.Delete(step{start: t})
	}
}

// Forget implements room.
func (v *tree) Forget(now bookahead.Time) {
	running := v.at(now)
	for {
		s, ok := v.steps.Min()
		if !ok || s.start > now {
			break
		}
		v.steps.DeleteMin()
	}
	v.steps.ReplaceOrInsert(step{now, running.free})
}
