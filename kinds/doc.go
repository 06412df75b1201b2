// Package kinds places tasks of several kinds on a machine of nodes at one start: 4 workers of 8 GPUs and 2 parameter servers of
// 32 cores, the launcher and the workers of an MPI job, the roles of a workload of several pod sets. A nodes.Request is for tasks
// of one vector, and for a head at most. Requests of each kind by itself start when each of them finds room; the kinds
// of a job start together and run side by side, or not at all:
//
//	free from 0         8 GPUs 64 cores      0 GPUs 48 cores        a worker takes 4 GPUs and 24 cores,
//	node                0                    1                      and a server takes 32 cores
//
//	2 workers, 1 server      2 workers on 0, and the server on 1
//	1 worker, 2 servers      1 worker and a server on 0, and the other on 1
//	2 workers, 2 servers     not now: each kind alone has room, both have not
//
// # How it is found
//
// No start is earlier than the first at which each kind alone has room, and at which each resource has room for the sum of all
// kinds. The machine finds this start by its index, without a look at most nodes. There the kinds are booked one after the other
// on a copy, the largest tasks first. If all have room, the answer is proven to be the earliest, without any
// further search. So it is for one kind, and for kinds that may not use the same nodes.
//
// Otherwise a place may exist all the same. To find it is vector bin packing, for which no quick way is known. The search goes from
// node to node, and keeps the numbers of tasks of each kind that the nodes so far hold, without those that others cover. Of two
// kinds, a node adds at most as many states as there are tasks of a kind; of more kinds, the states may be as many as the
// product of the numbers of tasks of all kinds but one. So it is exact for two kinds, as a rule, and for more kinds with few
// tasks, and a bookahead.Effort limits it. If there is no place, the next start is that at which more is free on a node.
//
// If half of the steps that are left do not tell whether a start has a place, it is passed over, and the answer may be later than
// the earliest. Offer.Bound is the first start that was not ruled out, and Proven reports whether there was none.
//
// On 2 000 nodes with ten live jobs for each, and up to 500 workers and 1 000 servers, a search takes some 15 ms, and 40 ms with a
// third kind (BenchmarkSearch, in November 2026 while other programs ran). In three of four searches the kinds find room one after
// the other at the first start; all others are proven, too.
//
// # Groups
//
// Each kind may lie Within one group, and in bundles (nodes.Request.Bundle). Request.Within puts all kinds into one group. The
// kinds have no Together: they lie wherever all of them have room. If the kinds find room one after the other, the policy of the
// machine chooses the nodes; otherwise the search does.
//
// # What is booked
//
// A reservation has an ID at the machine for each kind, and Reserve books all kinds or none. Release gives all of them back. All
// kinds end at the same time. But each kind is a reservation of its own for everything else that a machine does: Displace and
// Swap move the tasks of one kind, at its own terms.
//
// # Files
//
//	request.go     requests, offers and reservations
//	search.go      from start to start
//	store.go       the kinds, and the groups of nodes
//	patterns.go    the tasks that fit side by side on one node
//	states.go      whether some free amounts hold all kinds
//	book.go        all kinds or none
package kinds
