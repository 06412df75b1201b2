package desk_test

import (
	"fmt"

	"github.com/bookahead/bookahead/desk"
)

// Bob needs all 8 GPUs by tick 12, and they are booked. He waits until tick 6, and gets them when Eve gives hers up: the
// outcome of her command has the events for both.
func ExampleDesk_Waiting() {
	d, err := desk.New(desk.Config{})
	if err != nil {
		panic(err)
	}
	do := func(c desk.Command) desk.Outcome {
		out, err := d.Do(c)
		if err != nil {
			panic(err)
		}
		return out
	}
	gpus := func(owner string, units int64) desk.Request {
		return desk.Request{Owner: owner, Shapes: []desk.Shape{{{On: "gpus", Units: units, Duration: 5}}}, Deadline: 12}
	}
	do(desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	do(desk.Book{Request: gpus("ann", 6)})
	do(desk.Book{Request: gpus("eve", 3)})
	fmt.Println(do(desk.Book{Request: gpus("bob", 8), Wait: 6}).Booking)
	for k := range d.Waiting() {
		fmt.Println(k.Owner, "waits until", k.Expiry)
	}
	for _, e := range do(desk.Cancel{ID: 2}).Events {
		fmt.Println(e.Owner, e.What, e.To)
	}
	// Output:
	// #3 waiting [0, 0)
	// bob waits until 6
	// eve cancelled [0, 0)
	// bob booked [5, 10)
}
