// Package idletree books servers by the periods in which each is idle, and says
// which of them a reservation gets (Castillo, Rouskas and Harfoush, "Resource
// co-allocation for large-scale distributed environments", HPDC 2009,
// doi:10.1145/1551609.1551634, §4).
//
//	server 0  ██|───── 4 ─────────────────── 25 ─|████████|── ...
//	server 1  ████████████████|── 15 ───────────────── 34 ─|█████
//	server 2  ████████████|────── 12 ──────────── 31 ─|██████████
//
// A request for n servers from s to e needs n idle periods that start by s and
// end at e or later. There are three ways to find them:
//
//	Lists    a calendar for each server; all are read, one after the other
//	Slotted  as published: for each slot of time a tree of the idle periods that
//	         overlap it, by start, with secondary trees of them by end
//	Tree     one B+ tree of all idle periods, by start; inner nodes know the
//	         latest end below them
//
// Take Tree. Lists is enough for a few hundred servers, has the least memory, and
// is the yardstick for the others; it also takes the servers of lowest index
// first, at no extra cost. Slotted shows the structure of the paper, and counts its
// operations (Trace). A reservation changes an idle period in each slot that the
// period spans: with 10 000 servers and 500 slots, a reservation takes about 500 times as
// long as with Tree, and the memory is 19 times as much. The paper's own trees
// would be larger still (BenchmarkSlotted).
//
// Lists and Tree find the earliest start there is, to the tick; Slotted tries
// starts in steps, but its Openings are all there are. Config.Prefer chooses the
// servers that Lists and Tree take. Its zero value lets Tree take those that have been
// idle for the shortest time, as Slotted does, so that long idle periods stay whole, and
// Lists the lowest. To choose among all that are free, ask RangeQuery or Tree.Idle, and
// name the servers in the request.
//
//	              Lists              Slotted                  Tree
//	Search        O(N log m)         O(log² q + n)            O(log p + n)
//	  Prefer      O(N log m + k log n)                        O(log p + k log n)
//	  else        O((N + i) log p)   that for each attempt    O(j log n)
//	Reserve       Search + O(n m)    Search + O(n s log² q)   Search + O(n log p)
//	Release       O(n m)             O(n s log² q)            O(n log p)
//	SearchFor     O(n log m), and a Search if servers are added; n Searches if flexible
//	Rebook        SearchFor, and a Release and a Reserve of the servers that change
//	SearchLatest  O((N + i) log p)   -                        O((j + n) log p)
//	Openings      a Search of Lists or Tree wherever the servers that were free become too few
//	RangeQuery    O(N log m)         O(log² q + k)            O(log p + k)
//	Free          -                  -                        O(log p + leaves with any of the k)
//	Advance       O(1)               O(slots passed)          O(log p)
//	Clone         O(N + p)           O(N + p s log q)         O(N + p)
//	memory        O(N + p)           O(N + p s log q)         O(N + p)
//	Close, End    -                  -                        O(n (c + k log p))
//	Overbooked    -                  -                        O(l), and O(log l) for each edge
//
// for N servers with p idle periods in all, and m of each; q idle periods in a
// slot, and s slots that each spans; n servers that are wanted, and k that are
// free. The first line of Search holds if there are enough at the ready time,
// the second too if Config.Prefer is set, the third if there are not; i idle
// periods begin between the ready time and the start that is found, and j are
// long enough of them; for SearchLatest, they end between the window that is found
// and the deadline. With BestFit, WorstFit and LowestIndex, Tree passes over
// most of the k that are free; with an order of the caller's own it reads all. Updates of
// Slotted and Advance of Tree are amortised; Tree may read a leaf for each server
// that is wanted or free.
//
// Servers of a Tree can be closed, and more can be added (bookahead.Closable). An idle period
// ends where a closure begins, as it does where a booking begins. A closure costs nothing before
// there is one; n servers that it names have c closures each, and k idle periods in its time, and
// l servers have closures at all. An Advance by which a server opens or closes takes O(l) besides.
//
// Tree.Within is a view of a Tree whose reservations lie together: on servers with consecutive indices
// (a spectrum, seats), all in one of several groups, no matter which (racks), or both (seats of one
// row). One pass through the idle periods finds the earliest start over all groups. While Within.Track is
// on, the number of free servers of each group over time tells where to look at all:
//
//	                    Layout.Groups                 Layout.Adjacent
//	Search              O(log p + s + j log n)        O(log p + N + j log N)
//	  tracked           O(g log v + c n log m)        the same, within groups
//	Reserve             Search, and that of named servers
//	  tracked           O(log v) besides, for each group that is touched, in all that changes the Tree
//	RangeQuery, Frame   O(log p + k + s)
//
// for g groups of s servers in all, with v changes of the number of free servers, and c calendars that are
// read where the number is great enough.
//
// # Deviations
//
// The paper has the tree of a new slot made in O(1) when an old one has expired
// (§4.1). But each idle period that runs on to the horizon spans the new slot.
// Here idle periods that never end are in one tree of their own, for all slots.
// It needs no secondary trees.
//
// A slot holds at most one idle period of each server only if no reservation lies
// wholly inside it. That is why the paper allows none that is shorter than a slot.
// This package does not rely on it: reservations may have any length.
//
// Starts that are Δt apart miss those between them. With SlottedConfig.Step 1
// none is missed; Tree goes to the next time at which an idle period begins. R_max
// counts all attempts, as in §4.2; §5.1 has that many after the first.
//
// The paper takes the feasible idle periods that it comes upon first. These depend
// on the shape of the trees, and so on the past. Here the latest starts
// are taken, and of those that start together the lowest servers: the same
// bookings give the same answers. For the worked request of §4.2 these are the
// ones that the paper finds.
//
// Where the paper has a leaf for each idle period, here a leaf holds up to 16,
// and has no secondary tree: the trees are lower by four levels, and smaller.
// The paper leaves their balance open. Here a subtree that has lost its balance is
// built anew.
//
// The paper says nothing of requests that name servers, of releasing a booking,
// and of the order of updates. Each server has a calendar of its idle
// periods beside the trees. Named servers are looked up in their calendars, and the
// calendar of a server shows which idle periods become one when a booking is
// released. Periods that have ended stay in the trees of a slot until the slot is
// discarded.
//
// # Reading the code
//
// Read the files of Tree in this order; those of Slotted begin with slotted.go.
//
//	calendar.go   the idle periods of one server, and invariants C1 to C4
//	fleet.go      all calendars: a booking goes in, and edits of idle periods come out
//	index.go      the tree of all idle periods: invariants T1 to T6, and how a search descends
//	update.go     how edits rewrite the tree
//	ahead.go      memory that is loaded before it is needed
//	count.go      how many servers are free, without a list
//	layout.go     groups of servers, and stretches of consecutive ones
//	within.go     servers that lie together, as a schedule
//	together.go   the earliest start for them, in one pass
//	tracked.go    how many servers of each group are free, and invariant G1
//	tree.go       calendars and index together
//	prefer.go     which servers are taken, and which kids a search passes over
//	sweep.go      the earliest start, from periods that come by start
//	latest.go     the latest start, from periods that come by end
//	until.go      how long a request goes on to fit
//	closable.go   servers that are closed, and those that are added
//	verify.go     the invariants as code
//
// byhand_test.go has the examples of their comments.
package idletree
