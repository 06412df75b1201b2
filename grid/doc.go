// Package grid makes one schedule of others, books several at once, and binds
// reservations to servers late.
//
//	one of many                all of many                later
//
//	    request                       job                 pool
//	       │                           │                    │ when it starts
//	     Broker                   CoAllocate              Binder
//	    ╱  │  ╲   Policy         ╱     │     ╲              │
//	   A   B   C                A      B      C           servers
//	       ▲                    ▲      ▲      ▲
//	   the best offer         at one common start, or none
//
// # One of many: Broker
//
// A Broker is a bookahead.Schedule made of several schedules, its providers (Kurowski,
// Oleksiak, Piątek and Węglarz, "Hierarchical scheduling strategies for parallel
// tasks and advance reservations in grids", Journal of Scheduling 16, 2013,
// doi:10.1007/s10951-011-0254-9, §4.4.2). Each reservation lies at one provider,
// which a Policy chooses among the providers that make an offer:
//
//	MCT            the earliest completion                       asks all
//	Priority       the first in the order of the providers       as few as it can
//	ShortestQueue  the fewest reservations                       as few as it can
//	LeastLoaded    the largest share free when it is wanted      asks all
//	Random(seed)   any, at random                                as few as it can
//
// PolicyFunc makes a policy of a function of the caller's own. A Partition decides which providers
// may get requests, as a site does that divides its machine. Take MCT for the earliest start.
// Take Priority if tasks without reservations share the providers, because Priority leaves most
// providers to them.
//
// Place returns where a reservation lies. Rebook moves a reservation that has not begun to the
// provider that the Policy chooses, under the same ID, unless its own provider offers the same start;
// a running reservation stays. A Broker of Brokers is a hierarchy. A nodes.Tasks can be a provider
// too: the Broker then chooses a machine for the tasks of each request. Such a Broker books and
// releases, but it cannot be cloned, written or rebooked, because a view has none of these abilities.
//
// # All of many: CoAllocate
//
// A Job has parts on several schedules, its members. The parts start at fixed
// distances from each other: a stage-in, a computation, and a stage-out; the links
// of a path; or all at once. Schneider and Linnert ("List-based data structures for
// efficient management of advance reservations", 2012, §1 and §3) expect
// co-allocation of a grid, and so do Castillo, Rouskas and Harfoush ("Resource
// co-allocation for large-scale distributed environments", §1), who advise against
// booking one part after the other and cancelling parts that do not match. Here the
// search books nothing: each member in turn names the first start that suits its
// part, until all agree:
//
//	line   ███·····██··········          asked from 0: 3
//	nodes  ████████·····███····          asked from 3: 8
//	line   ███·····██··········          asked from 8: 10
//	nodes  ████████·····███····          asked from 10: 10, and all agree
//
// No job can start before a start that a member has named, so nothing earlier is
// missed, and each member skips gaps as fast as it can. Then all parts are booked. If
// a member fails, because others use it or it cannot be reached, the parts booked so
// far are given back.
//
// Parts may overlap on one member. On a pool their units are added up; on servers,
// servers are matched to parts. The comment of CoSearch lists the cases that are
// supported.
//
// A Gang makes tasks on the nodes of a nodes.Machine a part of a job, so that GPUs on one
// node, a line and licences start at once. The Allocation names the nodes. A job has at
// most one part for each machine.
//
// Package desk keeps holds, which expire unless they are committed. Its bookings have
// parts on several schedules too.
//
// # Later: Binder
//
// A Binder chooses the servers of a reservation when the reservation starts, and not
// before (Kurowski et al., §3.2). Until then a pool only counts units. So a Binder
// accepts more reservations than any schedule that fixes servers when it books. Four
// reservations of one server each are booked in the order A B C D:
//
//	time               0    5    10   15   20   25
//	bound when booked
//	  server 0         AAAAAAAAAA     CCCCCCCCCC
//	  server 1              BBBBBBBBBB                D finds no server
//	bound at the start
//	  server 0         AAAAAAAAAADDDDDDDDDD
//	  server 1              BBBBBBBBBBCCCCCCCCCC
//
// # Capacity that changes
//
// A provider of a Broker is closed itself, and a pool is extended itself: the Broker's searches see
// that. A reservation that is in the way stays until it is released, and is then booked anew. Servers
// cannot be added to a provider, because the Broker has no numbers for them.
//
// The servers of a Binder never close: a reservation that has yet to start might then find no server that
// is open to its end. Take an idletree.Tree or a nodes.Machine where servers close.
//
// # Across a restart
//
// A snapshot of a Broker or a Binder contains its members. It is read into a Broker or
// a Binder with members of the same kinds: clones of these members are filled from the
// snapshot, and the members themselves stay as they are. Reservations keep their IDs
// and places, and running reservations keep their servers.
//
//	data, err := broker.MarshalBinary()
//	...
//	broker, err := grid.NewBroker(config, providers...) // of the same kinds as before
//	err = broker.UnmarshalBinary(data)                  // now Provider returns new providers
//
// The policies and partitions of this package are read too. A PolicyFunc cannot be
// written, so that the receiver must have its own. An error leaves the receiver as it was.
//
// # What it takes
//
//	                   Broker            CoAllocate              Binder
//	Search, SearchFor  a search each     k p searches            a search
//	Reserve            + O(log n)        + p reserves            + O(log n + u)
//	Rebook             + O(log n)                                + O(log n + u)
//	Release            O(log n)          p releases              O(log n + u)
//	RangeQuery         a query each                              a query
//	Advance            O(log n) for each that ends               the same
//
// A + is added to the search in the first row: a Rebook at a Broker asks each provider too. The
// members' own Reserve, Rebook, Release and Advance are added to all rows. The table is for n
// reservations of u servers, p parts, and k starts at which a part did not fit. If parts overlap on
// s servers, each start tried takes O(s u) more to match them. On five pools (carts.Indexed) with
// 100 000 live reservations each, 70 % full, a CoAllocate of five parts takes about 50 searches,
// and 30 µs in the median.
//
// Providers, members and pools may be behind bookahead.Locked, which hides no ability.
//
// # Deviations
//
// Kurowski et al. balance the load of tasks without reservations by the length of queues.
// In a Broker, ShortestQueue counts reservations; a caller with queues of its own fills
// Bids with their lengths. Their random policy chooses among all providers. Here every
// policy chooses among the providers that make an offer, so that no request is turned away
// that some provider can take. A random choice depends on a seed and on the number of
// reservations made, so that Search, Reserve and a replay make the same choice.
package grid
