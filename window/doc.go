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
// takes V/P ticks, rounded up to a whole tick. A quotient that exceeds a whole number by
// at most 1e-12 of itself is that number: so much is rounding. A window has a shape:
//
//	Square    all n nodes are held equally long, at least as long as the slowest needs
//	Tight     all n nodes are held exactly as long as the slowest needs
//	Rough     each node is held as long as it needs itself
//
// A node costs its price for each tick that it is held. The price may change over time, by the
// node's Tariff.
//
// # From a schedule, and back
//
// An Environment holds the nodes and their slots. Slots reads the slots of any schedule that knows
// its servers, and Commit books a window there, all of it or nothing. MachineSlots and MachineCommit
// do the same on a nodes.Machine, where a task is a vector, and a node may run several tasks. On a
// desk the slots come from a copy (desk.Schedule, desk.Machine), and Request and MachineRequest make
// a window one request of a Book. Each of the four ways back looks at the prices that hold by then: a
// window that has become dearer is an ErrPrice.
//
// # Which one to choose
//
// Take Exact. It returns the best window for real prices and values, and proves it.
// With 100 nodes Exact takes half a millisecond: a quarter of one scan of all starts and
// lengths, as MaxQLite makes it, and about thirty times as long as FirstFit, which usually
// ends at the first start (fifty times with 1 000 nodes). Where a search might take too
// long, Job.Effort limits it, by a number of steps or by a context. Exact then returns the
// best window found, and a bound on the value of all others. ExactPlacement tries all
// ticks as starts, not only the starts of slots. FirstFit is for callers who want the earliest
// start and nothing else. The other searches are those of the paper, to compare with:
// its DEP and DEPLite are MaxQ and MaxQLite by Near, and COORD and COORDLite the same by Far.
//
//	FirstFit                       O(N + s) to O(g s m)    the earliest start that is tried
//	MultipleBest                   a FirstFit for each alternative
//	MaxQLite                       O(g s m)                the n cheapest slots at each start
//	MaxQ                           O(g s m n C)            a dynamic program at each start
//	Exact, ExactPlacement          O(b s) usually          the best
//	Slots                          O(k + s log s)
//	Commit, MachineCommit          a Reserve for each end of a task, and O(log r + k) for
//	                               each task with r rates, k of which begin in the task
//	Request, MachineRequest        the same without the Reserves
//	MachineSlots                   O(N log v + k + s log s)
//
// for N nodes, g lengths of tasks, s slots, m of them at a start, C steps of the
// budget, k servers in all blocks or steps of all nodes, v steps of a node, and b boxes.
// Tariffs with r rates in all add up to r(g + 1) starts to the s, and O(r log r) to each search.
//
// A box is a range of lengths and a span of starts. A Lagrangian relaxation bounds the windows
// of a box, as if all slots could begin together, at the shortest length and at the best start
// for each. Boxes are split, the best bound first, until one length and few starts are left.
// There an enumeration around the relaxation's choice solves the problem (1) of §3.3.
// Usually b is a few hundred, where g s is ten thousand, and five boxes are solved.
// In the worst case the enumeration is exponential in m, as the problem is NP-hard.
//
// # Deviations
//
// The paper takes the fastest group of nodes first, and wants the earliest start. But the first
// window found in this order need not be the earliest. So FirstFit goes through all groups, each
// up to the earliest start so far. It stops early only if that is the start of the first slot.
//
// A window is as long as its slowest node needs in §3.1. But §3.2 only asks that the extended
// window has a slot with the performance of the group, not that this slot is chosen. So a square
// window may be held, and paid for, longer than any of its nodes needs. The criterion Far, the
// ticks to the farther end of a slot, often gains by that, and Near, the ticks to the nearer end,
// sometimes. All searches here do the same, and Exact's windows are the best of all that the
// paper's search meets. A criterion that is Monotone gains nothing: FirstFit, and Exact by such a
// criterion, return no window that is longer than its slowest node needs. Tight windows are
// those of §3.1 to the letter.
//
// Nodes whose tasks take equally many ticks are one group. Slots that start together are
// added to the extended window together: fewer sets are tried, and none is missed.
// Slots that have expired are removed before a slot with the group's performance is
// looked for (step 5i), not after.
//
// The budget axis of recurrence (2) needs whole numbers. MaxQ rounds costs up to a step, so that
// its choice is affordable, but the best only if all costs are whole steps. Exact takes prices as
// they are. Sums of real prices are rounded, and so a sum within 1e-12 of the budget counts as
// affordable. Values are compared to 1e-12 of the sum of their magnitudes. Slots that alone
// cost more than the budget are left out first, and the costs of a choice are summed up anew, so
// that prices may differ by any factor. Where values differ by more than 1e12, Exact may not be
// able to prove its window.
//
// f_i(C, n) is 0 for n = 0 in the paper, which says nothing of n > i. Here f_i(C, n) is minus
// infinity for n > i, so that negative values, which COORD has, are no obstacle. For the same
// reason there is no best value at the start, where step 1 has 0.
//
// MultipleBest measures the distances of each alternative in the environment as it
// was given, since only one of the alternatives is taken.
//
// The paper tries only the starts of slots, though δ_near and δ_far change with the start.
// ExactPlacement tries all ticks. The paper has no tariffs. With tariffs all searches also try
// the tick at which a rate begins, and for each length of a task the start at which the task ends
// there. Between two neighbours of all these ticks, all costs change evenly. And the rounds of all
// lengths stop at the start of each slot: a slot that is too short for a round, or too slow, still
// marks a start at which a window of other slots may be the best.
package window

// Read the files in this order:
//
//	window.go, criterion.go    nodes, slots, jobs, windows, and their value
//	tariff.go, changes.go      prices that change over time, and the starts that they add
//	slots.go, commit.go        from a schedule, and back to it
//	machine.go                 the same for a machine of nodes
//	request.go                 the same for a desk
//	scan.go                    the general search: the extended window
//	firstfit.go, cut.go        the earliest start, and alternatives to it
//	lite.go, select.go         the n cheapest, or the n greatest
//	maxq.go                    the dynamic program
//	exact.go                   Exact: its own reading order, and the invariants B1 to B7
//	placement.go               all ticks as starts
