// Package nodes books machines whose nodes have several resources, such as GPUs, cores and bytes. A
// request is for a number of tasks that run side by side for a time. A task takes all of its resources
// on one node, and the nodes of a request may have to share a rack. The answer is the earliest start at
// which the nodes have room for all tasks, and the number of tasks on each node.
//
//	          from 0 to 6             from 6 on
//	          8 GPUs    64 cores      8 GPUs    64 cores
//	node 0    ████████  █░░░░░░░      ████████  ████████      █ free
//	node 1    ██░░░░░░  ████████      ████████  ████████
//	node 2    ████░░░░  ████░░░░      ████░░░░  ████░░░░
//
//	6 tasks of 2 GPUs and 8 cores for 10 ticks:
//	at 0      1 (cores) + 1 (GPUs) + 2 = 4: too few
//	at 6      4 + 4 + 2 = 10: the earliest start
//
// The room of a node is the least of free/wanted over all resources and all ticks of the time, rounded
// down, and at most Request.PerNode. Two pools, one of GPUs and one of cores, would accept the request
// at 0, because 14 GPUs and 104 cores are free. But too few of them are on the same node.
//
// # When pools are enough
//
// A pool is enough where its units are alike and a task takes one unit: a core of a machine on which
// nothing else is booked, or a whole node that is bound to the job only when the job starts
// (grid.Binder). A pool is not enough where a task takes several resources of one node, where a task
// is given its node when it is booked, or where tasks must share a rack. Two nodes of 2 GPUs and
// 4 cores, and two jobs that the pools would start at 0:
//
//	          from 0 to 10                           0    5    10
//	          2 GPUs    4 cores              node 0  ░░░░░████████
//	node 0    ░░        ████                 node 1  █████░░░░░███      █ free
//	node 1    ██        ░░░░
//	a pool    2 free    4 free               a pool  1 free at each tick
//
//	a task of 1 GPU and 1 core               a whole node for 10 ticks
//	the nodes start it at 10                 the nodes start it at 5, on node 0
//
// Pools are often wrong. In a measurement, 100 nodes of 8 GPUs and 64 cores have jobs booked ahead over
// two weeks. The load is the GPU time that these jobs ask for:
//
//	load                                         50 %    70 %    90 %
//	booked in the middle of the two weeks        44 %    51 %    57 %
//
// Then two pools, and the nodes, are asked for further jobs at a fixed time. A job is wrong if the pools
// accept it, and no nodes can hold it. A job is broken if only pools book it, and it finds too few nodes
// at its start:
//
//	          load    cores    part of   whole    in one
//	                  only     a node    nodes    rack
//	wrong     50 %    13 %     22 %      40 %     24 %     of the jobs that the pools accept
//	          70 %    17 %     32 %      54 %     34 %
//	          90 %    21 %     38 %      65 %     42 %
//	broken    50 %    2.7 %    5.1 %     11 %     4.4 %    of the jobs that the pools have booked
//	          70 %    3.6 %    6.8 %     15 %     9.3 %
//	          90 %    3.9 %    7.9 %     19 %     9.7 %
//
// Each task has a node of its own. If tasks may share a node, 14, 28, 54 and 31 % are wrong at 70 %. On 2 000
// nodes with jobs on up to 256 of them, 11, 25, 49 and 20 % are wrong at 70 %, and 0.7, 1.8, 5.0 and
// 0.6 % are broken. So it helps to choose the nodes only when a job starts, but it is not enough. This
// command prints the figures:
//
//	go test -run '^$' -bench Pools/load=/nodes=100 -benchtime 1x ./nodes
//
// BenchmarkPools says how they are counted.
//
// # Which nodes
//
// The choice of nodes never changes the start, but by Patience. The machine chooses in this order: the group for Within
// (with Together, a group in which the tasks lie in the fewest groups of that level; of these, the lowest group that
// has room), the head, the groups for Together (groups with room for the most
// tasks come first, so that the groups are few), and then the nodes, by the Policy of the machine:
//
//	room for            4  1  3  8       5 tasks go to
//	LowestIndex                          4  1  -  -     keeps whole nodes free at the other end
//	FewestNodes                          -  -  -  5
//	Spread                               2  1  1  1
//	BestFit             the fullest node first
//	Own                 by a function of the caller's
//
// The head lies where it leaves room for the most tasks, and of equal nodes on the lowest; with Together, where the tasks lie in the fewest
// groups, and the group of the head counts as one of them. A node that is in no group of the level counts
// as a group by itself for Together, and is never used for Within.
//
// A request with Patience may start later than it could, so that all tasks lie in one group of Together. If they cannot
// by then, it waits for nothing:
//
//	start in two racks    0
//	start in one rack     40         Patience 30: 0, in two racks        Patience 40: 40, in one
//
// The starts of Openings and SearchLatest, and the shortages of Explain, are those without Patience: each of them has a
// place. Search, Reserve and Rebook wait, and so do SearchFor, the request of a Displace and Explanation.Earliest.
//
// An Exclusive request takes its nodes as a whole, for a job that measures, or that trusts nobody: no other
// reservation holds its nodes meanwhile. So it starts when enough nodes are free as a whole. They may be of several
// kinds, and each holds as many of its tasks as fit:
//
//	GPUs                 tasks of 2 GPUs    exclusive tasks
//	node 0    ██████░░   3                  none               █ free
//	node 1    ████       2                  2, and nobody else has room for the time
//
// The tasks of a request may come in bundles, each of which lies in one group of a level: Bundle 4 and Bundled "rack" stand for
// 4 tasks in each of some racks, and several such bundles may lie in one rack. So a rack has room for whole bundles only, and the
// request starts when the racks have room for all bundles. The policy deals the tasks one after the other as ever; but it
// begins a bundle only where a whole one has room, and completes it in the same group. Spread deals the bundles evenly to the
// groups, and then the tasks of each group evenly to its nodes:
//
//	rack              0        1          2
//	free GPUs         3 2      1 1 1      8 1     bundles of 4 tasks of a GPU: 1 + 0 + 2
//	8 tasks           3 1      - - -      4 -     LowestIndex
//	                  - -      - - -      8 -     FewestNodes
//	                  2 2      - - -      3 1     Spread
//
// A Rebook and a Swap keep whole bundles, too. A bundle of which some tasks must move is filled up in its group.
//
// # Change
//
// Nodes can be closed for a time, or until further notice, and nodes can be added (Close, EndClosure,
// Extend). A booked node can be closed too: Overbooked lists the nodes that reservations hold while the
// nodes are closed, and Displace moves the reservations that are in the way.
//
// When one node of a running gang fails, Swap moves the tasks of this node to other nodes, in the same rack if the gang
// asked for one, and the other tasks go on where they are. Displace does the same for running reservations if
// Force.Swap says so.
//
// A reservation remembers which nodes its request allowed, but not the times (Terms), and Displace places it anew
// on these terms. When a plan must be tried before it is made, it is tried on a Clone (ExampleMachine_Clone).
//
// The clock ends reservations. Once Advance has reached the End of a reservation, which is the estimate of a job,
// the reservation is gone, and Release returns bookahead.ErrNotFound: that is no failure of a job that ends in
// time. A job that runs longer than its estimate is made longer by Rebook before its End.
//
// # Why there is no place
//
// A request without a place has one of three errors, and errors.Is finds bookahead.ErrUnavailable in all of them.
// ErrNever: the machine is too small. ErrClosed: not before a repair. bookahead.ErrUnavailable itself: others have
// booked the room. Explain names the nodes that lack something, and who holds it until when. Openings lists all
// starts of a request, and SearchLatest finds the last.
//
// ReserveOffer and RebookOffer book an offer as it is, without a search. So a log of offers leads to the
// same state again, even in a version whose search would choose other nodes.
//
// # How a search works
//
// Each node has a list of steps. A step is a time and the amounts that are free from this time on. A
// plain search would read the steps of all nodes; an index over nodes and time saves most of that. The
// index divides time into chunks in which few steps begin. A chunk has two rows of bits for each level
// of a resource, with a bit for each node: the row least has the nodes that reach the level throughout
// the chunk, and the row most those that reach it at some tick of the chunk. Here are three nodes of
// 8 GPUs, and the rows of the level 4 GPUs:
//
//	time      0     5     10    15    20    25    30    35    40    45    50    55    60
//	node 0    2     0     0     2     2     3     8     8     6     6     6     6     8    free GPUs
//	node 1    6     1     1     1     3     3     3     4     4     4     4     8     8
//	node 2    2     2     6     6     6     6     6     6     6     2     6     6     8
//
//	chunk     0           1           2           3           4           5           6
//	most      . 1 .       . . 1       . . 1       1 1 1       1 1 1       1 1 1       1 1 1
//	least     . . .       . . 1       . . 1       1 . 1       1 1 .       1 1 1       1 1 1
//	          (a bit for node 0, 1 and 2)
//
// A request asks for two tasks of 4 GPUs for 25 ticks from 0 on, each on a node of its own. For each
// chunk, the search asks whether two nodes can serve a window that starts in the chunk:
//
//	chunk 0    Only node 1 is in the row most: too few. No steps are read.
//	chunk 1    Only node 2 is in the rows most of chunks 1 and 2: too few in both.
//	chunk 3    The windows from [30, 55) to [39, 64) all touch chunks 3 and 5, and cover chunk 4. All
//	           nodes are in the rows most of 3 and of 5. Node 2 is not in the row least of 4. Nodes 0
//	           and 1 are left, and only now their steps are read: node 0 can start at 30, and node 1
//	           at 35. The answer is 35.
//
// Reserve remembers for later requests where there was no place (Search never writes):
//
//	facts      chunks 0, 1 and 2 have no start for 4 GPUs on 2 nodes, not even for one tick
//	           a block of some sixteen chunks has facts too, when a search has passed all of them
//	a zone     2 tasks of 4 GPUs for 25 ticks have no start in [0, 35)
//
// A search for 3 tasks of 6 GPUs for 30 ticks begins at 35, because it asks for more than the request of
// the zone. For 2 tasks of 4 GPUs for 5 ticks the zone says nothing, but the facts let the search pass
// chunks 0 to 2 before it reads a row. A block that a fact denies is passed at once. Facts and zones stay true
// when more is booked. When a GPU is given back in [12, 20), the fact of chunk 1 is dropped and the zone begins
// at 20, because windows that start earlier may reach the time given back. TestPicture runs this example.
//
// The rows are exact (C1 to C5 in index.go are the invariants), but a row knows levels instead of amounts,
// and whole chunks instead of ticks. So a node that passes the rows may still have too little free, or
// become free too late. Rows, facts and zones prove that there is no start; only the steps prove that
// there is a start.
//
// # Costs
//
// There are n nodes, s steps on all nodes together, v steps on one node, and c chunks; a request asks for
// r resources. A chunk is divided when more than max(64, n/4) steps begin inside, so that c is about
// 5 s/n.
//
//	Search       O(c (r + log c) n/64 + s log v)
//	Reserve      the same, and O(v + m) for each node booked, if the reservation touches m chunks
//	Release      O(v + m) for each node, and O(c) for facts
//	Clone        O(n + c); a node or a chunk is copied when either side first writes to it
//
// A search reads each chunk a constant number of times: the facts, 32 at most, and the rows once as the
// first chunk of a window, once as the last, and about twice as a chunk between, however long the window
// is (see cover.go). A row has n/64 words, so the search reads about r s/3 words of rows at most. The
// search also compares each chunk with the zones that hold for the request, of at most 512 zones.
//
// Then the search reads the steps of the nodes that have passed the rows. Of many nodes it finds the steps of sixteen
// at once, because these steps are not in the caches (abreast.go). For each node it remembers the
// gap before the next start, and until when the node is free after this gap (hint in search.go), so that
// no step is read twice. That makes O(s log v) for all chunks together, as c n is about 5 s. In the worst
// case a search reads all steps: levels lie apart, so the nodes may always have a little less than is
// wanted and yet reach the level. But no case makes a search read a step again and again, and if the
// search was a Reserve, a zone spares the next such request.
//
// If a node may get several tasks, if there is a head or a bundle, or if the nodes must be free as a whole, the search tries a
// few starts from which a node can hold more, and each try may look at all nodes that have passed the rows
// (leap.go). If all tries fail, the search sweeps (leap.go): it looks at a node once for each change of the node's room, and each
// look reads the steps of one window. To choose nodes, LowestIndex and BestFit look at few of them. Other
// policies, a head, Together, Exclusive, bundles and a Rebook look at all that have passed. With Patience there is another search,
// which first sorts the nodes by their groups: O(n + g log g) for g groups. A Rebook with a head
// and Together or bundles takes O(n²) and more.
//
// The memory, in the backlog of 2 000 nodes with 20 000 live jobs:
//
//	steps    16 bytes each: a time, and a word for 8 GPUs and 64 cores     320 800 steps      5 MB
//	rows     2 for each level and 2 more, of n/8 bytes: 8 levels of            778 chunks     8 MB
//	         GPUs and 11 of cores make 40 rows, or 10 KB a chunk
//
// c grows with s/n and a row with n, so that rows take the same memory per step on any number of nodes:
// 25 bytes with 40 rows. A resource has 18 levels at most. The books take 30 bytes for the numbers of a
// job on 13 nodes, and a place in two indices.
//
// # Measured
//
// How many times faster Search and Reserve together are than the mere search of a leapfrog over two carts.Flat a node.
// Nodes have 8 GPUs and 64 cores, and the policy is LowestIndex.
//
//	nodes     live      backlog           early ends        ready anywhere
//	                    mean      p99     mean      p99     mean      p99
//	   100     1 000    1.1x      0.92x   1.1x      1.1x    0.91x     0.71x
//	 2 000    20 000    7.6x      3.7x    11x       6.4x    7.1x      4.6x
//	20 000    20 000    15x       6.6x    11x       6.6x    23x       9.1x
//
// With BestFit the means are 7.6x, 8.9x and 3x on 2 000 nodes: it takes longer where many have room.
//
//	go test -run '^$' -bench 'Gang$' -benchtime 1x -timeout 0 ./nodes
//
// BenchmarkGang describes the jobs. Means of 2 sittings, 28 November 2026, on 2 cores of Intel(R) Xeon(R) Processor; the sittings differ by 50 % at the most, in p99-ns; before and after each command, other programs took less than 10 % of the processors.
//
// # Growth
//
// From 100 nodes to 100 000, with ten live jobs for each node that are ready anywhere, as BenchmarkSize measured them
// on 27 November 2026, on 2 cores of AMD EPYC:
//
//	nodes      live         search    reserve   p99       release   a live job   clone     snapshot   read
//	    100        1 000    4.5 µs    14 µs     0.1 ms    7.2 µs      542 B      0.01 ms   0.03 MB    0.01 s
//	  1 000       10 000    13 µs     49 µs     0.4 ms    23 µs     1 231 B      0.1 ms    0.4 MB     0.2 s
//	 10 000      100 000    35 µs     89 µs     1.0 ms    49 µs     1 432 B      0.3 ms    3.9 MB     2.7 s
//	100 000    1 000 000    156 µs    247 µs    1.9 ms    60 µs     1 353 B      2.7 ms    40 MB      35 s
//
// Reading a snapshot is the first to be too slow: each job is booked on each of its 13 nodes. Then memory ends, at 14 GB
// for 10^7 jobs.
//
// # Files
//
// The machine and its requests:
//
//	config.go         a machine as the caller describes it
//	layout.go         the description, in a form that is quick to read
//	request.go        requests, offers and reservations
//	machine.go        the operations
//
// The index:
//
//	steps.go          the free amounts of one node over time
//	packing.go        amounts side by side in a word, compared at once
//	levels.go         the amounts for which there are rows
//	rows.go           sets of nodes as bits
//	chunk.go          a stretch of time, and its rows
//	index.go          all nodes and chunks, the invariants, and how a change reaches them
//	balance.go        chunks are divided and joined
//	facts.go          proofs that one chunk, or one block, has no start, until more is free
//	blocks.go         some chunks that follow each other, which a search passes at once
//	zones.go          proofs that a longer time has no start
//
// The search:
//
//	ask.go            a request is checked, and becomes a query
//	query.go          a request in the machine's own terms
//	why.go            why a request has no place
//	search.go         from chunk to chunk
//	cover.go          the chunks between the first and the last of a window
//	starts.go         the first start on nodes that take a task each
//	abreast.go        the steps of several nodes, found at once
//	leap.go           the first start where nodes take several tasks, or a head
//	bundles.go        tasks that come in bundles, each in one group
//	stock.go          the room of the nodes that may get tasks, and which tasks stay
//	place.go          the choice of parts, head and groups
//	policy.go         the choice of nodes, among equals
//	tightest.go       best fit, without a look at all nodes
//
// The books, and the operations that change them:
//
//	booking.go        a reservation as the machine works with it, and in few bytes
//	terms.go          the terms of a request in few bytes
//	books.go          all reservations, by ID and by time
//	reservations.go   the queries for reservations
//	rebook.go         a reservation is placed anew, or some of its tasks are, and its own use counts as free
//	offered.go        an offer is booked as it is, without a search
//	closed.go         the times at which nodes are closed
//	close.go          nodes are closed, and opened again
//	overbooked.go     reservations that hold closed nodes
//	extend.go         nodes that are added
//	displace.go       reservations that must go
//	snapshot.go       the state as bytes
//	tasks.go          a view: a pool whose units are tasks
//	idle.go           when a node has room, and how much is free
//	openings.go       all starts of a request, and the last
//	explain.go        who is in the way of a request, and until when
//	verify.go         the books, the nodes and the index agree, and the invariants of the index
package nodes
