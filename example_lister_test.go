package bookahead_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// What is booked is listed by ID, and what has ended is not. An ability is found by
// type assertion, as not every schedule has it.
func ExampleLister() {
	pool, _ := carts.NewIndexed(4, carts.Config{})
	var s bookahead.Schedule = pool
	for _, ready := range []bookahead.Time{40, 0, 20} {
		_, _ = s.Reserve(bookahead.Request{Ready: ready, Duration: 10, Units: 3})
	}
	_ = s.Advance(15)
	if lister, ok := s.(bookahead.Lister); ok {
		for r := range lister.Reservations() {
			fmt.Println(r)
		}
	}
	// Output:
	// #1 [40, 50) 3
	// #3 [20, 30) 3
}
