// Package freelist books a pool in lists of blocks: rectangles of time and units
// (Schneider and Linnert, "List-based data structures for efficient management of
// advance reservations", 2012, §5 and §6). The blocks of free capacity cover what is free exactly once, so
// that at each tick the units of the blocks there add up to it. There are three
// ways to cut them:
//
//	TimeExclusive          CapacityHierarchical      Mixed
//	    ┌───┐                  ┌───┐                     ┌───┐
//	┌───┤ 3 │                ┌─┴─2─┴─┐               ┌───┤   ├───┐
//	│ 2 │   ├───┐            │   1   ├───┐           │ 2 │ 3 │   │
//	└───┴───┤ 1 │          ┌─┴───────┴───┴┐          └───┤   │ 1 │
//	        └───┘          └──────1───────┘              └───┴───┘
//	one block at a time    each within the one below  any rectangles
//
// and one that keeps the opposite:
//
//	Used, UsedList         blocks of used capacity, one at a time, with an AVL
//	                       tree over their starts, and without
//
// All are exact and give the same answers. With b blocks, h of them stacked at
// one tick, m touching the window that is booked, and k between the ready time
// and the start that is found:
//
//	                      Search          Reserve, Release   RangeQuery
//	TimeExclusive         O(b)            O(b)               O(b)
//	CapacityHierarchical  O(b)            O(b)               O(b)
//	Mixed                 O(b)            O(b + m log b)     O(b)
//	Used                  O(log b + k)    O(log b + m)       O(log b + m)
//	UsedList              O(b)            O(b)               O(b)
//
// Each list is in a canonical form after every operation: no two blocks could be
// joined in time (same units, touching) or in units (same time, where stacked).
// The blocks depend on what is booked only, except in the mixed list, where they
// depend on how it came about.
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
// For the mixed list the paper gives no search. Ours sweeps over the blocks in
// order of their starts and, at the same time, of their ends, and so sees the
// sum at each tick: it finds every start. The references between adjacent
// blocks are those two orders.
package freelist
