// Package carts books a pool by change-based advance reservation time slots:
// one slot for each stretch of time in which the number of free units does not
// change (Kurowski, Oleksiak, Piątek and Węglarz, "Hierarchical scheduling
// strategies for parallel tasks and advance reservations in grids", Journal of
// Scheduling 16, 2013, doi:10.1007/s10951-011-0254-9, §3.4 and §3.5).
//
//	free
//	  4 ┤           ┌─────┐        ┌──────
//	  3 ┤     ┌─────┘     │        │
//	  1 ┤─────┘           └────────┘
//	    └─────┬─────┬─────┬────────┬────── time
//	    0     6     12    18       27        slots (0,1) (6,3) (12,4) (18,1) (27,4)
//
// A slot ends where the next one starts, so only a start and a number are stored. There are never
// more slots than twice the reservations and closures, plus one. Starts are exact to the tick,
// however long the slots.
//
// Three forms give the same answers:
//
//	              Flat              BTree                   Indexed
//	              (sorted array)    (copy-on-write B-tree)  (B+ tree with ranges)
//	Search        O(log v + k)      O(log v + k)            O(g log v)
//	Reserve       O(v)              O((1 + m) log v + k)    O(g log v)
//	Release       O(v)              O((1 + m) log v)        O(log v)
//	RangeQuery    O(log v + m)      O(log v + m)            O(log v)
//	SearchFor     two Searches, and O(m) for the slots in which the request meets the
//	              reservation
//	Rebook        a SearchFor and two Releases
//	SearchLatest  O(log v + k)      O(log v + k)            O(g log v)
//	Openings      a Search for each range, and for Flat and BTree the slots in it
//	Advance       O(1) amortised    O(log v) amortised      O(1) amortised
//	Clone         O(v)              O(1), and the ledger's directory
//	Close, End    a Release, and O(c) for c closures that are not over
//	Overbooked    O(log v + m)      O(log v + m)            O(log v) for each stretch
//	Track         O(n log n) for n reservations; then O(log n) more for each change of one
//
// Here k slots lie between the ready time and the start that is found, or for SearchLatest
// between that start and the deadline; m slots lie in the window that is read or booked; and a
// search meets g gaps. The ledger maps IDs to reservations, and a Clone copies the ledger's
// directory: a list with up to 64 bytes for each run of 512 IDs with a live reservation. Once
// there are closures, a Clone copies all c of them, and an Advance past the end of a closure
// looks at all of them: O(c) each.
//
// Indexed knows for each part of its tree how long a gap there can be. So a search meets few of
// the gaps that are too short, however many there are; see # Worst case. Indexed is the library's
// default. Flat is the structure as published, and as fast while a few hundred reservations are
// live. BTree is the same on a library's tree.
//
// A fourth form, SR, knows which servers are free in each slot. If servers can be bound when a
// reservation starts, the number of free units is enough (Proposition 1). SR is for schedulers
// that must name the servers when they book.
//
// # Worst case
//
// Indexed learns from its searches how long gaps are. It keeps bounds on their lengths for each
// class of requests (1, 2, 3, 4-5, 6-7, 8-11, 12-15 units and so on), counted for the fewest
// units of the class. Gaps with enough units for the class may have too few for a request. Where
// such gaps mislead a search, Indexed adds bounds for the exact number of units, for up to eight
// numbers. A search may read all v slots, as the searches of the other forms always do, in two
// cases:
//
//   - Requests for more than nine numbers of units come in turn, and for each number many gaps
//     are long enough but have slightly too few units.
//   - The search is the first, and has learnt nothing yet.
//
// After the release of a reservation over most of the horizon, the next search reads a part of the
// slots anew.
//
// No structure is believed to do all of this in polylogarithmic time. A pool can multiply: O(k)
// calls find u'Mw for a Boolean k x k matrix M and two vectors, on k² slots
// (TestSearchesMultiplyMatrices). By the OMv conjecture (Henzinger, Krinninger, Nanongkai and
// Saranurak, STOC 2015) these calls take k^(2-o(1)) time together, after any preparation of M in
// polynomial time, so that Reserve, Release or Search takes v^(1/2-o(1)), amortised. The
// reduction is this project's, and was not reviewed by peers.
//
// # Deviations
//
// Algorithm 1 joins the conditions of its two inner loops by OR and adds a slot when two counts
// are equal. Here the conditions are joined by AND, and a slot is added when the counts differ.
//
// Algorithm 2 (ARTS²) begins with the first slot that starts at the ready time or later, and so
// misses the slot that contains the ready time. Here the search begins with that slot, and the
// first candidate is the ready time itself. The published algorithm also ends when the slots
// collected are long enough, without another look at the deadline. Here no start is returned that
// would end after the deadline.
package carts
