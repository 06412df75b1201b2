package volume_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/volume"
)

// A backup of 20 gigabytes goes over a link of 4 gigabytes an hour, on which others have booked.
func Example() {
	link, err := carts.NewIndexed(4, carts.Config{})
	if err != nil {
		panic(err)
	}
	for _, r := range []bookahead.Request{bookahead.At(3, 2, 3), bookahead.At(5, 11, 2)} {
		_, err = link.Reserve(r)
		if err != nil {
			panic(err)
		}
	}
	backup := volume.Request{Volume: 20, Most: 4}
	for _, change := range []func(*volume.Request){
		func(*volume.Request) {},
		func(r *volume.Request) { r.Stretches = 2 },
		func(r *volume.Request) { r.Least = 2 },
		func(r *volume.Request) { r.Stretches, r.Least = 1, 4 },
	} {
		r := backup
		change(&r)
		p, err := volume.Search(link, r, bookahead.Effort{})
		if err != nil {
			panic(err)
		}
		fmt.Printf("done at %d:", p.Completion())
		for _, s := range p.Stretches {
			fmt.Printf(" %d in %v", s.Units, s.Interval)
		}
		fmt.Println()
	}
	// Output:
	// done at 8: 4 in [0, 3) 1 in [3, 5) 2 in [5, 8)
	// done at 9: 4 in [0, 3) 2 in [5, 9)
	// done at 15: 2 in [5, 15)
	// done at 21: 4 in [16, 21)
}
