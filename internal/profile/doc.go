// Package profile is a step function over time: how many units are free from each start
// on. It books, and it finds the earliest start from which n units are free for d ticks, in
// O(log v) of v steps, without a visit to each gap that is too short.
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
//	search.go    gap by gap, and then by the bounds
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
// A reservation over [12, 45) changes two leaves, at its two edges. Between them it adds to
// one entry for each subtree, and the subtree does not learn of it. So the numbers in a node
// are in a frame of its own: acc, the sum of the adds of the entries on the way to it,
// makes them free units.
//
//	I1  free[i] + acc is the number of free units in step i of a leaf.
//	I2  low[i] + acc and high[i] + acc are the least and the most free units below entry i of
//	    an inner node. So they count add[i].
//	I3  The first start of a node is that of its entry. Starts ascend, and all leaves
//	    lie on one level.
//	I4  A node has between 1 entry and Knobs.Width.
//
// In the picture, the leaf says 5 at 45 and acc is -1, so 4 are free. The root says low 2 and
// high 4, and its own acc is 0.
//
// Sums wrap around. A part of a sum may lose its upper bits, but the whole is a
// number of units, which fits, so that it is right. No part is ever compared.
//
// # Runs and bounds
//
// A run is a stretch in which n units are free. A packed backlog has thousands of runs that are
// too short for a request, and a search would visit each. So an inner node has an index: bounds
// on the runs below each entry, for some numbers of units (see runs.go and index.go).
// Bounds for n units serve requests for n or more, since a run of more units is
// part of a run of fewer. They have a level, which is n in the frame of the node. So they stay
// true when acc changes; then they serve other requests.
//
//	R1  The bounds of an entry are no shorter than its runs of level + acc units. This holds
//	    where level + acc is 1 or more. Otherwise no search may use them.
//	R2  If they are not loose, and the entry's kid is a leaf, they are exact but for rounding.
//
// Only searches make bounds or make them shorter. A bound follows from the tree alone, so any
// number of searches may do it at once, and in nodes that clones share. Words and slots
// are atomic; a search that meets half of another's work finds bounds that are loose or
// missing. An update, which nothing runs beside, only weakens bounds (index.changed): to loose
// where it took units, and to unknown where it gave units back. A node that is copied, divided or
// joined takes its bounds along, or makes them unknown.
//
// Why level + acc < 1 is out of bounds: between two changes below an entry, acc changes as much
// as the free units do, by the capacity at most. So the sum, of which 1 to the capacity
// was true before, is true or has wrapped to less than 1. A change below an entry drops the
// bounds of the node for which it is less than 1 (index.changed), before they wrap further.
//
// # The hunt
//
// A search that has met many gaps goes by the bounds. It passes leaf after leaf, and carries the
// length of the run that reaches up to here. Here 4 units are wanted for 12 ticks, and the
// steps last for 5 ticks each, those of leaf E for 1. A word has prefix, best and suffix of the
// runs of 4 units:
//
//	leaf    A            B            C            D            E            F
//	start   0            30           60           90           120          126
//	free    4 1 4 2 1 5  6 1 3 4 2 1  2 1 3 1 2 3  1 4 5 1 2 6  4 5 4 5 4 5  4 1 2 1 2 1
//	word    5 5 5        5 5 0        -            0 10 5       -            5 5 0
//	carry   5            0            0            5            11           found
//
// In B the run that comes from A ends after 5+5 ticks. Leaf C has 3 units at most, and no word
// is needed. Leaf E is free throughout, and F begins with another 5 ticks, so the run starts 11
// ticks before F: at 115. TestHuntByHand runs this example.
package profile
