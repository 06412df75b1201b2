package nodes_test

import (
	"fmt"

	"github.com/bookahead/bookahead"
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

// A plan is tried on a clone: what would become of the jobs if rack 0 were closed? The machine is as it was.
func ExampleMachine_Clone() {
	m, err := nodes.New(nodes.Config{
		Resources: []string{"gpus"},
		Nodes:     []nodes.Vector{{8}, {8}, {8}, {8}},
		Levels:    []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []int64{2, 1} {
		_, err = m.Reserve(nodes.Request{Duration: 10, Tasks: n, Each: nodes.Vector{8}, Within: "rack"})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	plan := m.Clone()
	_, err = plan.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 20}, Servers: []int{0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	done, err := plan.Displace(nodes.Force{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, move := range done.Moved {
		fmt.Println("would move to", move.To)
	}
	for res := range m.Reservations(m.Frame().Window()) {
		fmt.Println("lies at", res)
	}
	// Output:
	// would move to #1 [10, 20) 1 on 2, 1 on 3
	// lies at #1 [0, 10) 1 on 0, 1 on 1
	// lies at #2 [0, 10) 1 on 2
}

// Explain says who is in the way, which resource is short, and until when.
func ExampleMachine_Explain() {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{8, 64}, {8, 64}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Reserve(nodes.Request{Duration: 6, Tasks: 1, Each: nodes.Vector{6, 8}})
	if err != nil {
		fmt.Println(err)
		return
	}
	why, err := m.Explain(nodes.Request{Duration: 10, Tasks: 6, Each: nodes.Vector{2, 8}})
	fmt.Println(why, err)
	why, err = m.Explain(nodes.Request{Duration: 10, Tasks: 9, Each: nodes.Vector{2, 8}})
	fmt.Println(why.Err, err)
	// Output:
	// 6 tasks have no room in [0, 10): 5 have room, node 0 has 2 gpus until 6 (#1); the first place is [6, 16) <nil>
	// nodes: the machine never has room for the request <nil>
}
