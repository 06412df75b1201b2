package bookahead_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

func Example() {
	// Eight GPUs; one tick is a minute.
	gpus, err := carts.NewIndexed(8, carts.Config{})
	if err != nil {
		log.Fatal(err)
	}
	// A nightly job holds six of them from minute 60 on, for an hour.
	night, err := gpus.Reserve(bookahead.Request{Ready: 60, Duration: 60, Units: 6})
	if err != nil {
		log.Fatal(err)
	}
	// Four for half an hour, as soon as possible after minute 45.
	offer, err := gpus.Search(bookahead.Request{Ready: 45, Duration: 30, Units: 4})
	fmt.Println(offer, err)

	// By minute 90 it cannot be done, unless the nightly job gives way.
	urgent := bookahead.Request{Ready: 45, Deadline: 90, Duration: 30, Units: 4}
	_, err = gpus.Search(urgent)
	fmt.Println(err)
	if err := gpus.Release(night.ID); err != nil {
		log.Fatal(err)
	}
	fmt.Println(gpus.Reserve(urgent))
	// Output:
	// [120, 150) 4 <nil>
	// bookahead: no capacity for the request
	// #2 [45, 75) 4 <nil>
}

func ExampleOffers() {
	s, _ := carts.NewIndexed(4, carts.Config{})
	_, _ = s.Reserve(bookahead.Request{Ready: 3, Duration: 4, Units: 3})
	for o := range bookahead.Offers(s, bookahead.Request{Duration: 2, Units: 2, Deadline: 10}) {
		fmt.Println(o)
	}
	// Output:
	// [0, 2) 2
	// [1, 3) 2
	// [7, 9) 2
	// [8, 10) 2
}

// The starts at which two units are free for two ticks, as half-open ranges, and the last
// of them.
func ExampleOpenings() {
	s, _ := carts.NewIndexed(4, carts.Config{})
	_, _ = s.Reserve(bookahead.At(3, 4, 3))
	r := bookahead.Request{Duration: 2, Units: 2, Deadline: 10}
	for starts := range bookahead.Openings(s, r) {
		fmt.Println(starts)
	}
	fmt.Println(bookahead.SearchLatest(s, r))
	// Output:
	// [0, 2)
	// [7, 9)
	// [8, 10) 2 <nil>
}

func ExampleProfiler() {
	s, _ := carts.NewIndexed(4, carts.Config{})
	_, _ = s.Reserve(bookahead.Request{Ready: 3, Duration: 4, Units: 3})
	for b := range s.Blocks(bookahead.Interval{Start: 0, End: 10}) {
		fmt.Println(b.Interval, b.Units)
	}
	// Output:
	// [0, 3) 4
	// [3, 7) 1
	// [7, 10) 4
}

func ExampleCloner() {
	s, _ := carts.NewBTree(4, carts.Config{})
	_, _ = s.Reserve(bookahead.Request{Duration: 10, Units: 3})

	whatIf := s.Clone()
	_, _ = whatIf.Reserve(bookahead.Request{Duration: 10, Units: 1})
	r := bookahead.Request{Duration: 5, Units: 1}
	fmt.Println(whatIf.Search(r))
	fmt.Println(s.Search(r))
	// Output:
	// [10, 15) 1 <nil>
	// [0, 5) 1 <nil>
}

func ExampleLocked() {
	pool, _ := carts.NewIndexed(4, carts.Config{})
	s := bookahead.Locked(pool) // for use by any number of goroutines
	bookahead.Update(s, func(s bookahead.Schedule) {
		// Two reservations, and nobody gets in between.
		_, _ = s.Reserve(bookahead.Request{Duration: 10, Units: 3})
		_, _ = s.Reserve(bookahead.Request{Duration: 10, Units: 1})
	})
	fmt.Println(s.Search(bookahead.Request{Duration: 5, Units: 1}))
	// Output:
	// [10, 15) 1 <nil>
}
