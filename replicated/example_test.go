package replicated_test

import (
	"context"
	"fmt"
	"os"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated"
)

// A member that is alone keeps a desk in a folder. Its process dies, and another one goes on.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "desk")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	m, err := replicated.Open(replicated.Config{Dir: dir})
	if err != nil {
		panic(err)
	}
	_, err = m.Do(ctx, desk.AddSchedule{Name: "gpus", Kind: desk.Pool{Units: 8}})
	fmt.Println(err)
	night := desk.Request{Owner: "ann", Shapes: []desk.Shape{{{On: "gpus", Units: 6, Duration: 60}}}}
	out, err := m.Do(ctx, desk.Book{Key: "ann's night", Request: night})
	fmt.Println(out.Booking.ID, out.Booking.Interval, err) // it is on the disk
	_ = m.Close()

	m, err = replicated.Open(replicated.Config{Dir: dir})
	if err != nil {
		panic(err)
	}
	defer m.Close()
	out, err = m.Do(ctx, desk.Book{Key: "ann's night", Request: night}) // the same booking
	fmt.Println(out.Booking.ID, out.Booking.Interval, err)
	now, err := m.Read(ctx, replicated.Linearizable)
	if err != nil {
		panic(err)
	}
	for b := range now.Bookings(desk.Filter{Owner: "ann"}, bookahead.Effort{}) {
		fmt.Println(b.ID, b.State)
	}
	// Output:
	// <nil>
	// 1 [0, 60) <nil>
	// 1 [0, 60) <nil>
	// 1 running
}
