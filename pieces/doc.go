// Package pieces places work that may stop and go on later: a training run with checkpoints, a copy that can be
// resumed, a lecture with breaks. A reservation must wait for a time in which its units are free throughout. Work in
// pieces takes the time between the reservations of others, too:
//
//	free     ██████░░████░░░░██████████████████      8 ticks of work, at least 3 in each piece, and 1 tick to restart
//	whole                    ▒▒▒▒▒▒▒▒                ends at 24
//	pieces   ▒▒▒▒▒▒  r▒▒                             ends at 11
//	         0     6 8   12  16      24
//
// # Rules
//
//	Least      a piece that does not end the work does at least so many ticks of it
//	Gap        at most so many ticks between two pieces
//	Restart    each piece but the first takes so many ticks more, before it goes on; the units are held meanwhile
//
// The work is done as early as can be. On servers and on nodes a piece may lie on others than the one before, so work may
// also move without a gap, when nobody can keep it until it ends.
//
// Work that has begun is planned anew by Resume: its last piece goes on as long as it may, or stops and moves, and the rest ends as
// early as can be.
//
// # How it is found
//
// A run is a time in which the units are free throughout, and that is part of no longer one. On a pool runs never
// overlap. On servers and on nodes they do, as some servers are free until a time and others from a time before it:
//
//	server 0   ████████░░░░░░      runs of one server: [0, 8) and [5, 14)
//	server 1   ░░░░░█████████
//
// A pool tells its runs (bookahead.Fill), in O(log v) each for carts.Indexed with v changes. Any other schedule is asked by
// searches at fixed places, O(log d) of them for a run of d ticks. For each run the search keeps the ways to work in it that
// no other way beats: by how much time is lost so far, by when the piece may stop, and by when the run ends. They are few, as a
// rule as many as there are runs that overlap or lie within a Gap of each other; each is compared with all that are kept.
//
// # Which schedules
//
// Any schedule that has a Frame and finds the earliest place: all but idletree.Slotted and grid.Broker, whose answers are no
// promise, and machines of nodes. Where a schedule rounds times (slots longer than a tick), the pieces are planned by the tick, and take
// whole slots when they are booked.
package pieces
