package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// inquiry is the search for the obstacles of a request.
type inquiry struct {
	*books
	meter     *effort.Meter
	Request              // its Deadline is the one that it fails to meet
	obstacles []Obstacle // all candidates, in the order of Refusal.Obstacles
	ideal     []spot     // the place of each shape if nothing is in the way; no places if there is none
	next      []spot     // the place of each shape without a Deadline
}

// answer finds the obstacles, and describes each. waits returns the quotas that do not let the request wait, and is asked
// only if the request comes too late.
func (q *inquiry) answer(waits func() []Obstacle) (Refusal, error) {
	q.obstacles = q.candidates()
	all := q.obstacles
	limit := q.Deadline
	q.Deadline = 0
	for i := range q.Shapes {
		next, err := q.search(i, nil)
		if err != nil {
			return Refusal{}, err
		}
		ideal, err := q.search(i, all)
		if err != nil {
			return Refusal{}, err
		}
		q.next, q.ideal = append(q.next, next), append(q.ideal, ideal)
	}
	q.Deadline = limit
	f := Refusal{Window: bookahead.Interval{Start: max(q.Ready, q.now), End: bookahead.MaxTime}}
	first, found := earliest(q.next)
	if found {
		f.Next = spanOf(first.places)
		if limit == 0 || first.end() <= limit {
			ideal, _ := earliest(q.ideal)
			if first.end() == ideal.end() {
				f.Window.End = first.end()
				return f, nil
			}
			q.Deadline = ideal.end()
		}
	}
	if !found || limit != 0 && first.end() > limit {
		f.Waiting = waits()
	}
	if q.Deadline != 0 {
		f.Window.End = q.Deadline
	}
	err := q.blame(&f)
	if err != nil {
		return Refusal{}, err
	}
	for i := range f.Obstacles {
		err := q.describe(&f, i)
		if err != nil {
			return Refusal{}, err
		}
	}
	return f, nil
}

// earliest returns the place that ends first, of several the first, and whether there is one.
func earliest(list []spot) (best spot, found bool) {
	for _, x := range list {
		if x.places != nil && (!found || x.end() < best.end()) {
			best, found = x, true
		}
	}
	return best, found
}

// search returns the place of a shape with some obstacles left out; no places if there is none.
func (q *inquiry) search(shape int, without []Obstacle) (spot, error) {
	s := q.without(shape, without)
	x, err := s.findOne(&q.Request, shape)
	if err == bookahead.ErrUnavailable {
		return spot{}, nil
	}
	if err != nil {
		return spot{}, fmt.Errorf("desk: Request.Shapes[%d]: %w", shape, err)
	}
	return x, nil
}

// fits reports whether the request has a place with some obstacles left out. A shape that keeps all of its obstacles has
// none, as answer has found, and is not searched again.
func (q *inquiry) fits(without []Obstacle) (bool, error) {
	for i := range q.Shapes {
		touched := slices.ContainsFunc(without, func(o Obstacle) bool { return o.Shape == i })
		ideal := &q.ideal[i]
		if !touched || ideal.places == nil || q.Deadline != 0 && ideal.end() > q.Deadline {
			continue
		}
		x, err := q.search(i, without)
		if err != nil || x.places != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// blame finds the obstacles that are in the way alone, or else those that are in the way together.
func (q *inquiry) blame(f *Refusal) error {
	for i := range q.obstacles {
		alone := q.obstacles[i : i+1]
		ok, err := q.fits(alone)
		if err != nil {
			return err
		}
		if ok {
			f.Obstacles = append(f.Obstacles, alone...)
		}
	}
	if len(f.Obstacles) > 0 {
		return nil
	}
	return q.blameTogether(f)
}

// blameTogether leaves out one obstacle after another until there is a place, and puts back each that the place does not
// need to be left out.
func (q *inquiry) blameTogether(f *Refusal) error {
	var out []Obstacle
	ok := false
	for i := 0; !ok; i++ {
		if i == len(q.obstacles) {
			return nil // the deadline is too early for any place
		}
		out = append(out, q.obstacles[i])
		var err error
		ok, err = q.fits(out)
		if err != nil {
			return err
		}
	}
	for i := 0; i < len(out); {
		fewer := slices.Delete(slices.Clone(out), i, i+1)
		ok, err := q.fits(fewer)
		if err != nil {
			return err
		}
		if ok {
			out = fewer
		} else {
			i++
		}
	}
	f.Obstacles, f.Together = out, true
	return nil
}

// describe adds to an obstacle its Window, its Until, and the bookings in the way.
//
// A shape may be late by as many ticks as its best place ends before the deadline, and so may each of its parts:
//
//	best place    ██ ░░░░                slack 3       the Window of ██ begins with it, and
//	latest one       ██ ░░░░             deadline      ends with it 3 ticks later
func (q *inquiry) describe(f *Refusal, i int) error {
	o := &f.Obstacles[i]
	ideal := &q.ideal[o.Shape]
	o.Window = ideal.places[o.Part].Interval
	switch {
	case q.Deadline == 0:
		o.Window.End = bookahead.MaxTime
	case q.bent(): // it may lie anywhere from there on
		o.Window.End = q.Deadline
	default:
		o.Window.End += q.Deadline - ideal.end()
	}
	next := q.next[o.Shape]
	var others []Obstacle
	if f.Together {
		others = slices.Delete(slices.Clone(f.Obstacles), i, i+1)
		lifted := *q
		lifted.Deadline = 0
		var err error
		next, err = lifted.search(o.Shape, others)
		if err != nil {
			return err
		}
	}
	o.Until = bookahead.MaxTime
	if next.places != nil {
		o.Until = next.places[o.Part].Start
	}
	switch {
	case o.Quota != "":
		return q.count(o, others)
	case o.Rule == "":
		q.name(o)
	}
	return nil
}
