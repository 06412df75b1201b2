package desk_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Half of the GPUs are closed for repairs. Whoever loses a place by that finds another, and the
// events say whom to notify.
func ExampleClose() {
	d, err := desk.New(desk.Config{})
	check(err)
	_, err = d.Do(desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	check(err)
	for _, owner := range []string{"ann", "bob"} {
		_, err = d.Do(desk.Book{Request: desk.Request{
			Owner: owner, Ready: 10, Shapes: []desk.Shape{{{On: "gpus", Units: 4, Duration: 5}}},
		}})
		check(err)
	}

	repairs := bookahead.Interval{Start: 8, End: 20}
	out, err := d.Do(desk.Close{On: "gpus", Interval: repairs, Units: 4, Title: "new fans", Force: desk.Anybody})
	check(err)
	for _, e := range out.Events {
		if e.What == desk.WasMoved || e.What == desk.WasDisplaced {
			fmt.Printf("to %s: #%d %v from %v to %v\n", e.Owner, e.Booking, e.What, e.From, e.To)
		}
	}
	// Output:
	// to bob: #2 moved from [10, 15) to [15, 20)
}
