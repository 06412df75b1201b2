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
// by tick, as an avail.Vector of its own or in a bookahead.Schedule. A cluster is
// a Schedule of CPUs. A query finds a Plan. Commit books all links of the plan, each
// shifted by the delay of the way to it, and the CPUs, or nothing. Release gives
// them back. Where links and clusters are schedules of a desk, Request makes a plan one
// request of a Book.
//
//	Earliest        the earliest completion: exact, and the search to use
//	MCT             the best of any monotone objective: exact, and lists all
//	                non-dominated paths, which can be exponentially many (§4.4)
//	AWMCT           the heuristic with a number for a vector (§4.5)
//	MCB             the cluster where the data arrives earliest, whatever its load
//	ECT             the shortest path to each cluster only
//	SAMCRA          for reservations that begin at once: the shortest path under
//	                several additive constraints, to one of several servers (§3)
//	SAMCRAHopByHop  the same where each node on the way decides for itself
//	Pareto          all paths that no other path dominates, one by one, the best in weight 0 first
//
// Links that are pools carry data at any rate, too:
//
//	EarliestTransfer    a volume over one path, at each tick as fast as the least free of its links: exact
//
// For N nodes, E links with d of a node, C clusters, S slots of a link with k runs
// of free slots, P paths listed for a node, and h links of a path:
//
//	Earliest    O(C·h·k) if the shortest path will do. Otherwise O(r·E·k) for r rounds, at
//	            most N, and O(d·k + log e) for each of e ends of paths: few as a rule,
//	            exponentially many at worst. Here k counts the runs of a node too
//	MCT, MCB,
//	Candidates  O(N·P·(d + P)·S/64), and a search in a pool for each pair of path and
//	            cluster; they list the paths, and P may be exponential in N
//	AWMCT       O(N·P·d·S/64) with P ≤ S
//	ECT         O(C·h·k)
//	SAMCRA,     O(w·E log N) to look ahead, unless it is kept from a query to the same
//	Pareto      servers, and O(P·d·(log P + c)) for w weights, P paths made and p of them for
//	            one node: c is 1 for two weights, log p for three, else w·p
//	Commit      O(h·S/64)
//	Request     O(h²)
//	Advance     O(E·S/64)
//	memory      E·(S/8 + 16·k) bytes, 12·N for each cluster, and 12·w·N for each of the
//	            last 8 look-aheads; a search takes at most 300 bytes a step, and 67 in the
//	            hardest case measured
//
// P may be exponential. So each of these searches has an Effort, in Task and in Query: a context,
// and a number of steps, by default 2^24. These steps are a few seconds of work. They took about
// 1 GB in the hardest case measured; 5 GB is the bound. In a service, set Effort.Steps. A search
// stops within 1 024 steps of either limit, and returns the best answer that it knows. Then
// Spent.Cut is set in the answer. Plan.Bound and Route.Bound say how good an answer can be: no
// plan ends before Plan.Bound, and no path has a Length below Route.Bound. Where a stopped search
// knows no answer, the error is bookahead.ErrStopped.
//
// Measured on nine nodes and 32 links of 10 000 slots, as busy as in the paper
// (bench/paper/stevens), medians: Earliest takes 1 to 2 µs for a task, AWMCT 20 to
// 50, MCT 200. On 50 nodes and 176 links Earliest takes 2 to 12 µs, AWMCT 100 to
// 200. That is not the worst case: on a grid of 49 nodes, each link free and taken
// in turns of 1 to 5 slots, from corner to corner, Earliest takes 11 ms for a burst
// of one slot and 85 ms for a burst of two (BenchmarkFragmented). MCT, MCB and Candidates
// list paths, and the steps do not suffice on such a network. Of a network of 10 000
// nodes and 59 750 links with three weights, netMaker, Pareto lists the 79 to 1 140
// paths of a pair in 0.03 to 0.5 s.
//
// A Network is not safe for concurrent writes; queries may run side by side.
//
// # Files
//
// Read the files in this order:
//
//	config.go, check.go, errors.go      nodes, links and clusters in words, and refusals
//	graph.go, names.go, bits.go         nodes and links to search; their names; sets of them
//	network.go, new.go, state.go        a network, how it is made, its vectors of free slots
//	task.go, commit.go, request.go      a task and its plan; bookings, here and on a desk
//	transfer.go, branch.go              data at any rate: the question and its plan; the search for it
//	avoid.go, effort.go, job.go         links and nodes that paths leave out; steps; a task that is searched for
//	ect.go, starts.go                   the shortest paths; lists of slots
//	earliest.go, search.go              Earliest: promises P1 to P5, an example, step 1; its memory
//	arrivals.go, back.go                steps 2 and 3
//	candidate.go, ready.go              dominance; pairs of path and cluster, and the free ticks by which they are compared
//	paths.go, pairs.go, mct.go          the three phases of the paper: labels with vectors, pairs, the best
//	awmct.go, mcb.go                    the same with other orders
//	query.go, lookahead.go, kept.go     paths under constraints: the question, promises S1 to S5, lower bounds
//	labels.go, guard.go, front.go       labels with weights, and the fronts with which labels are compared
//	rank.go, known.go, subpaths.go      SAMCRA: the order of paths, the best path so far, the search itself
//	samcra.go                           SAMCRA as a whole, and hop by hop
//	multiobjective.go                   Pareto: promises M1 to M3
//	heap.go, queue.go                   the queues of all searches
//
// No file leads back to a file that leads to it: a network does not know the searches, and
// steps of a search do not know the whole search.
//
// # Deviations
//
// Eq. (3) is not safe. It prefers a path with a smaller delay and no fewer slots. But the
// data comes to the next link at another time on this path, when that link may be taken. And
// where the way on leads over a node of the path, the path has no way on at all. MCT drops a path
// only for a path with the same delay, with all its slots, and with no other nodes. On small
// random instances MCT with Eq. (3) as printed misses the best plan once or twice in ten thousand times, and
// AWMCT once or twice in a hundred; TestEquation3IsNotSafe has the smallest case. From the other
// end domination holds: of two ways from a node to a cluster, a way is no worse if it is open
// whenever the other is, has no greater delay, and has no other nodes. Earliest goes that way.
//
// Eq. (5) leaves out for how long a cluster works, so that a slow cluster could
// eliminate a fast one. Covers compares that as well. Both equations print < for
// the delay, by which equal paths all survive. Here the first of equal paths survives.
//
// A slot of a link is a tick, delays are whole ticks, and clusters are booked by the
// tick: the τ of the paper is the choice of the tick, and of the Schedule of a
// cluster. Where the paper speaks of r-availability as "more than r", at least r is meant.
//
// Eq. (1) shifts a vector by 2·d: by d because the vector is d old when it comes to the source,
// and by d because the data comes to the link that much later. A Network knows the present
// bookings, so that only the second d is left. And a link is booked for when it is used,
// however old the news of it. Config.Wait makes the source wait for a confirmation
// (§4.4, tell-and-wait).
//
// A task whose data is at the cluster sends nothing; the paper does not say.
// Clusters may differ in speed. The paper describes MC-B and ECT in a sentence each (§5.1). Here
// MC-B does not know the deadline when it chooses, and ECT knows the bookings of its paths.
//
// SAMCRA: of equal paths the path with fewer links is the shorter in the refined
// order (§3.4), so that hop by hop there are no loops, even with weights of zero. No label takes the
// place of a label that waits in the queue (§3.4). Instead, labels are compared with those that have
// left the queue, when they are made and when they leave it. The queue hands out labels by the
// greatest of their costs, the least first. So all labels that have left the queue before are no
// greater in one of the weights, and only the others are compared.
package route
