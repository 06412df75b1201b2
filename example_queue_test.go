package bookahead_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// A batch scheduler books reservations and running jobs on the cluster itself, and plans its
// queue on a clone. Whenever something changes, the plan is dropped and made anew.
func ExampleClone_queue() {
	cluster, _ := carts.NewIndexed(8, carts.Config{})
	_, _ = cluster.Reserve(bookahead.At(30, 60, 8)) // firm: an exam in all of the lab
	queue := []bookahead.Request{
		{Duration: 40, Units: 4},
		{Duration: 20, Units: 6},
		{Duration: 10, Units: 2},
	}

	plan, _ := bookahead.Clone(cluster)
	now := plan.Frame().Now
	var waiting []bookahead.Request
	for n, job := range queue {
		place, err := plan.Reserve(job) // behind the places of all jobs before it
		if err != nil || place.Start > now {
			waiting = append(waiting, job)
		} else {
			_, err = cluster.Reserve(place.Request()) // it starts, and is firm from now on
		}
		fmt.Println("job", n, place.Interval, err)
	}
	queue = waiting // the jobs for the next plan
	fmt.Println(len(queue), "waiting")
	for r := range cluster.Reservations(cluster.Frame().Window()) {
		fmt.Println("firm:", r)
	}
	// Output:
	// job 0 [90, 130) <nil>
	// job 1 [0, 20) <nil>
	// job 2 [0, 10) <nil>
	// 1 waiting
	// firm: #2 [0, 20) 6
	// firm: #3 [0, 10) 2
	// firm: #1 [30, 90) 8
}
