package window

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// ErrPrice says that a window costs more by now than when it was found. It comes wrapped in an error that
// names both costs: test with errors.Is.
var ErrPrice = errors.New("window: the price has risen")

// Commit books a window on a schedule whose server k is node k, all of it or nothing: tasks that end
// together are one reservation, so that a square window is one. They are in order of their lowest nodes.
//
// The environment has the prices that hold now; its slots are not read, so that New of the nodes alone
// will do. If the window costs more than Window.Cost by them, the error wraps ErrPrice. Whoever would pay
// up to a budget sets Window.Cost to the budget, and math.Inf(1) books at any price. The error wraps
// bookahead.ErrInvalid if the window has no tasks, or one of them is empty, begins before tick 0, is on none
// of the nodes, or on the node of another task.
//
// If a task cannot be booked, those before it are released, and the error is the schedule's:
// bookahead.ErrUnavailable if something else was booked there since the slots were read. A release that
// fails is joined to the error. O(n) for n tasks, and a Reserve for each end that they have; with an error
// also a Release for each but one, at most.
func (e *Environment) Commit(s bookahead.Schedule, w Window) ([]bookahead.Reservation, error) {
	err := limits.CheckNil("s", s)
	if err == nil {
		err = e.affords(w)
	}
	if err != nil {
		return nil, err
	}
	return book(w.requests(), s.Reserve, func(b bookahead.Reservation) error { return s.Release(b.ID) })
}

// affords checks the tasks of a window, and that they cost no more now than Window.Cost. Rounding may add as
// much to a sum as in a search.
func (e *Environment) affords(w Window) error {
	cost, err := e.cost(w)
	if err == nil {
		err = w.check()
	}
	if err != nil {
		return err
	}
	affordable := cost <= w.Cost*(1+slack) // false of a Cost that is no number
	if !affordable {
		return fmt.Errorf("%w: the tasks cost %v now, which is more than Window.Cost %v", ErrPrice, cost, w.Cost)
	}
	return nil
}

// check checks that a window has tasks, and that each is on a node of its own, not empty, and on the axis. A
// caller may have made the window by hand. Request.Duration is an int64: the length of a task that
// begins far before tick 0 does not fit, and another task would be booked.
func (w Window) check() error {
	if len(w.Tasks) == 0 {
		return limits.Invalid("Window.Tasks", w.Tasks, "are none")
	}
	used := make(map[int]bool, len(w.Tasks))
	for i, t := range w.Tasks {
		switch {
		case t.Start < 0:
			return limits.Invalid(fmt.Sprintf("Window.Tasks[%d]", i), t.Interval, "begins before tick 0")
		case t.Empty():
			return limits.Invalid(fmt.Sprintf("Window.Tasks[%d]", i), t.Interval, "is empty")
		case used[t.Node]:
			return limits.Invalid(fmt.Sprintf("Window.Tasks[%d].Node", i), t.Node, "is the node of an earlier task")
		}
		used[t.Node] = true
	}
	return nil
}

// requests returns the fixed requests that book a window: one for all tasks that
// begin and end together. O(n) for n tasks.
func (w Window) requests() []bookahead.Request {
	var list []bookahead.Request
	at := map[bookahead.Interval]int{}
	for _, t := range w.Tasks {
		i, ok := at[t.Interval]
		if !ok {
			i = len(list)
			at[t.Interval] = i
			list = append(list, bookahead.Request{Ready: t.Start, Deadline: t.End, Duration: t.Len()})
		}
		list[i].Units++
		list[i].Servers = append(list[i].Servers, t.Node)
	}
	return list
}

// book makes a reservation of each request, all of them or none: if one is refused, those before it are
// released. The error says why, and which of them could not be released.
func book[R any](list []bookahead.Request, reserve func(bookahead.Request) (R, error), release func(R) error) ([]R, error) {
	var booked []R
	for _, r := range list {
		made, why := reserve(r)
		if why == nil {
			booked = append(booked, made)
			continue
		}
		for _, b := range booked {
			err := release(b)
			if err != nil {
				why = errors.Join(why, fmt.Errorf("window: releasing %v: %w", b, err))
			}
		}
		return nil, why
	}
	return booked, nil
}
