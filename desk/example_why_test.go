package desk_test

import (
	"fmt"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// A refusal names the bookings in the way, and their end; Alternatives has the next best places.
func ExampleDesk_Why() {
	d, err := desk.New(desk.Config{})
	check(err)
	_, err = d.Do(desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	check(err)
	wish := func(owner string, units int64, hours bookahead.Duration, deadline bookahead.Time) desk.Request {
		return desk.Request{Owner: owner, Deadline: deadline, Shapes: []desk.Shape{{{On: "gpus", Units: units, Duration: hours}}}}
	}
	_, err = d.Do(desk.Book{Request: wish("ann", 4, 6, 6)})
	check(err)

	clock := bookahead.Clock{Epoch: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), Tick: time.Hour}
	bob := wish("bob", 8, 3, 8)
	_, err = d.Do(desk.Book{Request: bob})
	fmt.Println(err == bookahead.ErrUnavailable)
	why, err := d.Why(bob, bookahead.Effort{})
	check(err)
	for _, o := range why.Obstacles {
		fmt.Println(o.Text(clock, "15:04"))
	}
	fewer := desk.Vary{Units: desk.Down[int64](8, 2, 2), Durations: desk.Down[bookahead.Duration](3, 1, 1), Until: 8}
	for k, err := range d.Alternatives(bob, fewer, bookahead.Effort{}) {
		check(err)
		fmt.Println(k.Places[0])
	}
	// Output:
	// true
	// 8 units of "gpus" are taken by #1, and free at 14:00
	// 8 of "gpus" [6, 8)
	// 4 of "gpus" [0, 3)
}
