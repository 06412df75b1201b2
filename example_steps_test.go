package bookahead_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// The free units over time, as a curve to draw, and the changes around tick 5.
func ExampleSteps() {
	s, _ := carts.NewIndexed(4, carts.Config{})
	_, _ = s.Reserve(bookahead.At(3, 4, 3))
	_, _ = s.Reserve(bookahead.At(6, 2, 1))
	steps, _ := bookahead.Steps(s, bookahead.Interval{Start: 0, End: 12})
	for step := range steps {
		fmt.Println(step.Interval, step.Free)
	}
	fmt.Println(bookahead.PreviousChange(s, 5))
	fmt.Println(bookahead.NextChange(s, 5))
	// Output:
	// [0, 3) 4
	// [3, 6) 1
	// [6, 7) 0
	// [7, 8) 3
	// [8, 12) 4
	// 3 true
	// 6 true
}

// The utilisation of a window: the unit-ticks that are booked, and those that are free.
func ExampleUsage() {
	s, _ := carts.NewIndexed(4, carts.Config{})
	_, _ = s.Reserve(bookahead.At(3, 4, 3))
	used, free, _ := bookahead.Usage(s, bookahead.Interval{Start: 0, End: 12})
	fmt.Println(used, free)
	// Output:
	// 12 36
}

// The two largest gaps of a pool, to sell, and the booking of the second.
func ExampleRectangles() {
	s, _ := carts.NewIndexed(4, carts.Config{})
	_, _ = s.Reserve(bookahead.At(4, 4, 3))
	gaps, _ := bookahead.Rectangles(s, bookahead.Interval{Start: 0, End: 12}, 2)
	for _, gap := range gaps {
		fmt.Println(gap.Interval, gap.Units)
	}
	fmt.Println(s.Reserve(bookahead.At(gaps[1].Start, gaps[1].Len(), gaps[1].Units)))
	// Output:
	// [0, 4) 4
	// [8, 12) 4
	// #2 [8, 12) 4 <nil>
}

// The reservations that start and end while the clock moves on: #2 runs from 5 to 9.
func ExampleAdvance() {
	s, _ := carts.NewIndexed(4, carts.Config{})
	_, _ = s.Reserve(bookahead.At(3, 4, 3))
	_, _ = s.Reserve(bookahead.At(5, 4, 1))
	for _, now := range []bookahead.Time{4, 9} {
		passed, _ := bookahead.Advance(s, now)
		fmt.Println(now, passed.Started, passed.Ended)
	}
	// Output:
	// 4 [#1 [3, 7) 3] []
	// 9 [#2 [5, 9) 1] [#1 [3, 7) 3 #2 [5, 9) 1]
}
