package pool

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
)

// Most limits the units of a pool that can be closed or extended: a profile adds up a few numbers
// of that size.
const Most = 1 << 61

// closed is the capacity of a pool over time, once it changes. Its steps are the given units less
// the closed units, from now on. A step is negative where closures that overlap close more units
// than are given; the capacity is 0 there.
type closed struct {
	closures.List
	base  int64  // units given from the start
	added int64  // units of all extensions that are not over
	shut  int64  // units of all closures that are not over
	steps []Step // the first begins by now, neighbours differ
}

// Close implements bookahead.Closable. O(log v) for each stretch of time in which the capacity
// changes by the same number: usually one stretch, but more where closures together close more
// units than there are. O(c) besides for c closures.
func (s *Schedule) Close(c bookahead.Closure) (bookahead.Closure, error) {
	c.Added = false
	return s.vary(c)
}

// Extend implements bookahead.Closable. Costs are those of Close.
func (s *Schedule) Extend(c bookahead.Closure) (bookahead.Closure, error) {
	c.Added = true
	return s.vary(c)
}

func (s *Schedule) vary(c bookahead.Closure) (bookahead.Closure, error) {
	x := s.closed
	if x == nil {
		x = &closed{base: s.Capacity, steps: []Step{{s.Now, s.Capacity}}}
	}
	c, err := closures.Check(c, s.Now)
	if err == nil {
		err = x.check(c)
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	s.closed = x
	c = x.Add(c)
	x.sum(c, 1)
	if c.Added {
		s.Capacity = max(s.Capacity, x.base+x.added)
		p, sized := s.Profile.(Sizer)
		if sized {
			s.Profile = p.Sized(s.Capacity)
		}
		x.shift(c.Interval, c.Units, s.Profile.Change)
		return c, nil
	}
	x.shift(c.Interval, -c.Units, s.Profile.Change)
	return c, nil
}

// check returns an error that wraps bookahead.ErrInvalid if a sum of units would become too
// large.
func (x *closed) check(c bookahead.Closure) error {
	switch {
	case c.Servers != nil:
		return limits.Invalid("Closure.Servers", c.Servers, "are named, but a pool has units only")
	case c.Units < 1:
		return limits.Invalid("Closure.Units", c.Units, "is less than 1")
	case x.base > Most:
		return limits.Invalid("capacity", x.base, fmt.Sprintf("is more than %d, so that it cannot change", int64(Most)))
	case c.Added && c.Units > Most-x.base-x.added:
		return limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("raises the capacity above %d", int64(Most)))
	case !c.Added && c.Units > 2*Most-x.shut:
		return limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("raises the closed units above %d in all", int64(2*Most)))
	}
	return nil
}

// EndClosure is End of a bookahead.Closable. It has another name because Limits has a field End.
// Costs are those of Close.
func (s *Schedule) EndClosure(id bookahead.ClosureID, at bookahead.Time) error {
	if s.closed == nil {
		return bookahead.ErrNotFound
	}
	x := s.closed
	old, gone, err := x.End(id, at, s.Now)
	if err != nil {
		return err
	}
	units := old.Units
	if old.Added {
		units = -units
	}
	if !gone.Empty() {
		x.shift(gone, units, s.Profile.Change)
	}
	if !x.Has(id) {
		x.sum(old, -1)
	}
	return nil
}

// count adds up the units of the closures and extensions that are not over. O(c).
func (x *closed) count() {
	x.added, x.shut = 0, 0
	for c := range x.All() {
		x.sum(c, 1)
	}
}

// sum counts the units of a closure or extension; times is 1 or -1.
func (x *closed) sum(c bookahead.Closure, times int64) {
	if c.Added {
		x.added += times * c.Units
	} else {
		x.shut += times * c.Units
	}
}

// generate makes the steps that follow from the closures, from now on. O(c log c).
func (x *closed) generate(now bookahead.Time) {
	var given, taken []event
	for c := range x.All() {
		from, to := event{max(c.Start, now), c.Units}, event{c.End, c.Units}
		if c.Added {
			given, taken = append(given, from), append(taken, to)
		} else {
			taken, given = append(taken, from), append(given, to)
		}
	}
	x.steps, _ = generate(Step{now, x.base}, given, taken, math.MinInt64) // no step is less, so there is no error
}

// shift adds to the units throughout w, and calls change for each stretch in which the capacity
// changes by the same number. The capacity does not follow below 0:
//
//	given less closed    4 ──┐     ┌──             4 ──┐     ┌──
//	                     1   └─────┘      close 3  1 ──┐     ┌──  in all of it
//	                     0 ─────────────           0 ─────────────
//	                                              -2   └─────┘
//	capacity changes by                              -3    -1    -3
func (x *closed) shift(w bookahead.Interval, units int64, change func(bookahead.Interval, int64)) {
	i, j := x.split(w.Start), x.split(w.End)
	run, by := bookahead.Interval{Start: w.Start, End: w.Start}, int64(0)
	for k := i; k < j; k++ {
		s := &x.steps[k]
		was := max(0, s.Free)
		s.Free += units
		delta := max(0, s.Free) - was
		if delta != by {
			if by != 0 {
				change(run, by)
			}
			run.Start, by = s.Start, delta
		}
		run.End = x.end(k)
	}
	if by != 0 {
		change(run, by)
	}
	x.merge(j)
	x.merge(i)
}

// at returns the step that contains t.
func (x *closed) at(t bookahead.Time) int {
	i, found := slices.BinarySearchFunc(x.steps, t, byStart)
	if !found {
		i--
	}
	return max(i, 0)
}

func byStart(s Step, t bookahead.Time) int { return cmp.Compare(s.Start, t) }

// end returns where step i ends.
func (x *closed) end(i int) bookahead.Time {
	if i+1 < len(x.steps) {
		return x.steps[i+1].Start
	}
	return bookahead.MaxTime
}

// split makes a step begin at t, and returns its index.
func (x *closed) split(t bookahead.Time) int {
	i, found := slices.BinarySearchFunc(x.steps, t, byStart)
	if !found {
		x.steps = slices.Insert(x.steps, i, Step{t, x.steps[i-1].Free})
	}
	return i
}

// merge joins step i to the step before if both have the same units.
func (x *closed) merge(i int) {
	if i > 0 && i < len(x.steps) && x.steps[i].Free == x.steps[i-1].Free {
		x.steps = slices.Delete(x.steps, i, i+1)
	}
}

// forget drops the time before now. O(c) if a step has ended.
func (x *closed) forget(now bookahead.Time) {
	past := x.at(now)
	x.steps = x.steps[past:]
	x.steps[0].Start = now
	if x.Forget(now) {
		x.count()
	}
}

func (x *closed) clone() *closed {
	c := *x
	c.List, c.steps = x.List.Clone(), slices.Clone(x.steps)
	return &c
}

// Frame implements bookahead.Keeper. O(1).
func (p *Pool) Frame() bookahead.Frame {
	f := p.Limits.Frame()
	if p.closed != nil {
		f.Capacity = max(0, p.closed.steps[p.closed.at(p.Now)].Free)
	}
	return f
}

// Closures implements bookahead.Closable.
func (p *Pool) Closures() iter.Seq[bookahead.Closure] {
	if p.closed == nil {
		return func(func(bookahead.Closure) bool) {}
	}
	return p.closed.All()
}

// Overbooked implements bookahead.Closable. O(log v) for each stretch if the profile is a Leaper;
// otherwise it goes through the steps in w.
func (s *Schedule) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		if s.closed == nil {
			return
		}
		for t := max(w.Start, s.Now); t < w.End; {
			end, free := s.step(t)
			if free >= 0 {
				t = s.until(t, 0, w.End)
				continue
			}
			o := bookahead.Overbooking{Interval: bookahead.Interval{Start: t, End: min(end, w.End)}, Units: -free}
			if !yield(o) {
				return
			}
			t = end
		}
	}
}

// step returns where the step that contains t ends, and its free units.
func (s *Schedule) step(t bookahead.Time) (end bookahead.Time, free int64) {
	for end, free := range s.Profile.Steps(t) {
		return end, free
	}
	return bookahead.MaxTime, 0 // a profile has a step for every time
}
