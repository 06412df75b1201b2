package grid_test

import (
	"fmt"

	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
)

// Each owner has a pool of four units beside the cluster, and every job takes its units from
// both: nobody ever has more than four GPUs at once, and a job starts at the earliest time at
// which the cluster and the quota have room.
func ExampleCoAllocate_quota() {
	cluster := must(carts.NewIndexed(8, carts.Config{}))
	quota := map[string]*carts.Indexed{}
	for _, owner := range []string{"ann", "bob"} {
		quota[owner] = must(carts.NewIndexed(4, carts.Config{}))
	}
	for _, owner := range []string{"ann", "ann", "bob"} {
		job := grid.Job{Parts: []grid.Part{
			{On: cluster, Duration: 60, Units: 3},
			{On: quota[owner], Duration: 60, Units: 3},
		}}
		a := must(grid.CoAllocate(job))
		fmt.Println(owner, a.Parts[0])
	}
	// Output:
	// ann #1 [0, 60) 3
	// ann #2 [60, 120) 3
	// bob #3 [0, 60) 3
}
