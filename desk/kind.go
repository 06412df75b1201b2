package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Kind describes a schedule that AddSchedule makes: a Pool, Servers, Nodes, a Broker, or an Own.
type Kind interface {
	kind() string // the name in a log and in error texts
}

// Pool counts units that are alike: a carts.Indexed.
type Pool struct {
	// Units is the number of units, at least 1.
	Units int64
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to the end of the axis.
	Horizon bookahead.Duration
}

// Servers knows each server by its index: an idletree.Tree.
type Servers struct {
	// Count is the number of servers, at least 1.
	Count int64
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to the end of the axis.
	Horizon bookahead.Duration
	// Prefer names the servers that are used first: "lowest" for the lowest index, "best" for the
	// tightest idle period, "worst" for the longest, and "" for the first that are found.
	Prefer string
}

// Nodes is a machine whose nodes have several resources: a nodes.Machine.
type Nodes struct {
	// Horizon is how many ticks ahead of the clock can be booked; 0 means to the end of the axis.
	Horizon bookahead.Duration
	// Resources, Nodes, Levels and Sets are those of nodes.Config.
	Resources []string
	Nodes     []nodes.Vector
	Levels    []nodes.Level
	Sets      map[string][]int
	// Policy names the nodes that are used first: "" or "lowest", "best", "fewest" or "spread".
	Policy string
}

// Broker stands for several schedules of the desk. A part on a broker lies on one of them: of the schedules that
// have room at the earliest start, the Policy chooses one.
type Broker struct {
	// Of names the schedules. All of them are Nodes or none is, and none is a broker.
	Of []string
	// Policy is "" or "first" for the first in the order of Of, "least-loaded" for the schedule with
	// the largest share of units free throughout the part, or "shortest-queue" for the schedule with the
	// fewest live bookings.
	Policy string
}

// Own is a schedule of the caller's own structure, which Config.Kinds knows.
type Own struct {
	// Kind is the name of a function in Config.Kinds.
	Kind string
	// Config is the argument of that function.
	Config []byte
}

func (Pool) kind() string    { return "pool" }
func (Servers) kind() string { return "servers" }
func (Nodes) kind() string   { return "nodes" }
func (Broker) kind() string  { return "broker" }
func (o Own) kind() string   { return o.Kind }

// copyOf returns a kind that shares no slice with the caller's.
func copyOf(kind Kind) Kind {
	switch k := kind.(type) {
	case Nodes:
		k.Resources, k.Nodes, k.Levels = cloneOf(k.Resources), cloneOf(k.Nodes), cloneOf(k.Levels)
		for i, v := range k.Nodes {
			k.Nodes[i] = slices.Clone(v)
		}
		for i := range k.Levels {
			groups := cloneOf(k.Levels[i].Groups)
			for g := range groups {
				groups[g] = slices.Clone(groups[g])
			}
			k.Levels[i].Groups = groups
		}
		if k.Sets != nil {
			sets := make(map[string][]int, len(k.Sets))
			for name, set := range k.Sets {
				sets[name] = slices.Clone(set)
			}
			k.Sets = sets
		}
		return k
	case Broker:
		k.Of = cloneOf(k.Of)
		return k
	case Own:
		k.Config = cloneOf(k.Config)
		return k
	}
	return kind
}
