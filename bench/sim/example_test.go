package sim_test

import (
	"fmt"

	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/plan"
)

// A cluster of 4 processors: a job of 3, one of 4 that must wait, and a long one of
// 1, which would fit at once, but delay the one that waits.
func Example() {
	jobs := []workload.Job{
		{Submit: 0, Run: 10, Estimate: 10, Units: 3},
		{Submit: 1, Run: 5, Estimate: 5, Units: 4},
		{Submit: 2, Run: 20, Estimate: 20, Units: 1},
	}
	for _, policy := range []struct {
		name string
		plan.Backfill
	}{{"none", plan.None()}, {"first fit", plan.FirstFit()}, {"EASY", plan.EASY(1)}} {
		pool, err := carts.NewIndexed(4, carts.Config{})
		if err != nil {
			panic(err)
		}
		r, err := sim.Run(sim.Config{
			Providers: []sim.Provider{{Schedule: pool, Units: 4, Local: sim.Local{Backfill: policy.Backfill}}},
		}, sim.FromJobs(jobs))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s:", policy.name)
		for _, o := range r.Outcomes {
			fmt.Printf(" [%d, %d)", o.Start, o.End)
		}
		fmt.Printf(", mean wait %.1f\n", r.Metrics().MeanWait)
	}
	// Output:
	// none: [0, 10) [10, 15) [15, 35), mean wait 7.3
	// first fit: [0, 10) [22, 27) [2, 22), mean wait 7.0
	// EASY: [0, 10) [10, 15) [15, 35), mean wait 7.3
}
