// Classroom books the desktops of a computer lab: classes for a whole term, and
// students on demand in what is left (the use that VCL, the Virtual Computing Lab of
// North Carolina State University, made known). A tick is a minute.
package main

import (
	"errors"
	"fmt"
	"log"
	"time"
	_ "time/tzdata" // wherever it runs

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

const (
	desktops = 40
	weeks    = 12
)

// campus is where the lab is. Clocks go forward there in the tenth week.
var campus = must(time.LoadLocation("America/New_York"))

// term begins on a Monday, when tick 0 is midnight.
var term = bookahead.Clock{Epoch: at(0, time.Monday, 0), Tick: time.Minute}

// class is a course that meets once a week.
type class struct {
	name  string
	day   time.Weekday
	hour  int
	long  time.Duration
	seats int64
}

func main() {
	end := must(term.Floor(at(weeks, time.Monday, 0)))
	lab := must(carts.NewIndexed(desktops, carts.Config{Horizon: bookahead.Duration(end)}))
	for _, c := range []class{
		{"statistics", time.Monday, 10, 2 * time.Hour, 32},
		{"compilers", time.Monday, 11, 2 * time.Hour, 20}, // meets statistics
		{"geography", time.Monday, 12, 90 * time.Minute, 24},
		{"compilers", time.Wednesday, 9, 2 * time.Hour, 20},
	} {
		booked, err := enrol(lab, c)
		if err != nil {
			fmt.Printf("%-10s  %v\n", c.name, err)
			continue
		}
		fmt.Printf("%-10s  %s, last %s\n", c.name, clock(booked[0].Interval), clock(booked[weeks-1].Interval))
	}

	// Monday, a quarter to ten: students ask for two hours, by the end of the day.
	now := must(term.Floor(at(0, time.Monday, 9).Add(45 * time.Minute)))
	if err := lab.Advance(now); err != nil {
		log.Fatal(err)
	}
	groups := []int64{6, 2, 8, 12}
	for _, seats := range groups {
		r := bookahead.Request{Ready: now, Deadline: now + 14*60, Duration: 120, Units: seats}
		got, err := lab.Reserve(r)
		if err != nil {
			fmt.Printf("%2d students: %v\n", seats, err)
			continue
		}
		fmt.Printf("%2d students: %s\n", seats, clock(got.Interval))
	}
	why := must(bookahead.Explain(lab, bookahead.Request{Ready: now, Duration: 120, Units: 8}))
	fmt.Printf("eight more cannot start now: %d are free in %s\n", why.Free, clock(why.Blocked))
}

// enrol books a class in every week, or in none.
func enrol(lab bookahead.Schedule, c class) ([]bookahead.Reservation, error) {
	var booked []bookahead.Reservation
	for week := range weeks {
		start := must(term.Ceil(at(week, c.day, c.hour)))
		long := must(term.Ticks(c.long))
		r, err := lab.Reserve(bookahead.Request{Ready: start, Deadline: start + bookahead.Time(long), Duration: long, Units: c.seats})
		if err != nil {
			for _, b := range booked {
				err = errors.Join(err, lab.Release(b.ID))
			}
			return nil, fmt.Errorf("in week %d: %w", week+1, err)
		}
		booked = append(booked, r)
	}
	return booked, nil
}

// at is a time by the clock on the wall. A week is not always 7 times 24 hours long,
// so it is not a sum of durations.
func at(week int, day time.Weekday, hour int) time.Time {
	return time.Date(2027, time.January, 3+int(day)+7*week, hour, 0, 0, 0, campus)
}

func clock(i bookahead.Interval) string {
	return must(term.Wall(i.Start)).Format("Mon 2 Jan 15:04 MST") + " to " + must(term.Wall(i.End)).Format("15:04")
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
