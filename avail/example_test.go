package avail_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// When can data leave for a cluster two links away, and when can the task that
// needs it run there?
func Example() {
	near := must(avail.Parse("1110111100111111"))
	far := must(avail.Parse("0011111101101111"))
	cluster := must(avail.Parse("1101111111001111"))

	path := near.Compose(far, 2*2) // 2 slots to the end of the near link, and back
	fmt.Println(path)

	arrival, ok := path.EST(3, 6) // 3 slots of data, 6 slots of delay
	fmt.Println(arrival, ok)
	fmt.Println(cluster.Mask(arrival))
	fmt.Println(cluster.NextRun(arrival, 4)) // the task runs for 4 slots
	// Output:
	// 1110011000110000
	// 9 true
	// 0000000001001111
	// 12 true
}

func ExampleDiscretise() {
	cluster := must(carts.NewFlat(4, carts.Config{}))
	must(cluster.Reserve(bookahead.Request{Ready: 7, Duration: 10, Units: 3}))

	axis := avail.Axis{Width: 5, Slots: 6}
	window := must(axis.Window())
	for _, units := range []int64{1, 2} {
		fmt.Println(must(avail.Discretise(cluster.Blocks(window), axis, units)))
	}
	// Output:
	// 111111
	// 100011
}

func ExampleVector_Compose() {
	v := must(avail.Parse("11101111"))
	o := must(avail.Parse("01111101"))
	fmt.Println(v.Compose(o, 0))
	fmt.Println(v.Compose(o, 1))
	fmt.Println(v.Compose(o, 2))
	// Output:
	// 01101101
	// 11101010
	// 11100100
}

func ExampleVector_Starts() {
	v := must(avail.Parse("0111101110"))
	fmt.Println(v.FirstRun(3))
	fmt.Println(v.Starts(3))
	fmt.Println(v.FirstRun(5))
	// Output:
	// 1 true
	// 0110001000
	// 0 false
}

func ExampleVector_Dominates() {
	v, o := must(avail.Parse("0110")), must(avail.Parse("0100"))
	fmt.Println(v.Covers(o), v.Dominates(o))
	fmt.Println(v.Covers(v), v.Dominates(v))
	// Output:
	// true true
	// true false
}

func ExampleRuns() {
	year := must(avail.NewRuns(365 * 24 * 3600)) // a slot is a second
	year.Set(3_600, 7_200)
	year.Set(86_400, 365*24*3600)
	for run := range year.All() {
		fmt.Println(run, run.Len())
	}
	fmt.Println(year.FirstRun(5_000))
	// Output:
	// [3600, 7200) 3600
	// [86400, 31536000) 31449600
	// 86400 true
}

// Three rooms, booked by the half hour.
func ExampleSchedule() {
	rooms := must(avail.NewSchedule(3, avail.Config{Horizon: 7 * 24 * 60, Slot: 30})) // in minutes
	fmt.Println(must(rooms.Reserve(bookahead.Request{Ready: 545, Duration: 50, Units: 2})))

	fmt.Println(must(rooms.Search(bookahead.Request{Ready: 560, Duration: 20, Units: 1})))
	fmt.Println(must(rooms.Search(bookahead.Request{Ready: 560, Duration: 20, Units: 2})))
	fmt.Println(must(rooms.RangeQuery(bookahead.Interval{Start: 595, End: 600})))
	// Output:
	// #1 [545, 595) [0 1]
	// [560, 580) [2]
	// [600, 620) [0 1]
	// {[595, 600) 1 [2]}
}
