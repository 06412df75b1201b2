package freelist_test

import (
	"fmt"
	"iter"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/freelist"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// The picture of the package: the same free capacity, cut into blocks in two ways.
func Example() {
	config := freelist.Config{Horizon: 10}
	flat := must(freelist.NewTimeExclusive(3, config))
	layers := must(freelist.NewCapacityHierarchical(3, config))
	for _, s := range []bookahead.Schedule{flat, layers} {
		must(s.Reserve(bookahead.Request{Ready: 0, Duration: 4, Units: 1}))
		must(s.Reserve(bookahead.Request{Ready: 8, Duration: 2, Units: 2}))
	}
	for _, blocks := range []iter.Seq[bookahead.Block]{
		flat.Blocks(bookahead.Interval{End: 10}), layers.Blocks(bookahead.Interval{End: 10}),
	} {
		for b := range blocks {
			fmt.Println(b.Interval, b.Units)
		}
		fmt.Println("--")
	}
	// Output:
	// [0, 4) 2
	// [4, 8) 3
	// [8, 10) 1
	// --
	// [0, 10) 1
	// [0, 8) 1
	// [4, 8) 1
	// --
}

// A list of used blocks finds the free units between its blocks.
func ExampleUsed() {
	pool := must(freelist.NewUsed(3, freelist.Config{}))
	must(pool.Reserve(bookahead.Request{Ready: 5, Duration: 10, Units: 2}))
	fmt.Println(pool.Search(bookahead.Request{Ready: 2, Duration: 4, Units: 1}))
	fmt.Println(pool.Search(bookahead.Request{Ready: 2, Duration: 4, Units: 2}))
	// Output:
	// [2, 6) 1 <nil>
	// [15, 19) 2 <nil>
}
