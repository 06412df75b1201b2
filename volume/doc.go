// Package volume places work that is a number of unit-ticks and not a rate for a time: a transfer of so many
// gigabytes, a simulation of so many core hours. It may run fast where much is free and slowly where little is, and it
// is done as early as can be. A reservation of a fixed rate must wait until this rate is free throughout:
//
//	20 unit-ticks, at most 4 at once        free units of a pool
//
//	4 │██████          ████████████
//	2 │██████    ██████████████████
//	1 │██████████████████████████████       a rate of 4 for 5 ticks: from 16 to 21
//	  └┬─────┬───┬─────┬───────────         bent: 4 3 ticks long, 1 2 ticks long, then 2: done at 8
//	   0     3   5     8
//
// # Requests
//
//	Most        never more units at once than this
//	Least       while the work runs, never fewer: it runs in one go, from its start to its end
//	Stretches   at most so many rates, one after the other; a pause ends a stretch
//	Price       each stretch after the first counts as so many ticks of delay
//
// Without Stretches and Price, the plan takes all free units from the left (fill.go), and no plan ends earlier. carts.Indexed
// with v changes takes O(log v) for each stretch of free units, however many changes lie between: where Most is free the
// rate is level, and where less than Least is free there is none.
//
// With Stretches or Price the best rates are chosen by a program over the bends of the free units (bends.go):
// O(k b²) time and O(k b) memory for k stretches and b bends up to the end, within a bookahead.Effort. If that ends first,
// the best plan that is known has a Bound below it.
//
// The units of a plan make up at least the Volume, and one tick less would not do: the last tick may do more than is
// left. All numbers are exact, of any size.
//
// # When it pays
//
// A plan that ends first takes all that is free, and leaves less for the requests to come. If requests are planned as they come,
// and their plans stand, then more volume meets its deadline than at fixed rates, but fewer requests do, and the mean job ends
// later. Two remedies are measured in bench/malleable/RESULTS.md. A Most that is little above the least rate for the deadline
// leaves room for others. And when a request comes, all that is left of the others can be released and planned anew, the
// nearest deadline or the shortest work first: then more requests are accepted, and more volume.
//
// # Which schedules
//
// Any pool that is exact to the tick and tells its free units: carts, freelist, and slotted with slots of one tick.
// In longer slots a plan takes whole slots when it is booked. Where servers are
// known (idletree), the free servers of one tick are others than those of the next, so that the error is ErrInvalid.
package volume
