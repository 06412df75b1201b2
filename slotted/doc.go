// Package slotted books a pool in slots of fixed width Δt, in a ring buffer over
// the book-ahead time (Schneider and Linnert, "List-based data structures for
// efficient management of advance reservations", 2012, §4).
//
//	           now
//	slot   ─┬───┼─┬─────┬─────┬─────┬─────┬── ...
//	free    │  2  │  2  │  4  │  1  │  4  │         of 4
//	       ─┴─────┴─────┴─────┴─────┴─────┴──
//	ring   [ 1 | 4 | 2 | 2 | 4 ]     slots far ahead take the places of slots
//	                  ▲ now          that have passed
//
// A reservation counts for the whole of each slot that it touches, however little of the slot it
// takes. With wide slots a search looks at few slots, but many requests that would fit are turned
// away (internal fragmentation). Starts and ends are exact to the tick all the same; with Δt = 1
// so are the answers.
//
//	              Scan                  Indexed
//	Search        O(k)                  O(k/B + B) for each gap it looks into
//	Reserve       O(k + m)              the same, and O(m/B + B)
//	Release       O(m)                  O(m/B + B)
//	SearchFor     two Searches, and O(m)
//	Rebook        a SearchFor and two Releases
//	Openings      a Search for each range, and O(1) for each of its slots
//	SearchLatest  O(k) for the slots up to the deadline
//	RangeQuery    O(m)                  O(m/B + B)
//	Advance       O(slots passed)       O(slots passed)
//	Clone         O(n)                  O(n)
//
// The ring has n slots, m of them in the window that is read or booked, and k between the ready
// time and the end of the offer; a block has B = 512 slots. Scan is the published form. Indexed
// keeps the least and the most used units of each block, passes over blocks that hold no answer,
// and books whole blocks by one number. It gains where jobs are long. Where gaps that are too
// short follow one after the other, Indexed is hardly faster than Scan.
//
// # Deviations
//
// The paper leaves open where in its first slot a reservation may start. Here the reservation
// starts at its ready time or at the start of a slot, as no other start could be earlier. Until a
// slot is over, reservations that ended in it still count.
package slotted
