package slotted_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/slotted"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// A reservation counts for the whole of each slot that it touches. [8, 22) touches
// three slots of ten ticks: two more units fit from 30 on, though all four are free at
// 2. With slots of one tick nothing is lost.
func ExampleScan() {
	pool := must(slotted.NewScan(4, slotted.Config{Horizon: 100, Slot: 10}))
	fmt.Println(pool.Reserve(bookahead.Request{Ready: 8, Duration: 14, Units: 3}))

	next := bookahead.Request{Ready: 2, Duration: 5, Units: 2}
	fmt.Println(pool.Search(next))

	exact := must(slotted.NewScan(4, slotted.Config{Horizon: 100, Slot: 1}))
	must(exact.Reserve(bookahead.Request{Ready: 8, Duration: 14, Units: 3}))
	fmt.Println(exact.Search(next))
	// Output:
	// #1 [8, 22) 3 <nil>
	// [30, 35) 2 <nil>
	// [2, 7) 2 <nil>
}

// [20, 40) touches two slots of a quarter of an hour, and both are taken to their ends.
func ExampleIndexed() {
	pool := must(slotted.NewIndexed(4, slotted.Config{Horizon: 60, Slot: 15}))
	must(pool.Reserve(bookahead.Request{Ready: 20, Duration: 20, Units: 3}))
	for b := range pool.Blocks(bookahead.Interval{Start: 0, End: 60}) {
		fmt.Println(b.Interval, b.Units)
	}
	// Output:
	// [0, 15) 4
	// [15, 45) 1
	// [45, 60) 4
}
