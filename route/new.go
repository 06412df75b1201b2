package route

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// New returns a network of so many nodes, counted from 0. Links and clusters are
// named by their index. The error wraps bookahead.ErrInvalid and says which field of
// which link or cluster is out of range. All schedules move to Config.Origin, unless a field
// is invalid: then none has moved. O(N + E·S/64 + C·E log N) for N nodes, E links of S
// slots each, and C clusters, and an Advance of each schedule.
func New(nodes int, links []Link, clusters []Cluster, c Config) (*Network, error) {
	switch {
	case nodes < 1 || nodes > math.MaxInt32:
		return nil, invalid("nodes", nodes, "is not between 1 and 2147483647")
	case len(links) > math.MaxInt32:
		return nil, invalid("links", len(links), "are more than 2147483647")
	case c.Weights < 0:
		return nil, invalid("Config.Weights", c.Weights, "is negative")
	case c.Origin < 0 || c.Origin > bookahead.MaxTime-2*avail.MaxSlots:
		return nil, invalid("Config.Origin", c.Origin, "is negative, or too near to the end of the axis")
	case c.Slots < 0 || c.Slots > avail.MaxSlots:
		return nil, invalid("Config.Slots", c.Slots, fmt.Sprintf("is not between 0 and %d", avail.MaxSlots))
	}
	n := &Network{config: c, now: c.Origin}
	n.config.Nodes = append([]string(nil), c.Nodes...)
	names, err := newNames(n.config.Nodes, nodes, links, clusters)
	if err != nil {
		return nil, err
	}
	n.names = names
	full, err := avail.NewVector(c.Slots)
	if err != nil {
		return nil, err
	}
	full.Set(0, c.Slots)
	n.full, n.fullRuns = full, full.Runs()
	owners := owners{}
	links = append([]Link(nil), links...)
	for i, l := range links {
		name := linkField(i, &l)
		if err := checkLink(name, &l, nodes, &c); err != nil {
			return nil, err
		}
		if l.Schedule != nil {
			if err := owners.check(name+".Schedule", l.Schedule, c.Origin); err != nil {
				return nil, err
			}
			if err := checkUnits(name+".Units", l.Units, l.Schedule, "Schedule"); err != nil {
				return nil, err
			}
			links[i].Units = max(l.Units, 1)
		}
	}
	n.digraph = newGraph(nodes, links, c.Weights)
	for i, c := range clusters {
		name := clusterField(i, &c)
		if err := checkCluster(name, c, nodes); err != nil {
			return nil, err
		}
		if err := owners.check(name+".Pool", c.Pool, n.now); err != nil {
			return nil, err
		}
		if err := checkUnits(name+".CPUs", c.CPUs, c.Pool, "Pool"); err != nil {
			return nil, err
		}
		n.clusters = append(n.clusters, cluster{c, n.reachOf(c.Node, nil, nil)})
	}
	for i := range n.links {
		if err := n.openLink(i); err != nil {
			return nil, err
		}
	}
	for i, c := range n.clusters {
		if err := adopt(clusterField(i, &c.Cluster)+".Pool", c.Pool, n.now); err != nil {
			return nil, err
		}
	}
	return n, nil
}
