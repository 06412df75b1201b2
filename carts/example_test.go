package carts_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Eight processors, of which six are taken: a job that needs four waits until they are given
// back.
func ExampleIndexed() {
	pool := must(carts.NewIndexed(8, carts.Config{}))
	first := must(pool.Reserve(bookahead.Request{Ready: 10, Duration: 30, Units: 6}))
	job := bookahead.Request{Ready: 5, Duration: 20, Units: 4}
	fmt.Println(pool.Search(job))
	fmt.Println(must(pool.RangeQuery(bookahead.Interval{Start: 5, End: 25})).Free, "are free all the time")

	fmt.Println(pool.Release(first.ID))
	fmt.Println(pool.Search(job))
	// Output:
	// [40, 60) 4 <nil>
	// 2 are free all the time
	// <nil>
	// [5, 25) 4 <nil>
}

// A meeting takes longer and needs fewer seats. It keeps its ID, and a request that does not
// fit leaves it as it was.
func ExampleIndexed_Rebook() {
	seats := must(carts.NewIndexed(10, carts.Config{}))
	meeting := must(seats.Reserve(bookahead.Request{Ready: 60, Duration: 30, Units: 8}))
	must(seats.Reserve(bookahead.Request{Ready: 90, Duration: 30, Units: 5}))

	_, err := seats.Rebook(meeting.ID, bookahead.At(60, 40, 8))
	fmt.Println(err)
	fmt.Println(seats.Rebook(meeting.ID, bookahead.At(60, 40, 5)))
	// Output:
	// bookahead: no capacity for the request
	// #1 [60, 100) 5 <nil>
}

// A backup that must be done by 100 starts as late as it can, to have the newest data.
func ExampleIndexed_SearchLatest() {
	line := must(carts.NewIndexed(10, carts.Config{}))
	must(line.Reserve(bookahead.Request{Ready: 70, Duration: 20, Units: 6}))
	backup := bookahead.Request{Deadline: 100, Duration: 25, Units: 8}
	fmt.Println(line.Search(backup))
	last := must(line.SearchLatest(backup))
	fmt.Println(last)
	fmt.Println(line.Reserve(last.Request())) // Reserve itself would take the first
	// Output:
	// [0, 25) 8 <nil>
	// [45, 70) 8
	// #2 [45, 70) 8 <nil>
}

// Existing reservations become a schedule at once. The first has been running since 2.
func ExampleConfig() {
	offer := func(start, end bookahead.Time, units int64) bookahead.Offer {
		return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
	}
	pool := must(carts.NewFlat(4, carts.Config{Origin: 5, Booked: []bookahead.Offer{offer(2, 6, 3), offer(6, 12, 1)}}))
	for b := range pool.Blocks(bookahead.Interval{Start: 0, End: 20}) {
		fmt.Println(b.Interval, b.Units)
	}
	fmt.Println(pool.Reservation(1))
	// Output:
	// [5, 6) 1
	// [6, 12) 3
	// [12, 20) 4
	// #1 [2, 6) 3 <nil>
}

// A reservation has been running since 2, and another follows it at once.
func ExampleGenerate() {
	fmt.Println(must(carts.Generate(4, 5, []bookahead.Offer{
		{Interval: bookahead.Interval{Start: 2, End: 6}, Units: 3},
		{Interval: bookahead.Interval{Start: 6, End: 12}, Units: 1},
	})))
	// Output: [{5 1} {6 3} {12 4}]
}
