package desk

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// A type with an Interval inside prints more than the Interval.
func TestStrings(t *testing.T) {
	when := ticks(2, 5)
	for want, v := range map[string]any{
		`close 2 units of "gpus" [2, 5)`:                            Close{On: "gpus", Interval: when, Units: 2},
		`close servers [0 3] of "lab" [2, 5)`:                       Close{On: "lab", Interval: when, Servers: []int{0, 3}},
		`extend "gpus" by 2 units [2, 5)`:                           Extend{On: "gpus", Interval: when, Units: 2},
		`2 of "gpus" [2, 5)`:                                        Place{On: "gpus", Interval: when, Units: 2, Head: -1},
		`2 of "lab" [2, 5) on [0 3]`:                                Place{On: "lab", Interval: when, Units: 2, Servers: []int{0, 3}, Head: -1},
		`3 of "farm" [2, 5) on 1 × node 0, 2 × node 4, head node 4`: Place{On: "farm", Interval: when, Units: 3, Nodes: []nodes.Share{{Node: 0, Tasks: 1}, {Node: 4, Tasks: 2}}, Head: 4},
		`outage 1 of "gpus" [2, 5)`:                                 Outage{ID: 1, Close: Close{On: "gpus", Interval: when, Units: 2}},
		`extension 1 of "gpus" [2, 5)`:                              Outage{ID: 1, Close: Close{On: "gpus", Interval: when, Units: 2}, added: true},
		`[1 of "a" [0, 1)]`:                                         []Place{{On: "a", Interval: bookahead.Interval{Start: 0, End: 1}, Units: 1, Head: -1}},
	} {
		require.Equal(t, want, fmt.Sprint(v))
	}
}
