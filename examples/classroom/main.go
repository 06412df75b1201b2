// Classroom books the desktops of a computer lab for a year: weekly classes, which keep their hour when clocks change, and
// students on demand in the rest (the use that VCL, the Virtual Computing Lab of North Carolina State University, made
// known). The lab has opening hours and holidays. A tick is a quarter of an hour.
package main

import (
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // wherever it runs

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/recur"
)

// campus is where the lab is. Clocks go forward there on 14 March 2027, and back on 7 November 2027.
var campus = must(time.LoadLocation("America/New_York"))

// year begins at midnight of a Monday.
var year = bookahead.Clock{Epoch: at(2027, time.January, 4, 0), Tick: 15 * time.Minute}

var whole = bookahead.Interval{End: must(year.Floor(at(2028, time.January, 1, 0)))}

// holidays are weeks without classes. The rule of a class leaves out those of its starts that lie there.
var holidays = [][2]time.Time{
	{at(2027, time.March, 22, 0), at(2027, time.March, 29, 0)},
	{at(2027, time.June, 1, 0), at(2027, time.August, 30, 0)},
	{at(2027, time.November, 22, 0), at(2027, time.November, 29, 0)},
	{at(2027, time.December, 13, 0), at(2028, time.January, 1, 0)},
}

func main() {
	d := must(desk.New(desk.Config{Keep: 96}))
	must(d.Do(desk.AddSchedule{Name: "lab", Kind: desk.Pool{Units: 40}}))

	// The lab is open from 8 to 20, on Saturdays from 10 to 14. A student has 8 desktop-hours in a week.
	days := recur.Rule{Start: at(2027, time.January, 4, 8), Length: 12 * time.Hour, Freq: recur.Weekly, Days: []time.Weekday{1, 2, 3, 4, 5}}
	saturdays := recur.Rule{Start: at(2027, time.January, 9, 10), Length: 4 * time.Hour, Freq: recur.Weekly}
	must(d.Do(desk.SetTerms{On: "lab", Terms: desk.Terms{Open: must(recur.Hours(year, whole, days, saturdays))}}))
	weeks := recur.Rule{Start: year.Epoch, Length: 7 * 24 * time.Hour, Freq: recur.Weekly} // of which one has 169 hours
	student := desk.Quota{Label: "student", Each: true, Ticks: 8 * 4, Periods: must(weeks.Occurrences(year, whole))}
	must(d.Do(desk.SetQuota{Name: "student", Quota: student}))

	for _, c := range []struct {
		name  string
		start time.Time
		hours int
		seats int64
	}{
		{"statistics", at(2027, time.January, 4, 10), 2, 32},
		{"compilers", at(2027, time.January, 4, 11), 2, 20}, // meets statistics
		{"geography", at(2027, time.January, 4, 12), 1, 24},
		{"compilers", at(2027, time.January, 6, 9), 2, 20},
		{"astronomy", at(2027, time.January, 8, 19), 2, 10}, // when the lab is closed
	} {
		rule := recur.Rule{Start: c.start, Length: time.Duration(c.hours) * time.Hour, Freq: recur.Weekly}
		for start := range rule.Between(time.Time{}, at(2028, time.January, 1, 0)) {
			if slices.ContainsFunc(holidays, func(h [2]time.Time) bool { return !start.Before(h[0]) && start.Before(h[1]) }) {
				rule.Except = append(rule.Except, start)
			}
		}
		out, err := d.Do(desk.BookSeries{
			Request: desk.Request{Owner: c.name, Title: c.name, Shapes: []desk.Shape{{{On: "lab", Units: c.seats}}}},
			At:      must(rule.Occurrences(year, whole)),
		})
		var refused *desk.OccurrenceError
		if errors.As(err, &refused) {
			fmt.Printf("%-10s  no place: %s\n", c.name, when(refused.Window))
			continue
		}
		check(err)
		fmt.Printf("%-10s  %d times:", c.name, len(out.Occurrences))
		for _, i := range []int{0, 10, len(out.Occurrences) - 1} { // in winter, in summer, and in winter again
			fmt.Print("  ", when(must(d.Booking(out.Occurrences[i])).Interval))
		}
		fmt.Println()
	}

	// Monday, a quarter to ten: students ask for two hours until noon, and those who find no place wait. Ann has used a half of
	// her week, so that she can have three desktops in the next week at the earliest.
	must(d.Do(desk.Advance{Now: 39}))
	for _, s := range []struct {
		name     string
		seats    int64
		deadline bookahead.Time
	}{{"ann", 2, 48}, {"bob", 2, 48}, {"cho", 8, 48}, {"dee", 3, 48}, {"eve", 4, 48}, {"ann", 3, 0}} {
		b := must(d.Do(desk.Book{Wait: 48, Request: desk.Request{
			Owner: s.name, Labels: []string{"student"}, Deadline: s.deadline,
			Shapes: []desk.Shape{{{On: "lab", Units: s.seats, Duration: 8}}},
		}})).Booking
		if b.State == desk.Waiting {
			fmt.Printf("%s waits for %d\n", s.name, s.seats)
			continue
		}
		fmt.Printf("%s has %d, %s\n", s.name, s.seats, when(b.Interval))
	}
	for b := range d.Bookings(desk.Filter{Owner: "dee"}, bookahead.Effort{}) {
		for _, e := range must(d.Do(desk.Cancel{ID: b.ID})).Events {
			fmt.Println(e.Owner, e.What)
		}
	}

	// Compilers as a calendar, in UTC: an event for each time.
	var calendar strings.Builder
	events := must(gantt.Events(d.Bookings(desk.Filter{Owner: "compilers"}, bookahead.Effort{}), "lab.example"))
	check(recur.WriteCalendar(&calendar, slices.Values(events), year, year.Epoch))
	head, rest, _ := strings.Cut(strings.ReplaceAll(calendar.String(), "\r", ""), "END:VEVENT")
	fmt.Printf("%sEND:VEVENT\nand %d more\n", head, strings.Count(rest, "END:VEVENT"))
}

// at is a time by the clock on the wall.
func at(year int, month time.Month, day, hour int) time.Time {
	return time.Date(year, month, day, hour, 0, 0, 0, campus)
}

func when(i bookahead.Interval) string {
	return must(year.Wall(i.Start)).Format("Mon 2 Jan 15:04 MST") + " to " + must(year.Wall(i.End)).Format("15:04")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
