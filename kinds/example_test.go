package kinds_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kinds"
	"github.com/bookahead/bookahead/nodes"
)

// Four workers and two parameter servers start together. The cores of the servers are free at once, and the GPUs of the workers
// when a job ends.
func Example() {
	m, err := nodes.New(nodes.Config{
		Resources: []string{"gpus", "cores"},
		Nodes:     []nodes.Vector{{8, 64}, {8, 64}, {0, 64}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Reserve(nodes.Request{Duration: 6, Tasks: 1, Each: nodes.Vector{8, 16}})
	if err != nil {
		fmt.Println(err)
		return
	}
	job := kinds.Request{Duration: 10, Kinds: []nodes.Request{
		{Tasks: 4, Each: nodes.Vector{4, 16}},
		{Tasks: 2, Each: nodes.Vector{0, 32}},
	}}
	res, err := kinds.Reserve(m, job, bookahead.Effort{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res, res.Proven())
	fmt.Println(kinds.Release(m, res))
	// Output:
	// #2 #3 [6, 16) 2 on 0, 2 on 1; 1 on 0, 1 on 1 true
	// <nil>
}
