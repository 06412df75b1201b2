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
// they are closed.
//
// # Costs
//
// The nodes keep their steps in sorted arrays, and a search leaps from one time at which the nodes
// may have room to the next: O(n log n + s) for n nodes and s steps that it passes. That is
// right for a hundred nodes.
//
// # Files
//
//	config.go    a machine as the caller describes it
//	layout.go    the same, in a form that is quick to read
//	request.go   requests, offers and reservations
//	machine.go   the operations, and the finder
//	steps.go     what is free on one node over time
//	scan.go      the finder without an index: it leaps over the nodes
//	query.go     a request as the machine looks at it
//	place.go     which nodes: parts, head and groups
//	policy.go    which nodes, among equals
//	rebook.go    the same, where the reservation's own use is free
//	booking.go   a reservation, and the queries for it
//	books.go     all of them, by ID and by time
//	packed.go    how few bytes the books keep of each
//	closed.go    nodes that are closed, and who holds them
//	extend.go    nodes that are added
//	displace.go  who must go
//	snapshot.go  the state as bytes
//	tasks.go     a view: a pool whose units are tasks
//	verify.go    the books and the nodes agree
package nodes
