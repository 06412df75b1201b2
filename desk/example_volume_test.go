package desk_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/volume"
)

// A link of 8 gigabytes an hour is open to copies from 22 to 6 o'clock, and a team has at most 5 of it at once. Others have booked
// until midnight. The copy of 30 gigabytes is one booking.
func ExampleDesk_VolumeRequest() {
	d, err := desk.New(desk.Config{})
	if err != nil {
		panic(err)
	}
	for _, c := range []desk.Command{
		desk.AddSchedule{Name: "link", Kind: desk.Pool{Units: 8}},
		desk.SetTerms{On: "link", Terms: desk.Terms{Open: []bookahead.Interval{{Start: 22, End: 30}, {Start: 46, End: 54}}}},
		desk.SetQuota{Name: "teams", Quota: desk.Quota{Each: true, Units: 5}},
		desk.Book{Request: desk.Request{Owner: "ops", Ready: 22, Shapes: []desk.Shape{{{On: "link", Units: 5, Duration: 2}}}}},
	} {
		_, err := d.Do(c)
		if err != nil {
			panic(err)
		}
	}
	copies := volume.Request{Volume: 30, Deadline: 30}
	r, plan, err := d.VolumeRequest(desk.Request{Owner: "team blue", Title: "nightly copy"}, "link", copies, bookahead.Effort{})
	if err != nil {
		panic(err)
	}
	out, err := d.Do(desk.Book{Key: "copy of 1 May", Request: r})
	if err != nil {
		panic(err)
	}
	fmt.Println("done at", plan.Completion())
	for _, p := range out.Booking.Places {
		fmt.Println(p)
	}
	_, err = d.Do(desk.Cancel{ID: out.Booking.ID})
	fmt.Println("cancelled as one:", err)
	// Output:
	// done at 29
	// 3 of "link" [22, 24)
	// 5 of "link" [24, 29)
	// cancelled as one: <nil>
}
