package gantt

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/recur"
)

// bookingsOf returns a sequence of bookings, and an error behind them if there is one.
func bookingsOf(err error, list ...desk.Booking) iter.Seq2[desk.Booking, error] {
	return func(yield func(desk.Booking, error) bool) {
		for _, b := range list {
			if !yield(b, nil) {
				return
			}
		}
		if err != nil {
			yield(desk.Booking{}, err)
		}
	}
}

func span(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

func TestEvents(t *testing.T) {
	list, err := Events(bookingsOf(nil,
		desk.Booking{ID: 7, State: desk.Booked, Request: desk.Request{Title: "Compilers"}, Interval: span(8, 10), Places: []desk.Place{
			{On: "room 12", Units: 1}, {On: "seats", Units: 20}}},
		desk.Booking{ID: 8, State: desk.Held, Interval: span(1, 3), Places: []desk.Place{
			{On: "lab", Units: 2, Servers: []int{0, 3}}, {On: "farm", Units: 3, Nodes: []nodes.Share{{Node: 1, Tasks: 2}, {Node: 4, Tasks: 1}}}}},
		desk.Booking{ID: 9, State: desk.Cancelled, Interval: span(3, 3)},
	), "lab.example")
	require.NoError(t, err)
	require.Equal(t, []recur.Event{
		{UID: "7@lab.example", Interval: span(8, 10), Summary: "Compilers", Location: "1 of room 12, 20 of seats"},
		{UID: "8@lab.example", Interval: span(1, 3), Location: "2 of lab on [0 3], 3 of farm on nodes [1 4]", Status: recur.Tentative},
		{UID: "9@lab.example", Interval: span(3, 3), Status: recur.Cancelled},
	}, list)
	for s := desk.Held; s <= desk.Waiting; s++ {
		want, ok := map[desk.State]recur.Status{desk.Held: recur.Tentative, desk.Waiting: recur.Tentative, desk.Booked: recur.Confirmed,
			desk.Running: recur.Confirmed, desk.Ended: recur.Confirmed}[s]
		if !ok {
			want = recur.Cancelled
		}
		require.Equal(t, want, statusOf(s))
	}
	stopped := errors.New("stopped")
	_, err = Events(bookingsOf(stopped, desk.Booking{}), "")
	require.Equal(t, stopped, err)
}

// A booking that was given up is struck from a calendar where it was, and not when it was given up.
func TestEventsOfBookingsGivenUp(t *testing.T) {
	d, err := desk.New(desk.Config{Keep: 50})
	require.NoError(t, err)
	do := func(c desk.Command) {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	at := func(start bookahead.Time, on string, units int64, ticks bookahead.Duration) desk.Request {
		return desk.Request{Ready: start, Shapes: []desk.Shape{{{On: on, Units: units, Duration: ticks}}}}
	}
	do(desk.AddSchedule{Name: "lab", Kind: desk.Servers{Count: 2}})
	do(desk.AddSchedule{Name: "line", Kind: desk.Pool{Units: 4}})
	two := at(12, "lab", 1, 4)
	two.Shapes[0] = append(two.Shapes[0], desk.Part{On: "line", Units: 1, Duration: 3, After: &desk.Gap{Least: 2, Most: 5}})
	full := at(2, "line", 4, 5)
	full.Deadline = 7
	displaced := at(10, "line", 1, 2)
	displaced.Deadline = 12
	do(desk.Book{Request: two})                           // #1, from 12 to 21
	do(desk.Book{Request: at(10, "line", 1, 2), Hold: 3}) // #2, expires
	do(desk.Book{Request: at(0, "line", 1, 9)})           // #3, is cancelled at 4
	do(desk.Book{Request: displaced})                     // #4, is displaced
	do(desk.Book{Request: full, Wait: 3})                 // #5, waits in vain
	do(desk.Advance{Now: 4})
	do(desk.Cancel{ID: 1})
	do(desk.Cancel{ID: 3})
	do(desk.Close{On: "line", Interval: span(9, 40), Units: 4, Force: desk.Anybody})
	do(desk.Book{Request: at(4, "line", 1, 5)}) // #6, is cancelled at once
	do(desk.Cancel{ID: 6})
	list, err := Events(d.Bookings(desk.Filter{}, bookahead.Effort{}), "x")
	require.NoError(t, err)
	var got []string
	for _, e := range list {
		require.Equal(t, recur.Cancelled, e.Status)
		got = append(got, fmt.Sprint(e.UID, " ", e.Interval))
	}
	require.ElementsMatch(t, []string{"1@x [12, 21)", "2@x [10, 12)", "3@x [0, 4)", "4@x [10, 12)", "5@x [2, 2)", "6@x [4, 9)"}, got)

	odd := desk.Booking{State: desk.Cancelled, Interval: span(3, 3), Request: displaced, Places: []desk.Place{{}, {}}}
	for _, shape := range []int{-1, 0, 7} {
		odd.Shape = shape
		require.Equal(t, span(3, 3), formerly(&odd))
	}
	late := desk.Booking{State: desk.Cancelled, Request: displaced, Places: []desk.Place{{Interval: span(bookahead.MaxTime, bookahead.MaxTime)}}}
	require.Equal(t, span(bookahead.MaxTime, bookahead.MaxTime), formerly(&late))
}
