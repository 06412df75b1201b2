// Package avail holds availability vectors: for each slot of time, whether a
// resource is free throughout it (Stevens et al., "Multi-cost job routing and
// scheduling in Grid networks", 2009, §4.1 to §4.3). It answers when a link, a
// path of links, a cluster, or one server of many is free for long enough.
//
//	free         4 4 3 3 3 1 1 2 2 4 4 4    of 4, at each tick
//	slot         0   1   2   3   4   5      of 2 ticks
//	3 are free   1   1   0   0   0   1      as a Vector; as Runs, [0, 2) and [5, 6)
//
// Discretise makes a vector of any schedule that is a bookahead.Profiler. Compose (⊕) joins two
// resources that are needed one after the other. Mask and NextRun find a place after a given
// slot. EST returns when a transfer can have arrived.
//
// There are two forms, which answer alike. With n slots, k runs of available slots, and a search
// for b slots in a row:
//
//	                   Vector                    Runs
//	memory             n/8 bytes                 16·k bytes
//	Get                O(1)                      O(log k)
//	Set, Clear         O(w/64), w slots wide     O(k)
//	Compose, Mask      O(n/64)                   O(k)
//	Covers, Weight     O(n/64)                   O(k)
//	Starts             O(n/64 · log b)           O(k)
//	FirstRun, EST      O(n/64); O(n/b) if b is   O(k)
//	                   127 or more
//	NextRun            the same                  O(log k + runs passed)
//
// Choose Vector for a few thousand slots, however many are available: 10 000 slots are composed
// in about 0.1 µs and searched in 0.25 µs, or in 2 µs if each run is just too short. Choose Runs
// if slots are fine and changes are few: fewer than one in a hundred slots.
//
// # Servers
//
// Schedule is a bookahead.Schedule with a vector for each of its servers. It is
// laid out in columns of 64 slots, in a ring that turns with the clock:
//
//	            column 0     column 1     column 2
//	server 0    1100…0011    1111…1111    0000…0000    a word for each
//	server 1    1111…1111    0000…0111    1111…1111    server and column
//	server 2    0000…0011    1111…1111    1111…1111
//	free        2211…1133    2222…2333    2222…2222    a number for each slot
//
// A search is a windowed AND. It reads a column, 64 slots, at once, finds for each server where a
// run of free slots is long enough, and counts the servers for all 64 slots together. A long run
// fills columns, so a search for long runs skips many columns; and where the numbers of free
// servers are too small, it reads no server at all. For N servers, n of them booked for m slots,
// and k slots from the ready time to the end of the offer:
//
//	Search        O(N·m/64) at the ready time, otherwise O(k + N·k/64 · log n)
//	Reserve       the same, and O(m + n·m/64)
//	Release       O(m + n·m/64)
//	SearchFor     O(n·m/64), and O(N·m/64) if servers are added; O(n) Searches if flexible
//	Rebook        SearchFor, and O(m + n·m/64)
//	Openings      Search, and O(N·k/64), wherever the servers that were free become too few
//	RangeQuery    O(N·m/64)
//	Advance       O(N/64) for each slot passed
//	Clone         O(N/64) for each slot of the horizon
//
// A Schedule takes a bit for each server and slot of the horizon, used or not: a thousand servers
// and ten thousand slots take 1.3 megabytes. A reservation counts for the whole of each slot that
// it touches, as in package slotted. It starts at its ready time or at the start of a slot, and
// is exact if a slot is one tick. Choose Schedule for many short reservations of many servers
// each, and for horizons of a few thousand slots. Where nearly all is booked, idletree.Tree has
// to look at less; it is exact, and needs no horizon.
//
// # Deviations
//
// A slot is r-available if at least r units are free; the paper prints "more than r" (§4.1).
// Slots are half-open. In the paper both ends belong to a slot, so that a run which starts where
// another ends would lose a slot.
//
// The caller chooses by how much ⊕ shifts the next link: 2·d, as printed (§4.3), if the vector of
// the link is as old as the way to the link takes, and d if the vector is known at the source.
// Slots after the end of a vector count as unavailable. Where there is no run of b ones, FirstRun
// and EST return false; the paper leaves R(b) undefined then.
//
// A vector dominates another only if it is available in a slot more. With the printed ≥ alone,
// equal vectors would eliminate each other.
//
// The paper knows how many servers of a cluster are free, not which. Schedule has a vector for
// each server.
package avail
