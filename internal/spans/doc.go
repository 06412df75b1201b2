// Package spans finds the reservations that overlap a window. It holds the interval and the ID
// of each reservation in a tree, by start, so that a query need not look at all reservations.
//
// Read the files in this order:
//
//	index.go        the index as callers see it, and Clone
//	node.go         the entries of a node, and how they move
//	balance.go      nodes that are too full or too empty
//	overlapping.go  the query
//	forget.go       spans that have ended go
//	build.go        an index of many spans at once
//	verify.go       the invariants below, as code
//
// # The tree
//
//	                   start    0   30
//	root               id       1    5
//	                   end     90   50        the latest end below the entry
//	                   soonest  8   35        the earliest end below it
//	                   size     3    3        entries of the kid
//	                           /      \
//	leaf    start   0   5  10     30  40  40
//	        id      1   7   2      5   3   4
//	        end    90   8  12     35  50  45
//
// A query for [42, 44) enters both leaves, since spans end after 42 in both: #1 in the left leaf,
// #3 and #4 in the right one. A query for [60, 70) enters the left leaf alone. So does Forget(9),
// which takes #7 out. Forget(7) does not look at the root, because the index knows that no span
// ends before 8. TestPicture has this tree.
//
//	I1  The keys (start, id) ascend, and all leaves lie on one level. The key of an entry of an
//	    inner node is the first key of its kid. No span is empty.
//	I2  end[i] and soonest[i] are the latest and the earliest end below entry i of an inner node.
//	I3  A node has between 1 entry and width, and size[i] is the number that kid i has. The root
//	    has 2 entries at least, if it is no leaf.
//	I4  Two neighbours below one node have more than 3/4 of width entries together, so nodes
//	    are at least 3/8 full on average.
//	I5  The index knows how many spans there are, and when the first of them ends.
//	I6  Below a node that a clone shares, the clone shares all nodes.
//
// # The cost of a query
//
// A query finds a span below each node that it enters, except for the nodes on the way to the
// end of the window. So k spans that are neighbours in the tree take O(log n + k). Long
// spans that started much earlier than the window lie scattered among short ones. They
// may take O(log n) each, and a query O(k log n) at worst.
package spans
