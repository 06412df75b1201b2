// Classroom books the desktops of a computer lab: classes for a whole term, and
// students on demand in what is left (the use that VCL, the Virtual Computing Lab of
// North Carolina State University, made known). A tick is a minute.
package main

import (
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

const (
	desktops = 40
	weeks    = 12
)

// term begins on a Monday, when tick 0 is midnight.
var term = bookahead.Clock{Epoch: time.Date(2027, time.January, 4, 0, 0, 0, 0, time.UTC), Tick: time.Minute}

// class is a course that meets once a week.
type class struct {
	name  string
	day   time.Duration
	from  time.Duration
	long  time.Duration
	seats int64
}

func main() {
	lab := must(carts.NewIndexed(desktops, carts.Config{Horizon: must(term.Ticks(weeks * 7 * 24 * time.Hour))}))
	const day, hour = 24 * time.Hour, time.Hour
	for _, c := range []class{
		{"statistics", 0 * day, 10 * hour, 2 * hour, 32},
		{"compilers", 0 * day, 11 * hour, 2 * hour, 20}, // meets statistics
		{"geography", 0 * day, 12 * hour, 90 * time.Minute, 24},
		{"compilers", 2 * day, 9 * hour, 2 * hour, 20},
	} {
		booked, err := enrol(lab, c)
		if err != nil {
			fmt.Printf("%-10s  %v\n", c.name, err)
			continue
		}
		fmt.Printf("%-10s  %d weeks, first %s\n", c.name, len(booked), clock(booked[0].Interval))
	}

	// Monday, a quarter to ten: students ask for two hours, by the end of the day.
	now := must(term.Floor(term.Epoch.Add(9*hour + 45*time.Minute)))
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
		start := must(term.Ceil(term.Epoch.Add(time.Duration(week)*7*24*time.Hour + c.day + c.from)))
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

func clock(i bookahead.Interval) string {
	return must(term.Wall(i.Start)).Format("Mon 15:04") + " to " + must(term.Wall(i.End)).Format("15:04")
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
