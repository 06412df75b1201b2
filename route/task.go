package route

import "github.com/bookahead/bookahead"

// Task is data to be sent to a cluster, and work to be done on it there.
type Task struct {
	// Source is the node that holds the data.
	Source int
	// Ready is the first tick at which anything may start; a tick in the past
	// counts as now.
	Ready bookahead.Time
	// Deadline is the tick by which the work has ended; 0 for none.
	Deadline bookahead.Time
	// Burst is how long the data occupies each link, b, in ticks; at least 1.
	Burst bookahead.Duration
	// Work is the work of each CPU; it takes Work/Speed ticks on a cluster, rounded up.
	// At least 1.
	Work int64
	// CPUs is the number of CPUs held meanwhile, r; at least 1. Clusters that have
	// fewer are left out.
	CPUs int64
	// Avoid names links and nodes that the path must not use. Clusters at an avoided node
	// are left out as well.
	Avoid Avoid
	// Effort limits the search; 0 Steps stand for 2^24. A step is a look at a link, a path
	// or a pool, or at 32 words of free slots. A look at the slots of one link is not cut
	// short. It is more than the 1 024 steps after which a search looks for a stop, where
	// there are more than 2^20 slots. A path takes S/8 bytes for S slots, or for Earliest 16
	// for each of its runs, and about 100 besides.
	Effort bookahead.Effort
}

// Plan is a path, a cluster, and the two times at which a task uses them.
type Plan struct {
	Source  int
	Cluster int
	// Nodes are the nodes of the path, from the source to the cluster's node: one more
	// than there are links.
	Nodes []int
	// Links is the path from the source to the cluster's node, by index. It is
	// empty if the data is there already: then nothing is sent.
	Links []int
	// Delay is the delay of the path, in ticks.
	Delay bookahead.Duration
	// Send is when the source sends, from its first bit to its last (TOpath).
	// It is empty if nothing is sent.
	Send bookahead.Interval
	// Arrival is when the last bit is at the cluster (EST).
	Arrival bookahead.Time
	// Run is when the cluster works (TOcluster).
	Run bookahead.Interval
	// CPUs are those of the task.
	CPUs int64
	// Bound is a time before which no plan for the task ends. It is the end of Run if
	// Earliest, or MCT without an Objective, has come to its end. A search that was stopped
	// gives the time that it knows. 0 says nothing.
	Bound bookahead.Time
	// Spent is the work of the search.
	Spent Spent
}

// booking is a committed plan, with its reservations on the links and on a cluster.
type booking struct {
	span    bookahead.Interval // at its end nothing of the booking is in use
	held    []held
	cluster int // -1 for none
	pool    bookahead.ID
}

// held is a link for a time, and the ID under which its schedule holds it; 0 for a link without a schedule.
type held struct {
	link int
	bookahead.Interval
	id bookahead.ID
}

// Span implements ledger.Entry.
func (k booking) Span() bookahead.Interval { return k.span }
