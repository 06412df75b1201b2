package gantt_test

import (
	"log"
	"os"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/nodes"
)

// Four nodes in two racks, of which one is closed for a while. WriteTo draws the heights too.
func ExampleNodes() {
	config := nodes.Config{
		Resources: []string{"gpus", "cores"},
		Nodes:     []nodes.Vector{{8, 64}, {8, 64}, {8, 64}, {0, 64}},
		Levels:    []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}},
	}
	machine := must(nodes.New(config))
	must(machine.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 30, End: 60}, Servers: []int{1}}))
	for _, r := range []nodes.Request{
		{Duration: 60, Tasks: 2, Each: nodes.Vector{4, 8}, Within: "rack"},
		{Duration: 40, Tasks: 2, Each: nodes.Vector{4, 32}, Nodes: []int{1, 2}},
		{Duration: 90, Tasks: 3, Each: nodes.Vector{0, 16}, Nodes: []int{3}},
		{Duration: 40, Tasks: 2, Each: nodes.Vector{8, 48}, Together: "rack"},
	} {
		must(machine.Reserve(r))
	}

	chart := gantt.Chart{Title: "Four nodes", Window: bookahead.Interval{Start: 0, End: 120}}
	err := gantt.Nodes{Machine: machine, Config: config}.Fill(&chart)
	if err != nil {
		log.Fatal(err)
	}
	must(chart.WriteText(os.Stdout, 48))
	// Output:
	// Four nodes
	//  rack 0 · 0 · gpus │aaaaaaaaaaaaaaaaaaaaaaaadddddddddddddddd
	// rack 0 · 0 · cores │aaaaaaaaaaaaaaaaaaaaaaaadddddddddddddddd
	//  rack 0 · 1 · gpus │            ╱╱╱╱╱╱╱╱╱╱╱╱dddddddddddddddd
	// rack 0 · 1 · cores │            ╱╱╱╱╱╱╱╱╱╱╱╱dddddddddddddddd
	//  rack 1 · 2 · gpus │bbbbbbbbbbbbbbbb
	// rack 1 · 2 · cores │bbbbbbbbbbbbbbbb
	// rack 1 · 3 · cores │cccccccccccccccccccccccccccccccccccc
	//                    └┬───────┬───────┬───────┬───────┬───────┬───────
	//                     0       20      40      60      80      100
	//                    a #1
	//                    b #2
	//                    c #3
	//                    d #4
	//                    ╱ closed
}
