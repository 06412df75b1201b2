package bookahead_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// A Keeper lists its limits and its reservations, in the order of their starts, and changes a
// reservation in place: #1 moves forward into the gap that #2 leaves.
func ExampleKeeper() {
	pool, _ := carts.NewIndexed(4, carts.Config{Horizon: 100})
	var k bookahead.Keeper = pool
	for _, ready := range []bookahead.Time{40, 0, 20} {
		_, _ = k.Reserve(bookahead.At(ready, 10, 3))
	}
	_ = k.Advance(15) // #2 has ended
	anytime := bookahead.Request{Duration: 10, Units: 4}
	fmt.Println(k.SearchFor(1, anytime))
	fmt.Println(k.Rebook(1, bookahead.Request{Duration: 5, Units: 4}))
	for r := range k.Reservations(k.Frame().Window()) {
		fmt.Println(r)
	}
	// Output:
	// [30, 40) 4 <nil>
	// #1 [15, 20) 4 <nil>
	// #1 [15, 20) 4
	// #3 [20, 30) 3
}
