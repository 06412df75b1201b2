// Package freelist books a pool in lists of blocks: rectangles of time and units
// (Schneider and Linnert, "List-based data structures for efficient management of
// advance reservations", 2012, §5 and §6). The blocks of free capacity cover what
// is free exactly once, so that at each tick the units of the blocks there add up
// to it. There are three ways to cut them; here each column is a tick, and each
// digit the units of a block:
//
//	free  2222333311
//
//	TimeExclusive          CapacityHierarchical    Mixed
//	2222                   1111111111              22222222
//	    3333               11111111                    111111
//	        11                 1111
//	one block at a time    each within the one     freed first,
//	                       below, and as long      used up first
//	                       as it can be
//
// and one that keeps the opposite:
//
//	Used, UsedList         blocks of used capacity, one at a time, with an AVL
//	                       tree over their starts, and without
//
// All are exact and give the same answers. With b blocks, at most one for each
// change of the free capacity, k of them between the ready time and the end of
// what is found, and m touching the window that is read or booked:
//
//	                      Search          Reserve, Release   RangeQuery
//	TimeExclusive         O(b)            O(b)               O(b)
//	CapacityHierarchical  O(b)            O(b)               O(b)
//	Mixed                 O(log b + k)    O(b + m log m)     O(log b + m)
//	Used                  O(log b + k)    O(k + m log b)     O(log b + m)
//	UsedList              O(b)            O(b)               O(b)
//
// and for each of them:
//
//	SearchFor             two Searches, and O(m) for the steps in which the request meets
//	                      the reservation
//	Rebook                a SearchFor and two Releases
//	Openings              a Search for each range, and O(b) for its blocks
//	SearchLatest          O(b) for the blocks up to the deadline
//
// Each list is in a canonical form after every operation: its blocks depend on
// what is booked only, not on how it came about. None could be joined with
// another by the rule of the list.
//
// # Deviations
//
// Figure 4, line 6 compares durations where it must be units, and takes the start
// of the first block as the start of the job even if that is before the booking
// interval; both are put right. A search that fails behind some blocks goes on
// at the block that was too small, not at the second of them, as no start before
// it can do.
//
// Figure 5 finds every place only if each block of the hierarchy is as long as
// it can be, so they are joined again when capacity is given back. It is walked
// in order of time, and so finds the earliest.
//
// For the mixed list the paper gives neither a rule nor a search. Without a rule
// it falls to pieces in the course of time; ours is that capacity which is freed
// first is used up first, so that blocks are in the order of their starts and of
// their ends at once. The search sweeps along both, and so sees the sum at each
// tick: it finds every start.
package freelist
