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
// A Broker is a bookahead.Schedule made of several, its providers (Kurowski,
// Oleksiak, Piątek and Węglarz, "Hierarchical scheduling strategies for parallel
// tasks and advance reservations in grids", Journal of Scheduling 16, 2013,
// doi:10.1007/s10951-011-0254-9, §4.4.2). Each reservation lies at one of them,
// which a Policy chooses among those that make an offer:
//
//	MCT            the earliest completion                       asks all
//	Priority       the first in the order of the providers       as few as it can
//	ShortestQueue  the fewest reservations                       as few as it can
//	LeastLoaded    the largest share free when it is wanted      asks all
//	Random(seed)   any, at random                                as few as it can
//
// PolicyFunc makes a policy of a function of the caller's own. A Partition keeps providers
// from requests, as sites do that divide their machine. Take MCT for the earliest
// start. Priority is better where tasks without reservations share the providers:
// it leaves most of them alone.
//
// Place says where a reservation lies, and ID is the way back. Config.Booked gives a new
// Broker reservations that its providers hold already. Rebook moves a reservation
// that has not begun to the provider that the Policy chooses, under its ID, unless it starts
// as early at its own; a running reservation stays. A Broker of Brokers is a hierarchy. A
// nodes.Tasks can be a provider too: the Broker then chooses a machine for the tasks of each request.
// Such a Broker books and releases, but it cannot be cloned, written, closed or rebooked, because a view
// has none of these abilities.
//
// # All of many: CoAllocate
//
// A Job has parts on several schedules, which start at fixed distances from each
// other: a stage-in, a computation, and a stage-out; the links of a path; or
// everything at once. Schneider and Linnert ("List-based data structures for
// efficient management of advance reservations", 2012, §1 and §3) ask it of a
// grid, as do Castillo, Rouskas and Harfoush ("Resource co-allocation for
// large-scale distributed environments", §1), who warn of booking one after the other and
// cancelling what does not match. Here the members are only asked, and take turns
// in naming the first start that suits them, until all agree:
//
//	line   ███·····██··········          asked from 0: 3
//	nodes  ████████·····███····          asked from 3: 8
//	line   ███·····██··········          asked from 8: 10
//	nodes  ████████·····███····          asked from 10: 10, and all agree
//
// Each start that is named is a bound for all, so nothing earlier is missed; gaps
// are skipped as fast as the members can. Then all is booked. If that fails at one,
// because it is used by others or cannot be reached, the others are given back.
//
// Parts may lie on one member, and overlap there: those of a pool are added up,
// those on servers are matched to them. CoSearch says what is supported.
//
// A Gang makes tasks on the nodes of a nodes.Machine a part, so that GPUs that lie together, a line
// and licences start at once. The Allocation names the nodes. A job has one part for each machine.
//
// Holds, which expire unless they are committed, are kept by package desk: its bookings have
// parts on several schedules too.
//
// # Later: Binder
//
// A Binder gives the reservations of a pool their servers when they start, and
// not before (Kurowski et al., §3.2). Numbers are enough to plan with then, and
// more can be accepted than by any schedule that fixes servers when it books. Four
// reservations of one server each, booked in the order A B C D:
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
// A Broker and a Binder are bookahead.Closable if their providers and their pool are. A Broker
// passes closures on: servers by its own numbers, which must lie at one provider, and units by
// CloseAt and ExtendAt. Added servers have the Broker's next numbers. A Binder closes servers by
// name, though its requests name none, and its pool has fewer units meanwhile. Displace moves
// reservations between providers, under the IDs that they have.
//
// # Across a restart
//
// Broker and Binder are written with the schedules that they are made of, and
// read into one that is made of the same kinds: its members are the models for those
// that are read, and stay as they are. So reservations keep their IDs and places,
// and running reservations their servers.
//
//	data, err := broker.MarshalBinary()
//	...
//	broker, err := grid.NewBroker(config, providers...) // as the one that was written
//	err = broker.UnmarshalBinary(data)                  // and Provider returns others
//
// The policies and partitions of this package are read as well; for a PolicyFunc or
// PartitionFunc the receiver has one of its own. All is read or nothing is.
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
//	Close, Extend      a Close                                   a Close for each stretch
//
// A + adds to the search in the first row: a Rebook at a Broker asks each provider too. The
// members' own Reserve, Rebook, Release and Advance come on top. The table is for n
// reservations of u servers, p parts, and k starts at which a part did not fit. Where parts
// overlap on s servers, each other start takes O(s u) more to match them. On five pools
// (carts.Indexed) with 100 000 live reservations each, 70 % full, a CoAllocate of
// five parts takes about 50 searches, and 30 µs in the median.
//
// Providers, members and pools may be behind bookahead.Locked, which hides nothing.
//
// # Deviations
//
// Kurowski et al. balance the load of tasks without reservations by the length of
// queues; for a Broker, ShortestQueue counts reservations. A caller with queues of its own
// fills Bids with their lengths. Their random policy chooses among all providers. Here every policy chooses among those that make an offer, so that no request is
// turned away that one of them can take. Chance depends on a seed and the number of
// reservations made: Search makes the random choice that Reserve will
// make, and a replay makes the same.
package grid
