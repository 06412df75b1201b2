package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// series are the points of a structure in a figure, at all loads.
type series struct {
	figure, structure string
	units             int64
}

// coarsest stands for the coarsest slots that accept as much as the list, less near.
const coarsest = "the coarsest slots that accept as much"

// claim is about a quantity of a against b, at each load.
type claim struct {
	trial.Claim
	a, b series
	of   quantity
	also []series // against which a is shown, too
	lead bool     // it is judged at other leads, too
}

// near is how much two success rates may differ to be alike.
const near = 0.01

// claims returns the claims of §8; large are the sizes of the larger clusters.
func claims(large []int64) []claim {
	inf := math.Inf(1)
	type span = [2]float64
	above, below, alike := span{trial.Above, inf}, span{-inf, -trial.Above}, span{-near, near}
	var all []claim
	add := func(where, what string, a, b series, of quantity, within span, why string, also ...series) {
		all = append(all, claim{trial.Claim{Where: where, What: what, Why: strings.TrimSuffix(why, "."), From: within[0], To: within[1]}, a, b, of, also, false})
	}
	for _, units := range append([]int64{smallUnits}, large...) {
		of := func(structure string) series { return series{"6", structure, units} }
		on := fmt.Sprintf(" (%d units)", units)
		add("§8.1", "Many short slots take longer"+on, of("900000 slots"), of("9000 slots"), timeRatio, above,
			"A search and a booking touch each slot that the job spans, and a mean job of 21 000 s spans 21 000 slots of 1 s, but 210 of 100 s.")
		add("§8.1", "Few long slots accept less"+on, of("90 slots"), of("900000 slots"), gain, below,
			"A job counts for the whole of its first and last slot, and a slot of 10 000 s is nearly as long as the median job, 13 000 s.")
		add("§8.1", "The list accepts what 900 000 slots accept"+on, of(list.name), of("900000 slots"), gain, alike,
			"Both are exact to the second, and take the earliest start.")
		add("§8.1", "The list is faster than few slots"+on, of(list.name), of("90 slots"), timeRatio, below,
			"A mean job spans three slots, and its first is found by arithmetic; a list of hundreds or thousands of blocks is walked from now on, and more than half of them lie before the ready time.")
		add("§8.1", "The list is faster than the best slots"+on, of(list.name), of(coarsest), timeRatio, below,
			"The list has a block for each change of the free units, some 600 at 128 units and thousands on the larger cluster, and half of them are walked; a mean job spans 210 slots of 100 s whatever is booked.",
			of("90 slots"), of("9000 slots"), of("900000 slots"))
		if slices.Contains(leadUnits(large), units) {
			all[len(all)-2].lead, all[len(all)-1].lead = true, true
		}
	}
	seven := func(structure string) series { return series{"7", structure, smallUnits} }
	add("§8.2", "The AVL tree does not save a tenth of the time", seven(usedAVL.name), seven(usedList.name), timeRatio, span{math.Log(0.9), inf},
		"Ready times lie 220 000 s ahead on average, and the list is walked that far, past more than half of its blocks; the tree goes there in a few steps, which outweighs the cost of balancing it.")
	add("§8.2", "Both accept the same", seven(usedAVL.name), seven(usedList.name), gain, alike,
		"The tree leads to the same blocks that the list is walked to.")
	eight := func(structure string) series { return series{"8", structure, smallUnits} }
	add("§8.3", "On the grid level, many slots are slower than the list", eight("40000 slots"), eight(list.name), timeRatio, above,
		"A mean job spans about 1 000 slots of 20 s, more than the list has blocks (some 600), and each is touched once to search and once to book.")
	add("§8.3", "Fewer than 40 000 slots do not come within a point of the list's success", eight(list.name), eight("4000 slots"), gain, span{near, inf},
		"Each end of a job loses a part of a slot, and 200 s are little beside a job of hours.", eight("400 slots"), eight("40000 slots"))
	add("§8.3", "At a like success the list is faster", eight(list.name), eight(coarsest), timeRatio, below,
		"What decides is whether a job spans fewer slots than there are blocks up to its ready time: 100 slots of 200 s, each touched to search and again to book, cost about as much as 300 blocks.",
		eight("400 slots"), eight("4000 slots"), eight("40000 slots"))
	nine := func(structure string) series { return series{"9", structure, smallUnits} }
	add("§8.3", "Workflows: at a like success the list is faster", nine(list.name), nine(coarsest), timeRatio, below,
		"Each search of a workflow walks a list from now on, those of the networks 1 500 blocks and more, and both sites are asked until they agree on a transfer; slots are found by arithmetic, a job spans 110 of 100 s, and a transfer a few.",
		nine("900 slots"), nine("9000 slots"), nine("90000 slots"))
	return all
}

// at is the claim at another lead. It is shown against no further series, as those of
// another lead are fewer.
func (c claim) at(lead float64) claim {
	c.What += fmt.Sprintf(", lead %g", lead)
	c.a.figure, c.b.figure = atLead(lead), atLead(lead)
	c.also, c.lead, c.Why = nil, false, ""
	return c
}
