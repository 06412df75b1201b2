// Package nodes books machines whose nodes have several resources: GPUs, cores and bytes that lie on
// the same node, and nodes that lie in the same rack. A request is for a number of tasks that run
// side by side for a time, each of them on one node. The answer is the earliest start at which the
// nodes have room for all tasks, and how many of them each node gets.
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
// A node has room for the least of free/wanted, over its resources and over all ticks of the time,
// rounded down, and for no more than Request.PerNode. Two pools, one of GPUs and one of cores, would
// say yes at 0: 14 GPUs are free, and 104 cores. But they do not lie together.
//
// # When pools are enough
//
// A pool is enough where its units are alike, and a task takes one of them: cores of a machine on
// which nothing else is booked, or nodes that are always booked as a whole, bound when a job starts
// (grid.Binder). A pool is not enough where a task takes several resources of one node, where a task
// has its node from the booking on, or where tasks must share a rack. Two nodes of 2 GPUs and
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
// The pools are wrong often. On 100 nodes of 8 GPUs and 64 cores, jobs are booked ahead which ask for
// 50, 70 or 90 % of the GPU time of two weeks; 44, 51 and 57 % of it is booked in the middle of the two
// weeks. Then two pools, and the nodes, are asked for further jobs at a fixed time:
//
//	                                       cores    part of   whole    in one
//	                                       only     a node    nodes    rack
//	wrong: the pools accept the job,
//	and no nodes can hold it       50 %    13 %     22 %      40 %     24 %
//	                               70 %    17 %     32 %      54 %     34 %
//	                               90 %    21 %     38 %      65 %     42 %
//	broken: only pools book, and
//	the job finds too few nodes    50 %    2.7 %    5.1 %     11 %     4.4 %
//	at its start                   70 %    3.6 %    6.8 %     15 %     9.3 %
//	                               90 %    3.9 %    7.9 %     19 %     9.7 %
//
// Wrong jobs are counted among those that the pools accept, and broken jobs among those that the pools
// have booked. Each task has a node of its own. If tasks may share a node, 14, 28, 54 and 31 % are wrong
// at 70 %. On 2 000 nodes with jobs on up to 256 of them, 11, 25, 49 and 20 % are wrong at 70 %, and
// 0.7, 1.8, 5.0 and 0.6 % are broken. To choose the nodes at the start of a job helps, and is not
// enough. This prints the figures:
//
//	go test -run '^$' -bench Pools/load=/nodes=100 -benchtime 1x ./nodes
//
// BenchmarkPools says how they are counted.
//
// # Which nodes
//
// The start never depends on the choice of nodes. Where there is a choice, it goes in this order:
// the group that Within asks for (the lowest in which there is room), the head, the groups that
// Together asks for (those with room for the most, so that they are the fewest), and then the nodes,
// by the Policy of the machine:
//
//	room for            4  1  3  8       5 tasks go to
//	LowestIndex                          4  1  -  -     keeps whole nodes free at the other end
//	FewestNodes                          -  -  -  5
//	Spread                               2  1  1  1
//	BestFit             the fullest node first
//	Own                 by a function of the caller's
//
// With a head and Together the head's group counts as one. A node that is in no group of the
// level counts as a group by itself for Together, and is never used for Within. The head lies where
// it leaves room for the most tasks.
//
// # Change
//
// Nodes can be closed for a time, or until further notice, and nodes can be added (Close, EndClosure,
// Extend). Nothing is refused because it is booked: Overbooked lists the nodes that are held while
// they are closed. Displace moves the reservations that are in the way.
//
// ReserveOffer and RebookOffer book an offer as it is, without a search. So a log of offers gives the same
// state again, also in a version whose search would choose other nodes.
//
// # How a search works
//
// Each node has a list of steps: how much is free from a time on. A plain search would go through the
// steps of all nodes. An index over nodes and time spares it most of them. Time is divided into
// chunks, in which few steps begin, and a chunk has two rows of bits for each level of a resource: a
// bit for each node that reaches the level throughout the chunk (least), or at some tick of it (most).
// Three nodes of 8 GPUs, and of the rows only those of 4 GPUs:
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
// Two tasks of 4 GPUs are wanted for 25 ticks from 0 on, each on a node of its own. The search asks for
// each chunk whether two nodes can serve a window that starts there:
//
//	chunk 0    Only node 1 is in the row most: too few. No steps are read.
//	chunk 1    Only node 2 is in that row, and in that of chunk 2: too few.
//	chunk 3    The windows from [30, 55) to [39, 64) all touch chunks 3 and 5, and cover chunk 4. All
//	           nodes are in the rows most of 3 and of 5. Node 2 is not in the row least of 4. Two
//	           nodes are left, and now their steps are read: node 0 can start at 30, and node 1
//	           at 35. The answer is 35.
//
// A Reserve remembers where there was no place, for the requests to come (a Search never writes):
//
//	facts      chunks 0, 1 and 2 have no start for 4 GPUs, be it for a tick, on 2 nodes
//	a zone     2 tasks of 4 GPUs for 25 ticks have no start in [0, 35)
//
// So a search for 3 tasks of 6 GPUs for 30 ticks begins at 35, because the request asks for more than the
// zone's. Of 2 tasks of 4 GPUs for 5 ticks the zone says nothing, but by their facts the search passes
// chunks 0 to 2 before it reads a row. Facts and zones stay true when more is booked. When a GPU is given
// back in [12, 20), the fact of chunk 1 goes, and the zone begins at 20, because earlier windows may
// reach that time. TestPicture runs this example.
//
// The rows are exact (C1 to C4 in index.go are the invariants), but they know amounts by level only, and
// chunks as a whole. So a node that is left may have too little, or too late. Rows, facts and zones say
// where there is no start. Only the steps say where one is.
//
// # Costs
//
// There are n nodes with s steps in all, v of them on one node, and c chunks; a request asks for r
// resources. A chunk is divided when more than n/4 steps begin inside (64 if that is more), so that c
// is about 5 s/n.
//
//	Search       O(c (r + log c) n/64 + s log v)
//	Reserve      that, and O(v + m) for each node that it books, if its time touches m chunks
//	Release      O(v + m) for each node, and O(c) for facts
//	Clone        O(n + c); a node or a chunk is copied when either side first writes to it
//
// A search reads each chunk a constant number of times: its facts, 32 at most, its rows as the first chunk
// of a window and as the last, and about twice between them, however long the window is (see
// cover.go). A row has n/64 words. So all rows that it reads are about r s/3 words at most. It also
// compares each chunk with the zones that speak of the request, of 512 zones at most.
//
// Then it reads the steps of the nodes that are left. Of each it remembers the gap before its next start,
// and until when the node is free behind that (hint in search.go), and reads no step twice. That makes
// O(s log v) for all chunks together, as c n is about 5 s. An adversary makes a search read all steps:
// levels lie apart, so the nodes can always have a little less than is wanted and yet reach the level.
// It cannot make it read them again and again. A zone spares the next such request, if the first was
// a Reserve.
//
// Where a node may get several tasks, or there is a head, a few times from which a node can hold more are
// tried, and each try may look at all nodes that are left (leap.go). If all of them fail, the search sweeps
// (sweep.go): it looks at a node once for each change of what the node can hold, and each look reads the
// steps of one window. LowestIndex and BestFit look at few nodes to choose some. Other policies, a
// head, Together and a Rebook look at all that are left. A head and Together take O(n²).
//
// Measured on 2 cores, in one run: how many times faster Search and Reserve are together than the
// search alone of a leapfrog over two carts.Flat a node. Nodes have 8 GPUs and 64 cores, and
// the policy is LowestIndex.
//
//	nodes     live      backlog            early ends         ready anywhere
//	                    mean     p99       mean     p99       mean     p99
//	   100     1 000    1.2x     1.0x      1.3x     1.2x      0.9x     0.7x
//	 2 000    20 000    6.8x     3.0x       11x     5.3x      6.8x     4.1x
//	20 000    20 000     19x     5.2x       17x     6.7x       29x      14x
//
// BestFit takes longer where many nodes have room: 6.7x, 7.8x and 3.2x on 2 000 nodes.
//
//	go test -run '^$' -bench 'Gang$' -benchtime 1x -timeout 0 ./nodes
//
// BenchmarkGang says what the jobs are. Memory, in the backlog of 2 000 nodes with 20 000 live jobs:
//
//	steps    16 bytes each: a time, and a word for 8 GPUs and 64 cores     320 800 steps      5 MB
//	rows     2 for each level and 2 more, of n/8 bytes: 8 levels of            778 chunks     8 MB
//	         GPUs and 11 of cores make 40 rows, or 10 KB a chunk
//
// c grows with s/n and a row with n, so that a step takes as much in rows on any number of nodes: 25 bytes
// with 40 rows. A resource has 18 levels at most. The books take 30 bytes for the numbers of a job on 13
// nodes, and a place in two indices.
//
// # Files
//
// The machine, and what it books:
//
//	config.go     a machine as the caller describes it
//	layout.go     the same, in a form that is quick to read
//	request.go    requests, offers and reservations
//	machine.go    the operations
//
// The index:
//
//	steps.go      what is free on one node over time
//	packing.go    amounts side by side in a word, compared at once
//	levels.go     the amounts for which there are rows
//	rows.go       sets of nodes as bits
//	chunk.go      a stretch of time, and its rows
//	index.go      all of them, the invariants, and how a change goes through
//	balance.go    chunks are divided and joined
//	facts.go      what is known about the starts in one chunk
//	zones.go      what is known about the starts in a longer time
//
// The search:
//
//	query.go      a request as the machine looks at it
//	search.go     from chunk to chunk
//	cover.go      the chunks between the first and the last of a window
//	starts.go     the first start on nodes that take a task each
//	leap.go       the first start where nodes take several, or a head
//	sweep.go      the same, after a few tries
//	place.go      which nodes: parts, head and groups
//	policy.go     which nodes, among equals
//	tightest.go   best fit, without a look at all nodes
//
// The books, and all that changes them:
//
//	booking.go    a reservation, and the queries for it
//	packed.go     the same in few bytes
//	books.go      all of them, by ID and by time
//	rebook.go     a reservation is placed anew, and its own use is free
//	offered.go    an offer is booked as it is, without a search
//	closed.go     nodes that are closed, and who holds them
//	extend.go     nodes that are added
//	displace.go   who must go
//	snapshot.go   the state as bytes
//	tasks.go      a view: a pool whose units are tasks
//	idle.go       when a node has room
//	verify.go     the books, the nodes and the index agree
package nodes
