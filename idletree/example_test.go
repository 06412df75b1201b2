package idletree_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/idletree"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Eight nodes, in hours. Node 7 is out for maintenance on the second day, so that
// what needs all nodes for 20 hours starts on the third.
func ExampleTree() {
	nodes := must(idletree.NewTree(8, idletree.Config{Prefer: idletree.LowestIndex}))
	day := bookahead.Request{Ready: 24, Deadline: 48, Duration: 24, Units: 1, Servers: []int{7}}
	fmt.Println(nodes.Reserve(day))
	fmt.Println(nodes.Reserve(bookahead.Request{Ready: 24, Duration: 12, Units: 3}))

	fmt.Println(nodes.Search(bookahead.Request{Ready: 6, Duration: 20, Units: 8}))
	fmt.Println(must(nodes.RangeQuery(bookahead.Interval{Start: 30, End: 40})).Servers)
	// Output:
	// #1 [24, 48) [7] <nil>
	// #2 [24, 36) [0 1 2] <nil>
	// [48, 68) [0 1 2 3 4 5 6 7] <nil>
	// [3 4 5 6]
}
