// Package trace reads, writes and runs traces of operations on a schedule of units. A trace
// is a text, so that any planner in any language can be driven by the same file, and its
// answers compared: the planners of this library, and those inside batch systems.
//
// # The format
//
// A line holds one operation: its name, and integers in decimal, with spaces between them. The text
// behind a # is a comment. Blank lines mean nothing. The whole may be compressed by gzip.
//
//	bookahead-trace 1                 # the format, and its version
//	name     morning                  # a word; optional
//	capacity 4                        # units; at least 1
//	origin   100                      # where the clock stands at first; 0 if it is left out
//	horizon  5000                     # nothing may end later than this after the clock; 0, or left out: no bound
//
//	# operation  its fields
//	booked   1   100 60 2             # number, start, duration, units: there from the start
//	reserve  2   120 30 4 0           # number, ready, duration, units, deadline
//	search       120 30 3 400         # ready, duration, units, deadline
//	advance  150                      # the time that it is now
//	release  2                        # number
//
// The header comes first, each line of it once. Times are in ticks from 0 on, and an interval holds its
// start and not its end: reservation 1 holds its units at 100 and at 159, and not at 160.
//
//   - booked lines come before all operations. They fit: a planner may load them as it likes.
//   - reserve asks for units for duration ticks, and for the earliest start that is neither before
//     ready nor before now, such that all ends by the deadline and by the horizon. A deadline of 0
//     is none. A request without a place is turned away, and is no error.
//   - search is the same, and books nothing.
//   - release ends a reservation, which gives all its units back. If the reservation was turned away, or
//     its end has passed, there is nothing to release, and the line is passed over.
//   - advance moves the clock, never back. Reservations that end by then are gone.
//
// booked and reserve lines are numbered from 1 without a gap, in the order of the file, also where a request is
// turned away. So a driver can keep its own handles in an array, and a file that lost a line is an
// error.
//
// # The line of results
//
// A driver that runs a trace through a planner prints one line (Line):
//
//	planner=carts.Indexed trace=morning operations=4 of=4 answers=2 accepted=2 checksum=0x1d2c… seconds=0.001 reserve-ns=536/460/1720 …
//
//	planner, trace   words without spaces
//	operations, of   how many were run in the time that there was, and how many the trace has
//	answers          how many of them were reserves and searches
//	accepted         how many of the answers were a start
//	checksum         of the answers, in their order
//	seconds          from the first operation to the last, without booked lines
//	reserve-ns       the mean, the median and the 99th percentile of one call, in nanoseconds;
//	                 search-ns, release-ns and advance-ns likewise. Left out if there was none.
//
// The checksum begins with 14695981039346656037. For each reserve and each search it becomes
// (checksum xor start) times 1099511628211, modulo 2^64, where the start of a request that was turned away
// is 2^64-1. Planners that find the earliest start have the same one.
package trace
