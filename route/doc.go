// Package route plans a transfer over a network and a computation at its end
// together: the path, the cluster, when to send and when to run (Stevens et al.,
// "Multi-cost job routing and scheduling in Grid networks", 2009, §3 and §4).
//
//	source ──d=2──► B ──d=4──► E [cluster]
//
//	           0         5         10        15
//	S → B      1 1 1 0 1 1 1 1 0 0 1 1 1 1 1 1
//	B → E      1 1 1 1 1 1 0 1 1 0 1 1 1 1 0 0    as seen from the source, d earlier
//	⊕          1 1 1 0 1 1 0 1 0 0 1 1 1 1 0 0    when the source may send
//	b = 3      ■ ■ ■                              sends in [0, 3): R(3) = 0
//	E                            1 0 0 1 1 1 1    it is there at EST = 0 + 3 + 6 = 9
//	w = 4                              ■ ■ ■ ■    runs in [12, 16)
//
// A Network has nodes, directed links and clusters. Each link is free or not, tick
// by tick, as an avail.Vector of its own or in a bookahead.Schedule; a cluster is
// a Schedule of CPUs. A query finds a Plan; Commit books all links of it, each
// shifted by the delay of the way to it, and the CPUs, or nothing; Release gives
// them back.
//
//	Earliest        the earliest completion: exact, and the one to use
//	MCT             the best of any monotone objective: exact, and lists all
//	                non-dominated paths, which can be exponentially many (§4.4)
//	MCTPrinted      MCT with the domination of Eq. (3), which is not exact
//	AWMCT           the heuristic with a number for a vector (§4.5)
//	MCB             where the data arrives earliest, whatever the cluster's load
//	ECT             the shortest path to each cluster only
//	SAMCRA          for reservations that begin at once: the shortest path under
//	                several additive constraints, to one of several servers (§3)
//	SAMCRAHopByHop  the same where each node decides for itself
//	Pareto          all paths that no other path dominates, one by one, best first in weight 0
//
// For N nodes, E links with d of a node, C clusters, S slots of a link with k runs
// of free ones, P paths listed for a node, and h links of a path:
//
//	Earliest    O(C·h·k) if the shortest path will do, else O(N·E·k) at most, k
//	            being the runs of a node as well, and O(d·k) for each path looked at:
//	            few as a rule, exponentially many at worst
//	MCT, MCB,
//	Candidates  O(N·P·(d + P)·S/64), and a search in a pool for each pair of path and
//	            cluster; they list the paths, and P may be exponential in N
//	AWMCT       O(N·P·d·S/64) with P ≤ S
//	ECT         O(C·h·k)
//	SAMCRA,     O(w·E log N) to look ahead, unless it is kept from a query to the same
//	Pareto      servers, and O(P·d·(log P + c)) for w weights, P paths made and p of them for
//	            one node: c is log p for two weights, for Pareto also for three, else w·p
//	Commit      O(h·S/64)
//	Advance     O(E·S/64)
//	memory      E·(S/8 + 16·k) bytes, 12·N for each cluster, and 12·w·N for each of the
//	            last 8 look-aheads; a search takes at most 300 bytes a step, and some 50
//	            as a rule
//
// P may be exponential, so each of these searches has an Effort, in Task and in Query: a context,
// and a number of steps, by default some seconds of work. A search stops within 1 024 steps
// of either, returns the best answer that it knows, and says so by Effort.Cut in the
// answer, beside a Bound: of Plan the time before which no plan ends, of Route the least length.
// Where it knows no answer, the error is bookahead.ErrStopped.
//
// Measured on nine nodes and 32 links of 10 000 slots, as busy as in the paper
// (bench/paper/stevens), medians: Earliest takes 1 to 2 µs for a task, AWMCT 20 to
// 50, MCT 200. On 50 nodes and 176 links Earliest takes 2 to 12 µs, AWMCT 100 to
// 200. That is not the worst case: on a grid of 49 nodes, each link free and taken
// in turns of 1 to 5 slots, from corner to corner, Earliest takes 11 ms for a burst
// of one slot and 85 ms for one of two (BenchmarkFragmented). MCT, MCB and Candidates
// list paths, and need more steps than there are for such a network. Of a network of 10 000
// nodes and 59 750 links with three weights, netMaker, Pareto lists the 79 to 1 140
// paths of a pair in 0.03 to 0.5 s.
//
// Dominates and Frontier work on Pareto-optimal costs of any kind, for searches of
// one's own.
//
// A Network is not safe for concurrent writes; queries may run side by side.
//
// # The files, in reading order
//
//	network, state, check      a network, its vectors of free slots, and refusals
//	task, commit               a task and its plan; bookings
//	ect, starts                the shortest paths; lists of slots
//	earliest, arrivals, back   Earliest: promises P1 to P5, an example, steps 1, 2 and 3
//	paths, pareto, mct         labels with vectors, dominance, the three phases of the paper
//	awmct, mcb                 the same with other orders
//	samcra, lookahead, kept    SAMCRA: the question, promises S1 to S5, lower bounds
//	known, subpaths, front     the best path so far; its labels; sorted fronts of two weights
//	multiobjective, guard      Pareto: promises M1 to M3, its fronts
//	heap, queue                the queues of all searches
//	avoid, names, effort       what paths leave out; names; steps
//
// # Deviations
//
// Eq. (3) is not safe: a path with a smaller delay and no fewer slots is taken for
// the better one, but it comes to the next link at another time, when that link
// may be taken; and where the way on leads over a node that it has been at, it has
// no way on at all. MCT drops a path only for one with the same delay, with all its
// slots, and at no node that it is not at. On small random instances MCTPrinted
// misses the best plan once or twice in ten thousand times, and AWMCT in a hundred;
// TestEquation3IsNotSafe has the smallest case. From the other end domination holds:
// of two ways from a node to a cluster, the one that is open whenever the other is,
// with no greater delay and through no other nodes, is the better one. Earliest goes
// that way.
//
// Eq. (5) leaves out for how long a cluster works, so that a slow cluster could
// eliminate a fast one; Covers asks for that as well. Both equations print < for
// the delay: with it equal paths all survive. Here the first of equals does.
//
// A slot of a link is a tick, delays are whole ticks, and clusters are booked by the
// tick: the τ of the paper is the choice of the tick, and of the Schedule of a
// cluster. Where it speaks of r-availability as "more than r", at least r is meant.
//
// Eq. (1) shifts a vector by 2·d: by d because it is as old as the way takes, and by d
// because the data comes to the link that much later. A Network knows the present
// bookings, so that only the latter is left; and a link is booked when it is used,
// however old the news of it. Config.Wait makes the source wait for a confirmation
// (§4.4, tell-and-wait).
//
// A task whose data is at the cluster sends nothing; the paper does not say.
// Clusters may differ in speed. MC-B and ECT are described in a sentence each (§5.1):
// MC-B is taken not to know the deadline when it chooses, and ECT to know the bookings
// of its paths.
//
// SAMCRA: of equal paths the one with fewer links is the shorter in the refined
// order (§3.4), so that hop by hop there are no loops, even with weights of zero. A
// label that gives up its place in the queue is one of those there; where several
// are dominated, the others stay, and do no harm. With two weights none gives up its
// place: labels are compared with those that have left the queue, when they are made and when
// they leave it. The queue hands out the least greater cost first, so whoever has left it before is
// no greater in one of the weights, and the front, sorted, grows at its ends.
package route
