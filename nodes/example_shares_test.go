package nodes_test

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Two hosts have two GPUs each, which are shared by hundredths. A share of one GPU is no share of another one, so each GPU is a
// node, and the hosts are a level: two tasks of 70 leave no room for 50 on the same host, although 60 are free there.
func ExampleMachine_shares() {
	m, err := nodes.New(nodes.Config{
		Resources: []string{"hundredths"},
		Nodes:     []nodes.Vector{{100}, {100}, {100}, {100}},
		Levels:    []nodes.Level{{Name: "host", Groups: [][]int{{0, 1}, {2, 3}}}},
	})
	if err != nil {
		panic(err)
	}
	for _, r := range []nodes.Request{
		{Duration: 8, Tasks: 2, Each: nodes.Vector{70}, Within: "host"},
		{Duration: 8, Deadline: 8, Tasks: 1, Each: nodes.Vector{50}, Nodes: []int{0, 1}}, // on the first host
		{Duration: 8, Deadline: 8, Tasks: 3, Each: nodes.Vector{20}, Within: "host"},     // two have room on the first host, and three must lie together
		{Duration: 8, Deadline: 8, Tasks: 1, Each: nodes.Vector{100}, Within: "host"},    // a whole GPU
		{Duration: 8, Tasks: 2, Each: nodes.Vector{100}, PerNode: 1, Within: "host"},     // two of one host
	} {
		res, err := m.Reserve(r)
		if errors.Is(err, bookahead.ErrUnavailable) {
			fmt.Println("no room")
			continue
		}
		if err != nil {
			panic(err)
		}
		fmt.Println(res)
	}
	// Output:
	// #1 [0, 8) 1 on 0, 1 on 1
	// no room
	// #2 [0, 8) 3 on 2
	// #3 [0, 8) 1 on 3
	// #4 [8, 16) 1 on 0, 1 on 1
}
