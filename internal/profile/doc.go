// Package profile is a step function over time: how many units are free from each start
// on. A change takes O(log v) for v steps. A search finds the earliest start from which n
// units are free for d ticks, in O(log v) for each gap that it visits. It skips most gaps
// that are too short, but at worst it passes all steps. The comment of package carts says
// when, and why no structure is believed to be free of that.
//
// Read the files in this order:
//
//	tree.go      the profile as callers see it
//	node.go      the entries of a node, and how they move
//	starts.go    the starts in a node, in 32 bits
//	update.go    one pass down: two leaves change
//	balance.go   nodes that are too full or too empty, on that pass
//	cursor.go    from gap to gap
//	runs.go      how long one can book below an entry, in one word
//	index.go     the bounds that searches leave behind
//	search.go    gap by gap
//	hunt.go      then by the bounds, from leaf to leaf
//	set.go       sets of entries of a node
//	kernel.go    numbers of a node, eight at a time: kernel_amd64.go, and kernel_none.go elsewhere
//	fill.go      the steps of at most and at least so many units
//	prefetch.go  leaves that are requested from memory early: prefetch_asm.go, or prefetch_none.go
//	             on other processors
//	verify.go    the invariants below, as code
//
// # The tree
//
//	                      start   0   30
//	root                  low     1    2     the least free below the entry
//	                      high    4    4     the most free below it
//	                      add     0   -1     pending: not yet added below
//	                            /       \
//	leaf    start   0  10  20      30  40  50
//	        free    4   1   3       3   5   4     from 30 on 2, 4 and 3 are free
//
// A change of [12, 45) splits two leaves, at its two edges. Where it covers a whole subtree, it
// only adds to the entry above, and the subtree does not change. The -1 above comes from such a
// change. So the numbers in a node are in a frame of its own: acc, the sum of the adds of the
// entries on the way to the node, turns its numbers into free units.
//
//	I1  free[i] + acc is the number of free units in step i of a leaf.
//	I2  low[i] + acc and high[i] + acc are the least and the most free units below entry i of
//	    an inner node. They include add[i], and the numbers of the kid do not.
//	I3  The first start of a node is that of its entry. Starts ascend, and all leaves
//	    lie on one level.
//	I4  A node has between 1 entry and Knobs.Width.
//
// In the picture, the leaf says 5 at 45 and acc is -1, so 4 are free. The root says low 2 and
// high 4, and its own acc is 0.
//
// Sums wrap around. A partial sum may overflow, but the complete sum is a number of units that
// fits, and integer addition wraps, so the complete sum is exact. Never compare partial sums by
// size; only their equality means something.
//
// # Runs and bounds
//
// A run is a stretch in which n units are free. A packed backlog has thousands of runs that are
// too short for a request, and a search would visit each. So an inner node has an index: bounds
// on the runs below each entry, for some numbers of units (see runs.go and index.go). Bounds for
// n units serve requests for n or more, since a run of more units is part of a run of fewer.
// Bounds have a floor, which is n in the frame of the node, so that they stay true when acc
// changes. After that they bound the runs of floor + acc units.
//
// A bound is never too short. A bound that was measured in a leaf is exact. A bound is loose
// where units were taken since, or where it was taken over from bounds for fewer units: a
// measurement could make it shorter.
//
//	R1  The bounds of an entry are no shorter than its runs of floor + acc units. This holds
//	    where floor + acc is 1 or more. Otherwise no search may use them.
//	R2  Where a bound is not loose, and the entry's kid is a leaf, it is exact but for rounding.
//
// Who may write a bound, and when:
//
//	a search     at any time, in nodes that clones share too: it makes an index, puts bounds into
//	             a slot, and replaces a word by one that it has measured or joined
//	an update    in nodes that its tree owns: it makes words loose where it took units, and
//	             unknown where it gave units back; where entries move, words move along or
//	             become unknown
//
// Searches need no lock. Between changes a bound follows from the steps below its entry and from
// where the entry ends, so two searches may write different words, but both are true. The last
// entry of a node ends where the node ends, which only its parents know. A clone that shares the
// node has the same end, since a tree owns each node whose end it changes (Tree.unlearn). Words
// and slots are atomic: a search that reads while another writes finds the old bounds or the new.
//
// Why floor + acc must be 1 or more: take a tick below an entry. Until something changes below
// the entry, floor + acc and the free units at that tick move together. Free units stay between 0
// and the most that U can hold, so the sum moves by no more than that most. It began between 1
// and that most. So the sum is right now, or it is less than 1, or it was too large for U and has
// wrapped around to less than 1. A change below the entry drops such bounds from the node
// (index.changed), before they wrap once more. The same is true of clones with different acc.
// Where more can be booked than there is, free units stay between a quarter of that most and its
// negative. The sum moves by twice as much at most, and stays within U.
//
// # The hunt
//
// A search that has met many gaps goes by the bounds. It passes leaf after leaf, and carries the
// length of the run that reaches up to here. Here a request asks for 4 units for 12 ticks. A step
// lasts for 5 ticks, and in leaf E for 1 tick. A word has the prefix, the best and the suffix of
// the runs of 4 units:
//
//	leaf    A            B            C            D            E            F
//	start   0            30           60           90           120          126
//	free    4 1 4 2 1 5  6 1 3 4 2 1  2 1 3 1 2 3  1 4 5 1 2 6  4 5 4 5 4 5  4 1 2 1 2 1
//	word    5 5 5        5 5 0        -            0 10 5       -            5 5 0
//	carry   5            0            0            5            11           found
//
// In B the run that comes from A ends after 5+5 ticks. Leaf C has 3 units at most, so its word is
// not needed. Leaf E is free throughout, and F begins with another 5 ticks, so the run starts 11
// ticks before F: at 115. TestHuntByHand runs this example.
//
// Words are loose where units were taken since. So two loose words side by side often promise a
// run across the edge of their leaves that is no longer there. The hunt does not land there. It
// counts the free steps at both sides of the edge, a few each, and corrects both words. In a
// packed backlog of 10^6 reservations this takes the slowest hundredth of searches down to a
// third of their time.
//
// # Work that the processor does at once
//
// In a tree of four levels or more the nodes are not in the caches. A booking changes the leaves
// at its start and at its end, and a search reads the leaf at its ready time first. So both
// leaves are requested from memory before either is read (prefetch.go). AVX2 adds to eight
// entries of a node at a time, and finds their least and their most (kernel.go): of 2^20 units, a
// reservation among 10^6 adds to hundreds of entries. Neither changes an answer. The tag purego
// leaves both out.
package profile
