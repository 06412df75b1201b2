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
// a job that needs all nodes for 20 hours starts on the third.
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

// An order of one's own: servers 4 to 7 have the large memories, and are taken last. Of
// equals, the tightest idle period is used first.
func ExamplePreferFunc() {
	large := func(p idletree.Period) bool { return p.Server >= 4 }
	smallFirst := idletree.PreferFunc(func(w bookahead.Interval, a, b idletree.Period) int {
		if large(a) != large(b) {
			if large(a) {
				return 1
			}
			return -1
		}
		return idletree.BestFit.Compare(w, a, b)
	})
	nodes := must(idletree.NewTree(8, idletree.Config{Prefer: smallFirst}))
	must(nodes.Reserve(bookahead.Request{Ready: 9, Duration: 5, Units: 1, Servers: []int{2}}))

	fmt.Println(nodes.Search(bookahead.Request{Duration: 9, Units: 1}))
	fmt.Println(nodes.Search(bookahead.Request{Duration: 10, Units: 5}))
	// Output:
	// [0, 9) [2] <nil>
	// [0, 10) [0 1 3 4 5] <nil>
}

// Four seats side by side in any row: two rows of six, in which some are taken.
func ExampleTree_Within() {
	hall, err := idletree.NewTree(12, idletree.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := [][]int{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}
	seats, err := hall.Within(idletree.Layout{Groups: rows, Adjacent: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, taken := range []bookahead.Offer{
		{Interval: bookahead.Interval{Start: 18, End: 21}, Units: 2, Servers: []int{1, 9}},
		{Interval: bookahead.Interval{Start: 21, End: 24}, Units: 1, Servers: []int{3}},
	} {
		if _, err := hall.Reserve(taken.Request()); err != nil {
			fmt.Println(err)
		}
	}
	for range 3 {
		fmt.Println(seats.Reserve(bookahead.Request{Ready: 18, Duration: 3, Units: 4}))
	}
	// Output:
	// #3 [18, 21) [2 3 4 5] <nil>
	// #4 [21, 24) [6 7 8 9] <nil>
	// #5 [24, 27) [0 1 2 3] <nil>
}
