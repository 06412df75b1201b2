package desk_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// A classroom, in hours: a course takes it on Mondays from 8 to 10 and on Wednesdays from 14 to 16. On the second
// Wednesday somebody has the room from 14 to 15. So either that occurrence is left out, or all of them come an hour later.
// The desk knows no calendar: the caller makes the windows.
func ExampleBookSeries() {
	d, err := desk.New(desk.Config{Keep: 24})
	if err != nil {
		log.Fatal(err)
	}
	do := func(c desk.Command) desk.Outcome {
		out, err := d.Do(c)
		if err != nil {
			log.Fatal(err)
		}
		return out
	}
	const day, week = 24, 7 * 24
	do(desk.AddSchedule{Name: "room 5", Kind: desk.Pool{Units: 1}})
	taken := do(desk.Book{Request: desk.Request{
		Owner: "bob", Ready: week + 2*day + 14, Shapes: []desk.Shape{{{On: "room 5", Units: 1, Duration: 1}}},
	}})

	var at desk.Occurrences
	for monday := bookahead.Time(0); monday < 2*week; monday += week {
		at = append(at,
			bookahead.Interval{Start: monday + 8, End: monday + 10},
			bookahead.Interval{Start: monday + 2*day + 14, End: monday + 2*day + 16})
	}
	course := desk.BookSeries{
		Key:     "algebra",
		Request: desk.Request{Owner: "ann", Title: "Algebra", Shapes: []desk.Shape{{{On: "room 5", Units: 1}}}},
		At:      at,
	}
	_, err = d.Do(course)
	fmt.Println(err)

	partly := course
	partly.Partly = true
	trial := d.Clone()
	out, err := trial.Do(partly)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("as many as fit:", out.Occurrences, "refused:", out.Refused)

	course.Shift = 3
	course.Needs = 2 * week
	out = do(course)
	s, err := d.Series(out.Series)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("all, later by", s.Shift, "hour")

	do(desk.Cancel{ID: taken.Booking.ID})
	do(desk.Cancel{ID: out.Occurrences[0]}) // a holiday
	for b := range d.Bookings(desk.Filter{Series: s.ID, States: []desk.State{desk.Booked}}, bookahead.Effort{}) {
		fmt.Println(b)
	}

	for _, e := range do(desk.Advance{Now: 2 * week}).Events {
		if e.What == desk.NeedsMore {
			fmt.Println(e.Owner, "needs more at", e.At)
		}
	}
	out = do(desk.Continue{ID: s.ID, Needed: s.Needs, At: desk.Occurrences{{Start: 2*week + 9, End: 2*week + 11}}})
	fmt.Println("continued with", out.Occurrences)
	// Output:
	// desk: BookSeries.At[3] [230, 232) has no place: bookahead: no capacity for the request
	// as many as fit: [2 3 4 0] refused: [[230, 232)]
	// all, later by 1 hour
	// #3 booked [63, 65)
	// #4 booked [177, 179)
	// #5 booked [231, 233)
	// ann needs more at 336
	// continued with [6]
}
