package sim_test

import (
	"fmt"

	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
)

// A cluster of 4 processors: a job of 3, one of 4 that must wait, and a long one of
// 1, which would fit at once, but delay the one that waits.
func Example() {
	jobs := []workload.Job{
		{Submit: 0, Run: 10, Estimate: 10, Units: 3},
		{Submit: 1, Run: 5, Estimate: 5, Units: 4},
		{Submit: 2, Run: 20, Estimate: 20, Units: 1},
	}
	for _, policy := range []sim.Backfill{sim.None{}, sim.FirstFit{}, sim.EASY{}} {
		pool, err := carts.NewIndexed(4, carts.Config{})
		if err != nil {
			panic(err)
		}
		r, err := sim.Run(sim.Config{
			Providers: []sim.Provider{{Schedule: pool, Units: 4, Local: sim.Local{Backfill: policy}}},
		}, sim.FromJobs(jobs))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%T:", policy)
		for _, o := range r.Outcomes {
			fmt.Printf(" [%d, %d)", o.Start, o.End)
		}
		fmt.Printf(", mean wait %.1f\n", r.Metrics().MeanWait)
	}
	// Output:
	// sim.None: [0, 10) [10, 15) [15, 35), mean wait 7.3
	// sim.FirstFit: [0, 10) [22, 27) [2, 22), mean wait 7.0
	// sim.EASY: [0, 10) [10, 15) [15, 35), mean wait 7.3
}
