package gantt_test

import (
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/recur"
)

// A calendar to which others can subscribe: they see when the lab is taken, and by whom, but no titles. A booking that is
// cancelled stays in the calendar, and is struck out.
func ExampleEvents() {
	d, err := desk.New(desk.Config{Keep: 7 * 24})
	if err != nil {
		log.Fatal(err)
	}
	for _, command := range []desk.Command{
		desk.AddSchedule{Name: "lab", Kind: desk.Pool{Units: 40}},
		desk.Book{Request: desk.Request{Owner: "ann", Title: "a secret", Ready: 9, Shapes: []desk.Shape{{{On: "lab", Units: 20, Duration: 2}}}}},
		desk.Book{Request: desk.Request{Owner: "bob", Title: "another", Ready: 9, Shapes: []desk.Shape{{{On: "lab", Units: 30, Duration: 1}}}}},
		desk.Cancel{ID: 1},
	} {
		_, err := d.Do(command)
		if err != nil {
			log.Fatal(err)
		}
	}

	events, err := gantt.Events(d.Bookings(desk.Filter{}, bookahead.Effort{}), "lab.example")
	if err != nil {
		log.Fatal(err)
	}
	for i := range events {
		events[i].Summary = "taken"
	}
	clock := bookahead.Clock{Epoch: time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC), Tick: time.Hour}
	var calendar strings.Builder
	err = recur.WriteCalendar(&calendar, slices.Values(events), clock, clock.Epoch)
	if err != nil {
		log.Fatal(err)
	}
	_, err = strings.NewReplacer("\r", "").WriteString(os.Stdout, calendar.String())
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// BEGIN:VCALENDAR
	// VERSION:2.0
	// PRODID:-//bookahead//recur//EN
	// BEGIN:VEVENT
	// UID:1@lab.example
	// DTSTAMP:20260302T000000Z
	// DTSTART:20260302T090000Z
	// DTEND:20260302T110000Z
	// SUMMARY:taken
	// LOCATION:20 of lab
	// STATUS:CANCELLED
	// END:VEVENT
	// BEGIN:VEVENT
	// UID:2@lab.example
	// DTSTAMP:20260302T000000Z
	// DTSTART:20260302T110000Z
	// DTEND:20260302T120000Z
	// SUMMARY:taken
	// LOCATION:30 of lab
	// STATUS:CONFIRMED
	// END:VEVENT
	// END:VCALENDAR
}
