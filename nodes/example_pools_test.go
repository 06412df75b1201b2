package nodes_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/nodes"
)

// The left picture of the package's comment: one pool has a GPU, and another one has a core, but no
// node has both.
func Example_apartInSpace() {
	machine, _ := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{2, 4}, {2, 4}}})
	gpus, _ := carts.NewIndexed(4, carts.Config{})
	cores, _ := carts.NewIndexed(8, carts.Config{})
	_, _ = machine.Reserve(nodes.Request{Duration: 10, Tasks: 1, Each: nodes.Vector{2, 0}, Nodes: []int{0}})
	_, _ = machine.Reserve(nodes.Request{Duration: 10, Tasks: 1, Each: nodes.Vector{0, 4}, Nodes: []int{1}})
	_, _ = gpus.Reserve(bookahead.At(0, 10, 2))
	_, _ = cores.Reserve(bookahead.At(0, 10, 4))

	fmt.Println(gpus.Search(bookahead.Request{Duration: 5, Units: 1}))
	fmt.Println(cores.Search(bookahead.Request{Duration: 5, Units: 1}))
	fmt.Println(machine.Search(nodes.Request{Duration: 5, Tasks: 1, Each: nodes.Vector{1, 1}}))
	// Output:
	// [0, 5) 1 <nil>
	// [0, 5) 1 <nil>
	// [10, 15) 1 on 0 <nil>
}

// The right picture: a pool has a node at each tick, but not the same node throughout.
func Example_apartInTime() {
	machine, _ := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}, {2}}})
	whole, _ := carts.NewIndexed(2, carts.Config{})
	for k, start := range []bookahead.Time{0, 5} {
		end := start + 5
		_, _ = machine.Reserve(nodes.Request{Ready: start, Deadline: end, Duration: 5, Tasks: 1, Each: nodes.Vector{2}, Nodes: []int{k}})
		_, _ = whole.Reserve(bookahead.At(start, 5, 1))
	}

	fmt.Println(whole.Search(bookahead.Request{Duration: 10, Units: 1}))
	fmt.Println(machine.Search(nodes.Request{Duration: 10, Tasks: 1, Each: nodes.Vector{2}}))
	// Output:
	// [0, 10) 1 <nil>
	// [5, 15) 1 on 0 <nil>
}
