package nodes_test

import (
	"fmt"

	"github.com/bookahead/bookahead/nodes"
)

// A model is trained in slices of 4 workers, each of which talks within its rack only. Rack 0 has room for one slice until a
// job ends, and rack 1 for two.
func ExampleRequest_bundle() {
	m, err := nodes.New(nodes.Config{
		Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {4}, {4}, {4}},
		Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Reserve(nodes.Request{Duration: 10, Tasks: 1, Each: nodes.Vector{2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := nodes.Request{Duration: 5, Tasks: 12, Each: nodes.Vector{1}, Bundle: 4, Bundled: "rack"}
	o, err := m.Search(r)
	fmt.Println(o, err)
	r.Tasks = 16 // 14 GPUs are free, which make no four slices
	o, err = m.Search(r)
	fmt.Println(o, err)
	r.Tasks = 10
	_, err = m.Search(r)
	fmt.Println(err)
	// Output:
	// [0, 5) 2 on 0, 2 on 1, 4 on 2, 4 on 3 <nil>
	// [10, 15) 4 on 0, 4 on 1, 4 on 2, 4 on 3 <nil>
	// bookahead: Request.Tasks 10 is no multiple of Bundle, 4
}
