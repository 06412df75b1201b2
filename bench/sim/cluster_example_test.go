package sim_test

import (
	"context"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// Two nodes of 4 GPUs. Node 0 fails at 6, and is repaired at 9. The first gang begins anew; the
// reservation has been booked on node 0 for 8, and moves to node 1.
func ExampleRunCluster() {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}}})
	if err != nil {
		panic(err)
	}
	r, err := sim.RunCluster(context.Background(), sim.Cluster{
		Machine: m, Units: 8, Local: sim.Local{Backfill: plan.EASY(1)},
		Outages: []sim.Outage{{
			Interval: bookahead.Interval{Start: 6, End: bookahead.MaxTime},
			Known:    6, Repaired: 9, Nodes: []int{0},
		}},
	}, []sim.Gang{
		{
			Task: sim.Task{Job: workload.Job{Run: 7, Estimate: 8, Units: 4}},
			On:   nodes.Request{Tasks: 2, Each: nodes.Vector{2}},
		},
		{
			Task: sim.Task{Job: workload.Job{Run: 5, Estimate: 5, Units: 4}, AR: true, Ready: 8, Due: 20},
			On:   nodes.Request{Tasks: 1, Each: nodes.Vector{4}},
		},
	})
	if err != nil {
		panic(err)
	}
	for _, run := range r.Runs {
		fmt.Println("gang", run.Task, run.When, run.On)
	}
	fmt.Println("promises broken:", len(r.Broken))
	// Output:
	// gang 0 [0, 6) [{0 2}]
	// gang 1 [8, 13) [{1 1}]
	// gang 0 [9, 16) [{0 2}]
	// promises broken: 0
}
