package desk_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// A day of two owners: the bookings of the morning, the bookings of one owner, and how much both have used.
func ExampleDesk_Bookings() {
	d, err := desk.New(desk.Config{Keep: 24})
	if err != nil {
		log.Fatal(err)
	}
	book := func(owner, title string, ready bookahead.Time, units int64) desk.Command {
		return desk.Book{Request: desk.Request{Owner: owner, Title: title, Ready: ready, Shapes: []desk.Shape{{{On: "gpus", Units: units, Duration: 3}}}}}
	}
	for _, command := range []desk.Command{
		desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}},
		book("ann", "train", 0, 8),
		book("bob", "render", 0, 4),
		book("ann", "test", 9, 2),
		desk.Advance{Now: 5},
	} {
		_, err := d.Do(command)
		if err != nil {
			log.Fatal(err)
		}
	}

	morning := bookahead.Interval{Start: 0, End: 6}
	for b := range d.Bookings(desk.Filter{Window: morning}, bookahead.Effort{}) {
		fmt.Println("morning:", b.Title, b)
	}
	for b := range d.Bookings(desk.Filter{Owner: "ann", States: []desk.State{desk.Booked}}, bookahead.Effort{}) {
		fmt.Println("ann, to come:", b.Title, b.Interval)
	}
	use, err := d.Use(morning, "gpus", bookahead.Effort{})
	if err != nil {
		log.Fatal(err)
	}
	for _, u := range use {
		fmt.Println(u.Owner, "has", u.Ticks[0], "of", 8*6, "GPU hours")
	}
	// Output:
	// morning: train #1 ended [0, 3)
	// morning: render #2 running [3, 6)
	// ann, to come: test [9, 12)
	// ann has 24 of 48 GPU hours
	// bob has 12 of 48 GPU hours
}
