package gantt

import (
	"fmt"
	"iter"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/recur"
)

// Events returns bookings of a desk as events for recur.WriteCalendar, one for each. Before they are written they may be
// changed, such as to hide a title:
//
//	Event{UID: "7@lab.example", Interval: [8, 10), Summary: "Compilers", Location: "1 of room 12, 20 of seats"}
//
// The UID is the booking's ID and the domain, so a booking that moves stays the same event. The Summary is the Title. A Held
// or Waiting booking is Tentative; a Booked, Running or Ended booking is Confirmed; all others are Cancelled. A booking that
// was given up before it began has the Interval that it had, and a booking that waited in vain its Ready, so that a calendar
// strikes it out where it was. A booking without ticks, such as one that waits, has an empty Interval.
//
// The error is that of the bookings. O(n) for n parts of all bookings.
func Events(bookings iter.Seq2[desk.Booking, error], domain string) (list []recur.Event, err error) {
	for b, err := range bookings {
		if err != nil {
			return nil, err
		}
		list = append(list, recur.Event{
			UID:      fmt.Sprintf("%d@%s", b.ID, domain),
			Interval: formerly(&b),
			Summary:  b.Title,
			Location: location(&b),
			Status:   statusOf(b.State),
		})
	}
	return list, nil
}

// statusOf returns the status of a booking's event.
func statusOf(s desk.State) recur.Status {
	switch s {
	case desk.Held, desk.Waiting:
		return recur.Tentative
	case desk.Booked, desk.Running, desk.Ended:
		return recur.Confirmed
	}
	return recur.Cancelled
}

// formerly returns the Interval of a booking; for a booking that was given up before it began, the Interval that it
// had: its places still have their starts, and its shape the durations. A booking made by the caller may have neither.
func formerly(b *desk.Booking) bookahead.Interval {
	isGivenUp := b.Empty() && statusOf(b.State) == recur.Cancelled && b.Shape >= 0 && b.Shape < len(b.Shapes)
	switch {
	case isGivenUp && len(b.Places) == 0:
		ready := max(b.Ready, 0)
		return bookahead.Interval{Start: ready, End: ready}
	case !isGivenUp || len(b.Shapes[b.Shape]) != len(b.Places):
		return b.Interval
	}
	had := bookahead.Interval{Start: bookahead.MaxTime}
	for i, p := range b.Places {
		end, err := p.Start.Add(b.Shapes[b.Shape][i].Duration)
		if err != nil {
			end = bookahead.MaxTime
		}
		had = bookahead.Interval{Start: min(had.Start, p.Start), End: max(had.End, end)}
	}
	return had
}

// location returns the places without their times: "2 of lab on [0 3], 1 of line".
func location(b *desk.Booking) string {
	var list []string
	for _, p := range b.Places {
		text := fmt.Sprintf("%d of %s", p.Units, p.On)
		switch {
		case p.Servers != nil:
			text += fmt.Sprintf(" on %v", p.Servers)
		case len(p.Nodes) > 0:
			var at []int
			for _, n := range p.Nodes {
				at = append(at, n.Node)
			}
			text += fmt.Sprintf(" on nodes %v", at)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
