// Outage is a week in a lab with three microscopes: a course has two of them on three mornings, one breaks,
// and the desk says who has to move, who has lost the place, and who comes in when it is repaired. A tick is an hour.
package main

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

const day = 24

func main() {
	d := must(desk.New(desk.Config{}))
	must(d.Do(desk.AddSchedule{Name: "scope", Kind: desk.Servers{Count: 3, Horizon: 7 * day, Prefer: "lowest"}}))

	// A course on Monday, Wednesday and Friday, from 9 to 12: booked as a whole, and each morning can be changed alone.
	mornings := desk.Occurrences{{Start: 9, End: 12}, {Start: 2*day + 9, End: 2*day + 12}, {Start: 4*day + 9, End: 4*day + 12}}
	course := must(d.Do(desk.BookSeries{
		Request: desk.Request{Owner: "course", Priority: 2, Shapes: []desk.Shape{{{On: "scope", Units: 2}}}}, At: mornings,
	}))
	fmt.Println("course has", len(course.Occurrences), "mornings")

	// Ann grows cells for two days. Bob and Cho have four hours each on Monday.
	book(d, desk.Request{Owner: "ann", Priority: 3, Ready: 6, Shapes: shape(2 * day)})
	book(d, desk.Request{Owner: "bob", Ready: 9, Deadline: day, Shapes: shape(4)})
	book(d, desk.Request{Owner: "cho", Ready: 10, Deadline: 16, Shapes: shape(4)})

	// Monday at 8: a lamp is broken, until further notice. The desk finds other places for those who lose theirs, the
	// most important first. Its events are the list of whom to notify.
	must(d.Do(desk.Advance{Now: 8}))
	broken := must(d.Do(desk.Close{
		On: "scope", Interval: bookahead.Interval{Start: 8, End: bookahead.MaxTime}, Servers: []int{0}, Title: "a new lamp", Force: desk.Anybody,
	}))
	fmt.Println("Mon 8:00, scope 0 is broken")
	tell(broken.Events)

	// Dee needs all three for an hour, and waits for them until Friday.
	all := desk.Request{Owner: "dee", Shapes: []desk.Shape{{{On: "scope", Units: 3, Duration: 1}}}}
	fmt.Println("dee is", must(d.Do(desk.Book{Request: all, Wait: 4 * day})).Booking.State)

	// Tuesday at 15: the lamp has come. Those who gave way keep their new places, and Dee gets hers.
	must(d.Do(desk.Advance{Now: day + 15}))
	fmt.Println("Tue 15:00, scope 0 is repaired")
	tell(must(d.Do(desk.Reopen{ID: broken.Outage})).Events)
}

// shape is one microscope for so many hours.
func shape(hours bookahead.Duration) []desk.Shape {
	return []desk.Shape{{{On: "scope", Units: 1, Duration: hours}}}
}

func book(d *desk.Desk, r desk.Request) {
	b := must(d.Do(desk.Book{Request: r})).Booking
	fmt.Printf("%s has scope %v, %s\n", b.Owner, b.Places[0].Servers, when(b.Interval))
}

// tell notifies the owners.
func tell(events []desk.Event) {
	for _, e := range events {
		switch e.What {
		case desk.WasDisplaced:
			fmt.Printf("  to %s: no place for %s\n", e.Owner, when(e.From))
		case desk.WasMoved:
			fmt.Printf("  to %s: now %s, scope %v\n", e.Owner, when(e.To), e.After[0].Servers)
		case desk.WasBooked:
			fmt.Printf("  to %s: %s is yours\n", e.Owner, when(e.To))
		}
	}
}

func when(i bookahead.Interval) string { return wall(i.Start) + " to " + wall(i.End) }

func wall(t bookahead.Time) string {
	return fmt.Sprintf("%s %d:00", []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}[t/day%7], t%day)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
