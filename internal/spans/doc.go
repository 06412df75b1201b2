// Package spans finds the reservations that overlap a window. It holds the interval and the ID
// of each reservation, in a tree by start. With n spans a change takes O(log n), and so does
// each stretch of the tree that a window makes a query visit.
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
//	leaf    start   0  10  10     30  40  40
//	        id      1   2   7      5   3   4
//	        end    90  12   8     35  50  45
//
// A query for [42, 44) enters both leaves, since spans end after 42 in both: #1 in the left leaf,
// #3 and #4 in the right one. A query for [95, 99) enters none. Forget(9) enters the left leaf
// alone, and takes #7 out. Forget(7) does not even enter the root, because the index knows that
// no span ends before 8.
//
//	I1  The keys (start, id) ascend, and all leaves lie on one level. The key of an entry of an
//	    inner node is the first key of its kid. No span is empty.
//	I2  end[i] and soonest[i] are the latest and the earliest end below entry i of an inner node.
//	I3  A node has between 1 entry and width, and size[i] is the number that kid i has.
//	I4  Two neighbours below one node have more than 3/4 of width entries together, so nodes
//	    are at least 3/8 full on average.
//	I5  The index knows how many spans there are, and when the first of them ends.
//	I6  Below a node that a clone shares, the clone shares all nodes.
//
// # The cost of a query
//
// A query enters a node only if it finds a span below it, or the end of its way there. So k spans
// that lie side by side take O(log n + k). Spans that have started long before the window
// lie scattered, and may take O(log n) each: O(k log n) at worst. The order by start is
// worth that much, because it comes without sorting.
package spans
