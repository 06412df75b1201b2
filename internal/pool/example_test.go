package pool_test

import (
	"cmp"
	"iter"
	"slices"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/scheduletest"
)

// list is a step function as a sorted slice. The first step starts now, and neighbours
// differ.
type list struct{ steps []pool.Step }

// at returns the step that contains t, which is not in the past.
func (l *list) at(t bookahead.Time) int {
	byStart := func(s pool.Step, t bookahead.Time) int { return cmp.Compare(s.Start, t) }
	i, found := slices.BinarySearchFunc(l.steps, t, byStart)
	if !found {
		i--
	}
	return i
}

// end returns where step i ends.
func (l *list) end(i int) bookahead.Time {
	if i+1 < len(l.steps) {
		return l.steps[i+1].Start
	}
	return bookahead.MaxTime
}

// Steps implements pool.Profile.
func (l *list) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		for i := l.at(t); i < len(l.steps); i++ {
			if !yield(l.end(i), l.steps[i].Free) {
				return
			}
		}
	}
}

// Search begins anew after each step that has too little.
func (l *list) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t := first
	for i := l.at(first); i < len(l.steps) && t <= last; i++ {
		end := l.end(i)
		if l.steps[i].Free < n {
			t = end
		} else if end-t >= d {
			return t, true
		}
	}
	return 0, false
}

// Change cuts a step at each edge of w, adds to the steps between, and joins them to their
// neighbours if these have the same units now.
func (l *list) Change(w bookahead.Interval, delta int64) {
	i, j := l.cut(w.Start), l.cut(w.End)
	for k := i; k < j; k++ {
		l.steps[k].Free += delta
	}
	l.join(j)
	l.join(i)
}

// cut makes a step start at t, and returns its index.
func (l *list) cut(t bookahead.Time) int {
	i := l.at(t)
	if l.steps[i].Start == t {
		return i
	}
	l.steps = slices.Insert(l.steps, i+1, pool.Step{Start: t, Free: l.steps[i].Free})
	return i + 1
}

// join joins step i to the step before if both have the same units.
func (l *list) join(i int) {
	if i > 0 && l.steps[i].Free == l.steps[i-1].Free {
		l.steps = slices.Delete(l.steps, i, i+1)
	}
}

// Least reads the steps of w.
func (l *list) Least(w bookahead.Interval) int64 {
	i := l.at(w.Start)
	least := l.steps[i].Free
	for i++; i < len(l.steps) && l.steps[i].Start < w.End; i++ {
		least = min(least, l.steps[i].Free)
	}
	return least
}

// Forget drops the steps that end by now.
func (l *list) Forget(now bookahead.Time) {
	past := l.at(now)
	l.steps = l.steps[past:]
	l.steps[0].Start = now
}

// List is a pool on a list.
type List struct{ s pool.Schedule }

// NewList returns a List that holds some reservations from the start.
func NewList(c scheduletest.Config, booked []bookahead.Offer) (*List, error) {
	p, steps, err := pool.Open(c.Capacity, c.Origin, c.Horizon, booked)
	if err != nil {
		return nil, err
	}
	return &List{pool.Schedule{Pool: p, Profile: &list{steps}}}, nil
}

// Verify checks that the steps are those that the reservations make.
func (l *List) Verify() error { return l.s.VerifySteps(l.s.Profile.(*list).steps) }

// The face: a line for each method.

func (l *List) Search(r bookahead.Request) (bookahead.Offer, error)        { return l.s.Search(r) }
func (l *List) Reserve(r bookahead.Request) (bookahead.Reservation, error) { return l.s.Reserve(r) }
func (l *List) Release(id bookahead.ID) error                              { return l.s.Release(id) }
func (l *List) Advance(now bookahead.Time) error                           { return l.s.Advance(now) }
func (l *List) Frame() bookahead.Frame                                     { return l.s.Frame() }
func (l *List) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return l.s.RangeQuery(w)
}
func (l *List) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return l.s.Reservation(id)
}
func (l *List) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return l.s.Reservations(w)
}
func (l *List) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return l.s.SearchFor(id, r)
}
func (l *List) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return l.s.Rebook(id, r)
}

var _ bookahead.Keeper = (*List)(nil)

func TestList(t *testing.T) {
	scheduletest.Run(t, scheduletest.Target{
		Name:   "pool.List",
		New:    func(c scheduletest.Config) (bookahead.Schedule, error) { return NewList(c, nil) },
		Booked: func(c scheduletest.Config, b []bookahead.Offer) (bookahead.Schedule, error) { return NewList(c, b) },
	})
}
