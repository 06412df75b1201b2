package pieces_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
)

// A training run of 9 hours on two nodes writes a checkpoint each 3 hours, and takes an hour to go on from one.
func Example() {
	cluster, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{8}, {8}, {8}}})
	if err != nil {
		panic(err)
	}
	for _, others := range []nodes.Request{
		{Ready: 4, Duration: 4, Tasks: 1, Each: nodes.Vector{8}, Nodes: []int{0}},
		{Ready: 12, Duration: 8, Tasks: 2, Each: nodes.Vector{8}, Nodes: []int{1, 2}},
		{Ready: 20, Duration: 30, Tasks: 1, Each: nodes.Vector{4}, Nodes: []int{0}},
		{Ready: 6, Duration: 2, Tasks: 1, Each: nodes.Vector{4}, Nodes: []int{2}},
	} {
		_, err = cluster.Reserve(others)
		if err != nil {
			panic(err)
		}
	}
	training := nodes.Request{Duration: 9, Tasks: 2, Each: nodes.Vector{8}}
	whole, err := cluster.Search(training)
	if err != nil {
		panic(err)
	}
	fmt.Println("whole:", whole)
	list, err := pieces.ReserveNodes(cluster, training, pieces.Rule{Least: 3, Restart: 1}, bookahead.Effort{})
	if err != nil {
		panic(err)
	}
	for _, r := range list {
		fmt.Println("piece:", r.Offer)
	}
	// Output:
	// whole: [20, 29) 1 on 1, 1 on 2
	// piece: [0, 6) 1 on 1, 1 on 2
	// piece: [8, 12) 1 on 0, 1 on 1
}
