// Package freelist books a pool in lists of blocks: rectangles of time and units
// (Schneider and Linnert, "List-based data structures for efficient management of
// advance reservations", 2012, §5 and §6). The blocks of free capacity cover the free area
// exactly once, so that at each tick the units of its blocks add up to the free units. There are
// three ways to cut the area into blocks. Here each column is a tick, and each digit the units of
// a block:
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
// A fourth structure keeps the used capacity instead:
//
//	Used, UsedList         blocks of used capacity, one at a time, with an AVL
//	                       tree over their starts, and without
//
// All are exact and give the same answers. There are b blocks, at most one for each change of the
// free capacity. Of these, k lie between the ready time and the end of the offer, and m touch the
// window that is read or booked:
//
//	                      Search          Reserve, Release   RangeQuery
//	TimeExclusive         O(b)            O(b)               O(b)
//	CapacityHierarchical  O(b)            O(b)               O(b)
//	Mixed                 O(log b + k)    O(b + m log m)     O(log b + m)
//	Used                  O(log b + k)    O(k + m log b)     O(log b + m)
//	UsedList              O(b)            O(b)               O(b)
//
// and for each structure:
//
//	SearchFor             two Searches, and O(m) for the steps in which the request meets
//	                      the reservation
//	Rebook                a SearchFor and two Releases
//	Openings              a Search for each range, and O(b) for its blocks
//	SearchLatest          O(b) for the blocks up to the deadline
//
// Each list is in a canonical form after every operation: its blocks depend only on the
// reservations, not on the order of the calls. No two blocks could be joined by the rule of the
// list.
//
// # Deviations
//
// Figure 4, line 6 compares durations where it must be units, and takes the start of the first
// block as the start of the job even if that is before the booking interval; both are put right.
// A search that fails after some blocks goes on at the block that was too small, not at the
// second of these blocks: no start before the block that was too small can do.
//
// Figure 5 finds every place only if each block of the hierarchy is as long as it can be, so
// blocks are joined again when capacity is given back. The search goes through the blocks in
// order of time, and so finds the earliest place.
//
// For the mixed list the paper gives neither a rule nor a search. Without a rule the list falls
// to pieces in the course of time. Our rule is that capacity which is freed first is used up
// first, so that blocks are in the order of their starts and of their ends at once. The search
// sweeps along both, and so sees the sum at each tick: it finds every start.
package freelist
