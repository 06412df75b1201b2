package desk_test

import (
	"fmt"

	"github.com/bookahead/bookahead/desk"
)

// Nobody has more than four GPUs at once. A Book finds the earliest place at which the quota has
// room, too.
func ExampleSetQuota() {
	d, err := desk.New(desk.Config{})
	check(err)
	_, err = d.Do(desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	check(err)
	_, err = d.Do(desk.SetQuota{Name: "four each", Quota: desk.Quota{Each: true, On: []string{"gpus"}, Units: 4}})
	check(err)
	for _, owner := range []string{"ann", "ann", "bob"} {
		out, err := d.Do(desk.Book{Request: desk.Request{
			Owner: owner, Shapes: []desk.Shape{{{On: "gpus", Units: 3, Duration: 60}}},
		}})
		check(err)
		fmt.Println(owner, out.Booking)
	}
	// Output:
	// ann #1 running [0, 60)
	// ann #2 booked [60, 120)
	// bob #3 running [0, 60)
}
