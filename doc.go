// Package bookahead books capacity in the future and never promises it twice.
// It holds the vocabulary and the contract; the structures are in packages of
// their own.
//
// # The model
//
// Time runs in ticks, int64 numbers whose unit the caller chooses. Every span is
// half-open: [2, 5) holds the ticks 2, 3 and 4, and a booking that ends at 5
// leaves 5 to the next.
//
//	units
//	  4 ┤ . . . . . . . . . . . . . . . . . . . .  capacity
//	    │           ┌─────────┐
//	    │ ┌─────────┤    2    ├──────┐    ┌──────┐
//	    │ │    1    └─────────┘      │    │  3   │  reservations
//	    └─┴──────┬───────────────────┴────┴──────┴──┬──────► ticks
//	            now                              horizon
//	             └──── can be booked ───────────────┘
//
// A Clock turns wall-clock times into ticks and back. Where clocks go forward and back, make each
// date with time.Date in its location, and convert the date to a tick: a day is not always 24
// hours long.
//
// A Schedule is one of two kinds. A pool has a capacity of units that are all alike; it counts
// how many are free. A server structure knows each of its servers, counted from 0, and says which
// servers a reservation gets. Where tasks may be bound to servers when they start, a pool is
// enough: every reservation that the pool accepts can be placed (Kurowski et al., Proposition 1).
//
// A pool is not enough where a task takes several resources of one node, such as GPUs and cores,
// where a task must know its node when it is booked, or where tasks must share a rack. Two pools,
// one of GPUs and one of cores, then accept jobs that no nodes can hold. If jobs ask for 70 % of
// the time of 100 nodes, this happens to 32 % of the accepted jobs that want a part of a node,
// and to 54 % of the accepted jobs that want whole nodes. Package nodes books on the nodes
// themselves. Its documentation has all figures, and BenchmarkPools prints them:
//
//	go test -run '^$' -bench Pools/load=0.7/nodes=100 -benchtime 1x ./nodes
//
// A Request asks for units for a duration, from a ready time on and by a deadline. The request is
// fixed if its times leave one start, and flexible otherwise. Search answers with the earliest
// Offer. Reserve books the offer as a Reservation with an ID. Release gives the units back.
// RangeQuery returns how many units are free throughout a window.
//
// The schedule has a clock, which only Advance moves. The schedule forgets everything before the
// clock. Nothing beyond the horizon can be booked yet.
//
// Capacity changes: nodes fail, are drained, come back and are added. A Closable schedule closes
// units or servers, and adds others, for a time or until further notice. A closure is never
// refused because units are booked. The reservations stay, and the stretch is overbooked until
// the reservations are rebooked, released, or moved by Displace. ReservationsOn lists the
// reservations that are in the way.
//
// Every structure in docs/abilities.md is a Keeper: a Keeper lists its limits and its reservations, and
// changes a reservation in place. An ability that only some structures have is an interface of
// its own, with a function that works behind a lock too: free capacity (Blocks), the last place
// (SearchLatest), copies (Clone), and saving and restoring (Snapshot, Restore). Openings and
// Offers list the places for a request in any schedule, and Explain says why a request does not
// fit. Where there are Blocks, Steps, NextChange and PreviousChange read the free units over
// time, Usage adds them up, and Rectangles finds the largest gaps. The function Advance returns
// the reservations that start and end while the clock moves. View and Update lead through Locked
// to a schedule itself. docs/abilities.md has the table of all abilities.
//
// # Which one to choose
//
// Take carts.Indexed: a pool, exact, usually about as quick at a million reservations as at a
// thousand, and cheap to copy for a what-if. If the servers of a reservation must be known when
// it is booked, take idletree.Tree. The other structures are there to compare with, or suit
// special cases:
//
//   - carts.Flat: a pool in a sorted array; hard to beat for a few hundred live reservations.
//     carts.BTree: the same in a library's tree.
//   - grid.Binder: servers for a pool, chosen when a reservation starts.
//   - carts.SR: which servers are free from each change to the next.
//   - idletree.Lists: a calendar for each server. idletree.Slotted: the published trees of idle
//     periods.
//   - nodes.Machine: nodes with several resources, in racks; a request asks for tasks that take
//     some of each resource, and Tasks makes a Schedule of a Machine.
//   - avail.Schedule: a bit for each server and slot, for many short reservations of many
//     servers. avail.Vector: such bits for a link or a cluster.
//   - slotted.Scan: fixed slots. With few slots nothing is faster, but many requests that would
//     fit are turned away. slotted.Indexed takes a million slots.
//   - freelist: the published lists of blocks, exact, for a few hundred reservations.
//
// Package grid makes one schedule of several: grid.Broker books on one of them, and
// grid.CoAllocate books parts on each of them at one time, or none. Package window chooses
// servers of different speed and price within a budget, package route a path to a cluster, and
// package gantt draws the bookings. Package desk keeps bookings on schedules that have names,
// with owners, holds, repairs and a log. Package recur makes their intervals of a calendar: each second
// Tuesday, opening hours, months; and an iCalendar of their bookings.
//
// # Glossary
//
//	availability profile  how many units are free, as a function of time
//	blocking probability  the share of requests that are turned away
//	book-ahead time       from the moment of the request to the start
//	capacity              the number of units, or of servers
//	closure               units or servers that are missing for a time
//	co-allocation         several units, servers or schedules at one time
//	deadline              the tick by which a reservation has ended
//	duration              how long a reservation lasts, in ticks
//	dynamic binding       servers are chosen when the reservation starts
//	displacement          a reservation gives way, and is placed elsewhere or dropped
//	drain                 to close a server, and displace the reservations that hold it
//	earliest fit          the first start at which a request fits
//	extension             units or servers that are added for a time
//	fixed, flexible       a request with one possible start, with several
//	flow time             from the moment of the request to the end
//	horizon               the end of the time that can be booked; it slides with the clock
//	idle period           a span in which a server is free
//	overbooked            more is booked than there is, because of a closure
//	ready time            the tick before which a reservation must not start
//	slot                  a span that a structure treats as one
//	tardiness             how long after its due time a reservation or job ends
//	unit                  the thing counted: a processor, a megabit, a seat
//	utilisation           the share of the capacity that is used
//
// No answer depends on a wall clock, a map's order or chance: the same calls give the same IDs
// and servers everywhere, so that a replicated log can replay the calls. A schedule is not safe
// for concurrent writes; see Locked.
package bookahead
