package grid_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
)

// A pool counts servers, and a reservation gets its servers when it starts: servers
// that are free by then.
func ExampleBinder() {
	cluster := must(grid.NewBinder(must(carts.NewIndexed(4, carts.Config{}))))
	long := must(cluster.Reserve(bookahead.Request{Ready: 0, Duration: 100, Units: 2}))
	short := must(cluster.Reserve(bookahead.Request{Ready: 0, Duration: 20, Units: 2}))
	later := must(cluster.Reserve(bookahead.Request{Ready: 10, Duration: 30, Units: 2}))
	fmt.Println(long, short, later)

	for _, now := range []bookahead.Time{10, 20} {
		fmt.Println("at", now, cluster.Advance(now))
		for r := range cluster.Running() {
			fmt.Println(r)
		}
	}
	// Output:
	// #1 [0, 100) 2 #2 [0, 20) 2 #3 [20, 50) 2
	// at 10 <nil>
	// #1 [0, 100) [0 1]
	// #2 [0, 20) [2 3]
	// at 20 <nil>
	// #1 [0, 100) [0 1]
	// #3 [20, 50) [2 3]
}
