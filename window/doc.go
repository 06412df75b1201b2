// Package window chooses slots for a job that runs on several nodes at once: n
// slots on different nodes that begin together, within a budget, and by any
// criterion that is a sum over the slots (Toporkov, Toporkova and Yemelyanov,
// "Slot co-allocation optimization in distributed computing with heterogeneous
// resources", Intelligent Distributed Computing XII, 2018, §3).
//
//	node 0  ███████·········┌────────┐······██████████
//	node 1  ··············████████████████············
//	node 2  ███·············┌────────┐·······█████████
//	node 3  ········████····┌────────┐····████████████
//	                        start    start + T
//	                |------>|        |----->|  distances to the neighbours of node 3
//
// Nodes differ in performance and price. A task of V on a node with performance P
// takes V/P ticks, rounded up to a whole one, unless it exceeds a whole one by no
// more than rounding: by 1e-12 of V/P. A window is Square: all n nodes are
// held equally long, at least as long as the slowest of them needs, and cost that
// time at their prices; Tight: exactly as long; or Rough: each is held as long as it needs
// itself. The price of a node may change over time, by its Tariff.
//
// An Environment holds the nodes and their slots, which are given, or read by
// Slots from any schedule that knows its servers. Commit books a window there, all
// of it or nothing. MachineSlots and MachineCommit do the same on a nodes.Machine, where a
// task is a vector, and a node may run several.
//
// # Which one to choose
//
// Take Exact. It returns the best window for real prices and values, and proves it.
// With 100 nodes it takes half a millisecond. That is about thirty times as long as
// FirstFit, which usually ends at the first start (fifty times with 1 000 nodes), but
// a quarter of one scan of all starts and lengths, as Lite makes it. Where it might
// take too long, Job.Effort limits it, by a number of steps or by a context: it returns the
// best window found, and a bound on how much better one can be. ExactPlacement tries all
// ticks as starts, not only those at which a slot begins.
// FirstFit is for those who want the earliest start and nothing else. The others
// are there to compare with.
//
//	FirstFit                       O(N + s) to O(g s m)    the earliest start
//	MultipleBest                   a FirstFit for each alternative
//	MaxQLite, DEPLite, COORDLite   O(g s m)                the n cheapest slots at each start
//	MaxQ, DEP, COORD               O(g s m n C)            a dynamic program at each start
//	Exact, ExactPlacement          O(b s) usually          the best
//	Slots                          O(k + s log s)
//	Commit, MachineCommit          a Reserve for each end of a task
//	MachineSlots                   O(N log v + k + s log s)
//
// for N nodes, g lengths of tasks, s slots, m of them at a start, C steps of the
// budget, k servers in all blocks or steps of all nodes, v steps of a node, and b boxes. A box is a range of lengths and a span
// of starts. Its windows are bounded by a Lagrangian relaxation, as if all slots could
// begin together at the shortest length and be had at any of its starts; boxes are
// split, the best bound first, until one length and few starts are left, and there
// the problem (1) of §3.3 is solved by enumeration around the relaxation's choice.
// Usually b is a few hundred, where g s is ten thousand, and five of them are solved.
// In the worst case the enumeration is exponential in m, as the problem is NP-hard.
//
// # Deviations
//
// The paper takes the fastest group of nodes first and wants the earliest start; if
// FirstFit returned the first window found, it would not be the earliest. It goes
// through all groups here, each up to the earliest start so far, unless that is the
// start of the first slot: then there is nothing earlier.
//
// A window is as long as its slowest node needs in §3.1. But §3.2 only asks that some
// slot with the performance of the group is in the extended window, not that it is
// chosen, and so a square window may be held, and paid for, longer than any of its
// nodes needs. Far often gains by that, Near sometimes. It is so in all searches here,
// and with it Exact's windows are the best of those that the paper's search meets. A
// criterion that is Monotone gains nothing, and FirstFit and Exact by such a one
// return no window that is longer than its slowest node needs. Tight windows are those of
// §3.1 to the letter.
//
// Nodes whose tasks take as many ticks are one group. Slots that start together are
// added to the extended window together: fewer sets are tried, and none is missed.
// Slots that have expired are removed before a slot with the group's performance is
// looked for (step 5i), not after.
//
// The budget axis of recurrence (2) needs whole numbers: costs are rounded up to a
// step, so that the choice is affordable, and is the best only if costs are whole.
// Only Exact takes prices as they are. Sums within 1e-12 of the budget count
// as affordable, because sums of real prices are rounded; those above it may, and
// those up to it do. Values are compared to 1e-12 of the sum of their magnitudes.
// Slots that alone cost more than the budget are left out first, and the costs of a
// choice are summed up anew, so that prices may differ by any factor; where values
// differ by more than 1e12, Exact may not be able to prove its window.
//
// f_i(C, n) is 0 for n = 0 in the paper, and nothing is said of n > i. It is minus
// infinity here, so that negative values, which COORD has, are no obstacle; and the
// best value is not 0 at the start (step 1), but none.
//
// MultipleBest measures the distances of each alternative in the environment as it
// was given, as only one of them is taken.
//
// The paper tries only the starts of slots, though δ_near and δ_far change with the
// start. ExactPlacement does not. With tariffs, which the paper does not have, all searches also
// try the ticks at which a rate begins, and those at which a task begins that ends there, of
// whatever length: between two of these and the starts of slots, all costs change evenly.
package window

// Read the files in this order:
//
//	window.go, criterion.go    nodes, slots, jobs, windows, and their value
//	tariff.go                  prices that change over time
//	slots.go, commit.go        from a schedule, and back to it
//	machine.go                 the same for a machine of nodes
//	scan.go                    the general search: the extended window
//	firstfit.go, cut.go        the earliest start, and alternatives to it
//	lite.go, select.go         the n cheapest, or the n greatest
//	maxq.go                    the dynamic program
//	exact.go                   Exact: its own reading order, and the invariants B1 to B7
//	placement.go               all ticks as starts
