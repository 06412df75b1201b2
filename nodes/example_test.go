package nodes_test

import (
	"fmt"

	"github.com/bookahead/bookahead/nodes"
)

// The picture of the package's comment: the nodes hold six tasks from 6 on, although two pools would
// hold them at once.
func Example() {
	m, err := nodes.New(nodes.Config{
		Resources: []string{"gpus", "cores"},
		Nodes:     []nodes.Vector{{8, 64}, {8, 64}, {8, 64}},
		Levels:    []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range []nodes.Request{
		{Duration: 6, Tasks: 1, Each: nodes.Vector{0, 56}, Nodes: []int{0}},
		{Duration: 6, Tasks: 1, Each: nodes.Vector{6, 0}, Nodes: []int{1}},
		{Duration: 16, Tasks: 1, Each: nodes.Vector{4, 32}, Nodes: []int{2}},
	} {
		_, err = m.Reserve(r)
		if err != nil {
			fmt.Println(err)
			return
		}
	}

	job := nodes.Request{Duration: 10, Tasks: 4, Each: nodes.Vector{2, 8}}
	now, _ := m.Search(job)
	job.Within = "rack"
	rack, _ := m.Search(job)
	job.Tasks, job.Within = 6, ""
	six, _ := m.Search(job)
	fmt.Println(now)
	fmt.Println(rack)
	fmt.Println(six)
	// Output:
	// [0, 10) 1 on 0, 1 on 1, 2 on 2
	// [6, 16) 4 on 0
	// [6, 16) 4 on 0, 2 on 1
}

// A head takes one vector, and its workers take another.
func ExampleRequest_head() {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{8, 64}, {8, 64}, {0, 64}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := m.Reserve(nodes.Request{Duration: 10, Tasks: 2, Each: nodes.Vector{8, 64}, Head: nodes.Vector{0, 4}})
	fmt.Println(res, err)
	// Output:
	// #1 [0, 10) 1 on 0, 1 on 1, the head on 2 <nil>
}
