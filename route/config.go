package route

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// maxDelay is the longest delay of a link, in ticks: no sum of delays overflows.
const maxDelay bookahead.Duration = avail.MaxSlots

// maxWeight is the greatest weight of a link or a server: no sum of weights overflows.
const maxWeight = 1e290

// Config describes a network as a whole. Its zero fields are good defaults, except for
// Slots: without slots nothing can be sent, and only SAMCRA and Pareto are of use.
type Config struct {
	// Nodes are the names of the nodes: none, or one for each. A name may be empty;
	// otherwise only one node has it.
	Nodes []string
	// Weights is how many additive weights each link has, for SAMCRA.
	Weights int
	// Origin is the time at the start.
	Origin bookahead.Time
	// Slots is how many ticks ahead links can be booked. A slot of a link is a
	// tick; coarser slots need a coarser tick.
	Slots int
	// Wait makes the source wait for a confirmation before it sends: a round
	// trip over the path, 2·d ticks (tell-and-wait, Stevens et al., §4.4).
	// Without it the data follows the reservation at once (tell-and-go).
	Wait bool
}

// Link is a directed link, which carries one transmission at a time, or as many
// as its Schedule has room for.
type Link struct {
	Name     string             // for errors, LinkNamed and Request; "" for none, else only this link has it
	From, To int                // nodes
	Delay    bookahead.Duration // of propagation, in ticks; 0 to avail.MaxSlots
	Weights  []float64          // Config.Weights of them, from 0 to 1e290

	// Free says when the link is available, slot 0 being the tick Origin; nil if
	// it always is. Free is copied, and the network books in the copy.
	Free *avail.Vector
	// Schedule, if there is one, is where the link is booked, in place of Free.
	// It must be a bookahead.Profiler, Locked or not, that counts units. Servers would not do:
	// enough of them may be free at each tick, and not the same servers throughout. No other
	// link or cluster may have the schedule, and its clock may not be ahead of Config.Origin.
	// From then on only the network may write to it; after others have written, call Refresh.
	Schedule bookahead.Schedule
	// Units is how much of Schedule a transmission takes, at most its capacity; 0
	// counts as 1.
	Units int64
}

// Cluster is where tasks are executed.
type Cluster struct {
	Name  string // for errors, ClusterNamed and Request; "" for none, else neither a link nor another cluster has it
	Node  int    // the node to which the cluster is attached
	CPUs  int64  // at least 1, and at most the capacity of Pool
	Speed int64  // work that a CPU does in a tick; at least 1
	// Pool is where CPUs are booked, on the terms of Link.Schedule: a
	// bookahead.Profiler that counts units, and of this cluster only.
	Pool bookahead.Schedule
}
