package bookahead_test

import (
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// A schedule is saved, and goes on elsewhere as if nothing had happened.
func ExampleSnapshotter() {
	beds, err := carts.NewIndexed(12, carts.Config{Horizon: 365})
	if err != nil {
		log.Fatal(err)
	}
	for night := bookahead.Time(3); night < 6; night++ {
		if _, err := beds.Reserve(bookahead.Request{Ready: night, Duration: 7, Units: 4}); err != nil {
			log.Fatal(err)
		}
	}
	saved, err := beds.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}

	var restored carts.Indexed
	fmt.Println(restored.UnmarshalBinary(saved[:len(saved)-1]) != nil, "for bytes that are cut off")
	if err := restored.UnmarshalBinary(saved); err != nil {
		log.Fatal(err)
	}
	for res := range restored.Reservations(restored.Frame().Window()) {
		fmt.Println(res)
	}
	fmt.Println(restored.Reserve(bookahead.Request{Duration: 7, Units: 4}))
	// Output:
	// true for bytes that are cut off
	// #1 [3, 10) 4
	// #2 [4, 11) 4
	// #3 [5, 12) 4
	// #4 [10, 17) 4 <nil>
}
