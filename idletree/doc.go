// Package idletree books servers: it keeps the periods in which each server is
// idle, and a reservation names the servers that it gets (Castillo, Rouskas and
// Harfoush, "Resource co-allocation for large-scale distributed environments",
// HPDC 2009, doi:10.1145/1551609.1551634, §4).
//
//	server 0  ██|───── 4 ─────────────────── 25 ─|████████|── ...
//	server 1  ████████████████|── 15 ───────────────── 34 ─|█████
//	server 2  ████████████|────── 12 ──────────── 31 ─|██████████
//
// A request for n servers from s to e needs n idle periods that start by s and
// end at e or later. There are three ways to find them:
//
//	Lists    a calendar for each server; a search reads all calendars
//	Slotted  as published: for each slot of time, a tree of the idle periods that
//	         overlap the slot, by start, with secondary trees by end
//	Tree     one B+ tree of all idle periods, by start; inner nodes know the
//	         latest end below them
//
// Take Tree. Lists is enough for a few hundred servers, needs the least memory, and
// is the yardstick for the others; it also takes the servers of lowest index
// first, at no extra cost. Slotted is there to study the structure of the paper, and
// counts its operations (Trace). In a Slotted, a reservation changes an idle period in
// each slot that the period spans: with 10 000 servers and 500 slots, a reservation takes
// about 500 times as long as with Tree, and the memory is 19 times as much. The paper's
// own trees would be larger still (BenchmarkSlotted).
//
// Lists and Tree find the earliest possible start, to the tick. Slotted tries starts in
// steps, but its Openings miss none. Config.Prefer chooses the servers that Lists and Tree
// take. With its zero value, Lists takes the servers of lowest index, and Tree takes the
// servers that have been idle for the shortest time, as Slotted does, so that long idle
// periods stay whole. To choose yourself among all free servers, ask RangeQuery or
// Tree.Idle, and name the servers in the request.
//
// In the table of costs, N servers have p idle periods together, and m each; a slot has q idle
// periods, and an idle period spans s slots. A request wants n servers, and k are free. If too
// few are free at the ready time, i idle periods begin between the ready time and the start
// found, and j of them are long enough; for SearchLatest, i and j count periods that end between
// the window found and the deadline. A closure names n servers with c closures and k idle
// periods each in its time, and l servers have closures at all.
//
//	                      Lists              Slotted                  Tree
//	Search at the
//	ready time            O(N log m)         O(log² q + n)            O(log p + n)
//	  ... with Prefer     O(N log m + k log n)                        O(log p + k log n)
//	  + if it starts
//	    later             O((N + i) log p)   the same, each attempt   O(j log n)
//	Reserve               Search + O(n m)    Search + O(n s log² q)   Search + O(n log p)
//	Release               O(n m)             O(n s log² q)            O(n log p)
//	SearchFor             O(n log m), and a Search if servers are added; n Searches if flexible
//	Rebook                SearchFor, and a Release and a Reserve of the servers that change
//	SearchLatest          O((N + i) log p)   -                        O((j + n) log p)
//	Openings              a Search of Lists or Tree wherever the free servers become too few
//	RangeQuery            O(N log m)         O(log² q + k)            O(log p + k)
//	Free                  -                  -                        O(log p + leaves with any of the k)
//	Advance               O(1)               O(slots passed)          O(log p)
//	Clone                 O(N + p)           O(N + p s log q)         O(N + p)
//	memory                O(N + p)           O(N + p s log q)         O(N + p)
//	Close, End            -                  -                        O(n (c + k log p))
//	Overbooked            -                  -                        O(l), and O(log l) for each edge
//
// With BestFit, WorstFit and LowestIndex, Tree passes over most of the k free servers; with
// an order of the caller's own it reads all. Updates of Slotted and Advance of Tree are
// amortised; Tree may read a leaf for each server that is wanted or free.
//
// Servers of a Tree can be closed, and servers can be added (bookahead.Closable). An idle period
// ends where a closure begins, as it does where a booking begins. A Tree that never had a closure
// pays nothing for them. An Advance at which a server opens or closes takes O(l) more.
//
// Tree.Within is a view of a Tree whose reservations lie together: on servers with consecutive indices
// (a spectrum, seats), in any one of several groups (racks), or both (seats of one row). One pass
// through the idle periods finds the earliest start over all groups. While Within.Track is on, a search
// reads calendars only where enough servers of a group are free:
//
//	                    Layout.Groups                 Layout.Adjacent
//	Search              O(log p + s + j log n)        O(log p + N + j log N)
//	  tracked           O(g log v + c n log m)        the same, within groups
//	Reserve             Search, and a Reserve of named servers
//	  tracked           O(log v) more for each group touched, in all operations that change the Tree
//	RangeQuery, Frame   O(log p + k + s)
//
// g groups have s servers together, and v changes of the number of free servers; c calendars are read where
// this number is great enough.
//
// # Deviations
//
// In the paper, the tree of a new slot is made in O(1) when an old slot has expired
// (§4.1). But each idle period that runs on to the horizon spans the new slot. Here
// idle periods that never end are in one tree for all slots, which needs no secondary
// trees.
//
// A slot holds at most one idle period of each server only if no reservation lies
// wholly inside the slot. That is why the paper allows no reservation that is shorter
// than a slot. Here reservations may have any length.
//
// Starts that are Δt apart miss the starts between them. With SlottedConfig.Step 1
// no start is missed. Tree goes on to the next time at which an idle period begins.
// R_max counts all attempts, as in §4.2; §5.1 has R_max attempts after the first.
//
// The paper takes the feasible idle periods that it comes upon first. These depend
// on the shape of the trees, and so on the past. Here the idle periods with the latest
// starts are taken, and among equal starts those of the lowest servers, so that the same
// bookings give the same answers. For the worked request of §4.2, the idle periods taken
// are the same as in the paper.
//
// The paper has a leaf for each idle period. Here a leaf holds up to 16 and has no
// secondary tree: the trees are lower by four levels, and smaller. The paper does not
// say how trees are kept in balance. Here a subtree that has lost its balance is built
// anew.
//
// The paper does not speak of requests that name servers, of releasing a booking, or
// of the order of updates. Here each server has a calendar of its idle periods beside
// the trees. Named servers are looked up in their calendars, and the calendar shows
// which idle periods become one when a booking is released. Periods that have ended stay
// in the trees of a slot until the slot is discarded.
//
// # Reading the code
//
// Read the files of Tree in this order:
//
//	config.go     the settings of a Tree and of Lists
//	period.go     an idle period
//	prefer.go     which servers are taken
//	calendar.go   the idle periods of one server, and invariants C1 to C4
//	fleet.go      all calendars: a booking goes in, and edits of idle periods come out
//	edit.go       an edit
//	index.go      the tree of all idle periods: invariants T1 to T6
//	descend.go    how a search descends, and which kids it passes over
//	update.go     how edits rewrite the tree
//	picks.go      the idle periods that a search collects
//	ahead.go      memory that is loaded before it is needed
//	sweep.go      the earliest start, from periods that come by start
//	counts.go     the number of free servers of each group, and invariant G1
//	tree.go       calendars and index together
//	closable.go   servers that are closed, and servers that are added
//	count.go      the number of free servers, without a list
//	latest.go     the latest start, from periods that come by end
//	until.go      the time until which a request still fits
//	verify.go     the invariants as code
//
// and then those of a view:
//
//	layout.go     groups of servers, and stretches of consecutive ones
//	rooms.go      the free servers that lie together in a window
//	together.go   the earliest start for them, in one pass
//	tracked.go    the earliest start, by the number of free servers of each group
//	within.go     the view as a schedule
//
// All forms share these:
//
//	schedule.go        the roster that each form is, and the schedule that they embed
//	merge.go           the idle periods of several calendars, by start
//	heap.go            a binary heap
//	snapshot_fleet.go  the calendars as bytes
//
// Lists is lists.go. Read the files of Slotted in this order:
//
//	slotted_config.go    its settings
//	slotted_forest.go    binary search trees
//	slotted_build.go     a tree of a sorted list
//	slotted_balance.go   when trees are in balance, and how entries come and go
//	slotted_primary.go   the tree of a slot
//	slotted_slots.go     the trees of all slots
//	slotted_search.go    attempts, and the servers that they find
//	slotted_update.go    how a reservation changes the trees
//	slotted.go           the structure as published
//	snapshot_slotted.go  the structure as bytes
//	verify_slotted.go    the invariants as code
//
// No file leads back to a file that leads to it: a calendar does not know the forms, and the searches of
// a view do not know the view as a schedule.
//
// byhand_test.go has the examples of their comments.
package idletree
