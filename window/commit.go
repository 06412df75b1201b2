package window

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Commit books a window on a schedule whose server k is node k, all of it or
// nothing: tasks that end together are one reservation, so that a square window is
// one. They are in order of their lowest nodes. If one cannot be booked, those
// before it are released, and the error is the schedule's: bookahead.ErrUnavailable
// if something else was booked there since the slots were read. Commit knows no prices; if
// they may have changed since, Environment.Cost says what the window costs by those of another
// environment. A release that
// fails is in the error, too. O(n) for n tasks, and a Reserve for each end that they
// have; with an error also a Release for each but one, at most.
func Commit(s bookahead.Schedule, w Window) ([]bookahead.Reservation, error) {
	if err := limits.CheckNil("s", s); err != nil {
		return nil, err
	}
	if len(w.Tasks) == 0 {
		return nil, limits.Invalid("Window.Tasks", w.Tasks, "are none")
	}
	var booked []bookahead.Reservation
	for _, r := range w.requests() {
		b, err := s.Reserve(r)
		if err != nil {
			return nil, rollBack(s, booked, err)
		}
		booked = append(booked, b)
	}
	return booked, nil
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

// rollBack releases what was booked, and returns why.
func rollBack(s bookahead.Schedule, booked []bookahead.Reservation, why error) error {
	for _, b := range booked {
		if err := s.Release(b.ID); err != nil {
			why = errors.Join(why, fmt.Errorf("window: releasing %v: %w", b, err))
		}
	}
	return why
}
