package grid_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/idletree"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Two clusters behind one schedule: a request that does not fit at once in the first
// is booked in the second.
func ExampleBroker() {
	small, large := must(carts.NewIndexed(16, carts.Config{})), must(carts.NewIndexed(64, carts.Config{}))
	b := must(grid.NewBroker(grid.Config{}, small, large))

	for _, units := range []int64{12, 12, 60} {
		res := must(b.Reserve(bookahead.Request{Duration: 100, Units: units}))
		fmt.Println(res, "at", must(b.Place(res.ID)))
	}
	fmt.Println(b.Release(1), must(b.RangeQuery(bookahead.Interval{Start: 0, End: 100})).Free)
	// Output:
	// #1 [0, 100) 12 at {0 1}
	// #2 [0, 100) 12 at {1 1}
	// #3 [100, 200) 60 at {1 2}
	// <nil> 52
}

// A reservation that needs more than its provider has moves to another one, and keeps its ID.
func ExampleBroker_Rebook() {
	small, large := must(carts.NewIndexed(16, carts.Config{})), must(carts.NewIndexed(64, carts.Config{}))
	b := must(grid.NewBroker(grid.Config{}, small, large))
	res := must(b.Reserve(bookahead.At(50, 100, 12)))
	fmt.Println(res, "at", must(b.Place(res.ID)))

	res = must(b.Rebook(res.ID, bookahead.At(50, 100, 40)))
	fmt.Println(res, "at", must(b.Place(res.ID)))

	if err := b.Advance(60); err != nil { // it is running, and stays where it is
		log.Fatal(err)
	}
	res = must(b.Rebook(res.ID, bookahead.Request{Duration: 120, Units: 10}))
	fmt.Println(res, "at", must(b.Place(res.ID)))
	// Output:
	// #1 [50, 150) 12 at {0 1}
	// #1 [50, 150) 40 at {1 1}
	// #1 [50, 170) 10 at {1 1}
}

// Reservations gather at the provider that is named first, even if they start
// later there.
func ExamplePriority() {
	first, second := must(carts.NewIndexed(8, carts.Config{})), must(carts.NewIndexed(8, carts.Config{}))
	b := must(grid.NewBroker(grid.Config{Policy: grid.Priority}, first, second))
	for _, deadline := range []bookahead.Time{50, 50, 10} {
		res := must(b.Reserve(bookahead.Request{Deadline: deadline, Duration: 10, Units: 5}))
		fmt.Println(res, "at provider", must(b.Place(res.ID)).Provider)
	}
	// Output:
	// #1 [0, 10) 5 at provider 0
	// #2 [10, 20) 5 at provider 0
	// #3 [0, 10) 5 at provider 1
}

// A policy of one's own: large requests go to the largest provider that offers
// anything, small ones to the smallest.
func ExamplePolicyFunc() {
	bySize := grid.PolicyFunc(func(b grid.Bids) int {
		best := -1
		for k := range b.Len() {
			if _, ok := b.Offer(k); !ok {
				continue
			}
			if large := b.Request().Units > 4; best < 0 || large == (b.Capacity(k) > b.Capacity(best)) {
				best = k
			}
		}
		return best
	})
	b := must(grid.NewBroker(grid.Config{Policy: bySize},
		must(carts.NewIndexed(8, carts.Config{})), must(carts.NewIndexed(64, carts.Config{})), must(carts.NewIndexed(16, carts.Config{}))))
	for _, units := range []int64{2, 8} {
		res := must(b.Reserve(bookahead.Request{Duration: 10, Units: units}))
		fmt.Println(res, "at provider", must(b.Place(res.ID)).Provider)
	}
	// Output:
	// #1 [0, 10) 2 at provider 0
	// #2 [0, 10) 8 at provider 1
}

// Data is staged in over a line, computed on, shown meanwhile, and staged out over
// the same line: all at the first time at which each has room.
func ExampleCoAllocate() {
	line := must(carts.NewIndexed(100, carts.Config{}))
	nodes := must(idletree.NewTree(4, idletree.Config{Prefer: idletree.LowestIndex}))
	must(nodes.Reserve(bookahead.Request{Duration: 50, Units: 3}))          // until 50
	must(line.Reserve(bookahead.Request{Ready: 45, Duration: 5, Units: 1})) // and all of the line is wanted

	job := grid.Job{Parts: []grid.Part{
		{On: line, Duration: 10, Units: 100},
		{On: nodes, Offset: 10, Duration: 30, Units: 2},
		{On: nodes, Offset: 20, Duration: 20, Units: 1},
		{On: line, Offset: 40, Duration: 10, Units: 100},
	}}
	a := must(grid.CoAllocate(job))
	for _, part := range a.Parts {
		fmt.Println(part)
	}
	fmt.Println(a.Release())
	// Output:
	// #2 [50, 60) 100
	// #2 [60, 90) [0 1]
	// #3 [70, 90) [2]
	// #3 [90, 100) 100
	// <nil>
}
