package grid_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/nodes"
)

// Two tasks of 8 GPUs each need a rack, a line to the data and a licence, all at once.
func ExampleGang() {
	cluster := must(nodes.New(nodes.Config{
		Resources: []string{"gpus", "cores"},
		Nodes:     []nodes.Vector{{8, 64}, {8, 64}, {8, 64}, {8, 64}},
		Levels:    []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}},
	}))
	line := must(carts.NewIndexed(10, carts.Config{}))    // Gbit/s
	licences := must(carts.NewIndexed(2, carts.Config{})) // seats
	must(line.Reserve(bookahead.At(0, 30, 8)))

	gpus := grid.Gang{Machine: cluster, Request: nodes.Request{Each: nodes.Vector{8, 32}, Within: "rack"}}
	training := grid.Job{Parts: []grid.Part{
		{On: gpus, Duration: 60, Units: 2},
		{On: line, Duration: 60, Units: 4},
		{On: licences, Duration: 60, Units: 1},
	}}
	for range 3 {
		booked := must(grid.CoAllocate(training))
		fmt.Println(booked.Nodes[0].Offer)
	}
	// Output:
	// [30, 90) 1 on 0, 1 on 1
	// [30, 90) 1 on 2, 1 on 3
	// [90, 150) 1 on 0, 1 on 1
}
