package pool_test

import (
	"iter"
	"testing"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/scheduletest"
)

// list is a step function as a sorted slice.
type list struct{ steps []pool.Step }

// Steps yields the end of each step and its free units.
func (l *list) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		for i, s := range l.steps {
			end := bookahead.MaxTime
			if i+1 < len(l.steps) {
				end = l.steps[i+1].Start
			}
			if end > t && !yield(end, s.Free) {
				return
			}
		}
	}
}

// Search begins anew behind each step that has too little.
func (l *list) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t := first
	for end, free := range l.Steps(first) {
		if free < n {
			t = end
		}
		if t > last || end-t >= d {
			break
		}
	}
	return t, t <= last
}

// Change cuts a step at each edge of w, and adds to those between.
func (l *list) Change(w bookahead.Interval, delta int64) {
	var steps []pool.Step
	start := l.steps[0].Start
	for end, free := range l.Steps(start) {
		inside := bookahead.Interval{Start: max(start, w.Start), End: min(end, w.End)}
		if inside.Empty() {
			steps = append(steps, pool.Step{Start: start, Free: free})
		} else {
			if start < inside.Start {
				steps = append(steps, pool.Step{Start: start, Free: free})
			}
			steps = append(steps, pool.Step{Start: inside.Start, Free: free + delta})
			if inside.End < end {
				steps = append(steps, pool.Step{Start: inside.End, Free: free})
			}
		}
		start = end
	}
	l.steps = steps
}

// Least reads the steps of w.
func (l *list) Least(w bookahead.Interval) int64 {
	least := int64(-1)
	for end, free := range l.Steps(w.Start) {
		if least < 0 || free < least {
			least = free
		}
		if end >= w.End {
			break
		}
	}
	return least
}

// Forget drops the steps that end by now.
func (l *list) Forget(now bookahead.Time) {
	for len(l.steps) > 1 && l.steps[1].Start <= now {
		l.steps = l.steps[1:]
	}
	l.steps[0].Start = now
}

// newList returns a pool on a list.
func newList(c scheduletest.Config, booked []bookahead.Offer) (bookahead.Schedule, error) {
	p, steps, err := pool.Open(c.Capacity, c.Origin, c.Horizon, booked)
	if err != nil {
		return nil, err
	}
	return &pool.Schedule{Pool: p, Profile: &list{steps}}, nil
}

func TestList(t *testing.T) {
	scheduletest.Run(t, scheduletest.Target{
		Name:   "pool.list",
		New:    func(c scheduletest.Config) (bookahead.Schedule, error) { return newList(c, nil) },
		Booked: newList,
	})
}
