package route

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/internal/ledger"
)

// Network is nodes, the links between them, the clusters attached to them, and the
// bookings of links and clusters. The topology never changes.
//
// Queries change nothing: any number of them may run at once, as long as no
// Commit, Release, Refresh or Advance does.
type Network struct {
	// No field knows a search: the searches read them.
	config Config
	now    bookahead.Time
	digraph
	clusters []cluster
	vectors  []*avail.Vector // of the links, slot 0 being now
	runs     []*avail.Runs   // the same
	full     *avail.Vector   // all slots free
	fullRuns *avail.Runs     // the same
	booked   ledger.Ledger[booking]
	searches sync.Pool // of *search
	paths    sync.Pool // of *mcp
	kept     kept
	names    names
}

// cluster is a Cluster and the shortest ways to it.
type cluster struct {
	Cluster
	reach
}

// Links returns the number of links. O(1).
func (n *Network) Links() int { return len(n.links) }

// Link returns a link with its present weights, but without Free: the method of that name has the
// present state. The weights are a copy; SetWeights changes those of the network. O(k) for k weights.
func (n *Network) Link(i int) Link {
	l := n.links[i]
	l.Weights = slices.Clone(l.Weights)
	return l
}

// Clusters returns the number of clusters. O(1).
func (n *Network) Clusters() int { return len(n.clusters) }

// Cluster returns a cluster as it was given. O(1).
func (n *Network) Cluster(i int) Cluster { return n.clusters[i].Cluster }

// Now returns the time of the last Advance. O(1).
func (n *Network) Now() bookahead.Time { return n.now }

// Free returns when a link is available, slot 0 being now. The vector is the
// caller's. O(S/64) for S slots.
func (n *Network) Free(link int) *avail.Vector { return n.vectors[link].Clone() }

// FreeNow reports whether a link is available in the tick that is running. O(1).
func (n *Network) FreeNow(link int) bool {
	return n.config.Slots > 0 && n.vectors[link].Get(0)
}

// NodeName returns the name of a node; its number, if the node has no name, or if there is no such
// node. O(1).
func (n *Network) NodeName(v int) string {
	if v < 0 || v >= len(n.config.Nodes) || n.config.Nodes[v] == "" {
		return strconv.Itoa(v)
	}
	return n.config.Nodes[v]
}

// NodeNamed returns the node with a name, if there is one. O(1).
func (n *Network) NodeNamed(name string) (node int, ok bool) {
	node, ok = n.names.nodes[name]
	return node, ok
}

// LinkNamed returns the index of the link with a name, if there is one. O(1).
func (n *Network) LinkNamed(name string) (link int, ok bool) {
	link, ok = n.names.links[name]
	return link, ok
}

// ClusterNamed returns the index of the cluster with a name, if there is one. O(1).
func (n *Network) ClusterNamed(name string) (cluster int, ok bool) {
	cluster, ok = n.names.clusters[name]
	return cluster, ok
}

// Window returns when the plan uses its i-th link: for as long as the source sends,
// and later by the delays of the links before. O(i).
func (n *Network) Window(p Plan, i int) bookahead.Interval {
	delay := bookahead.Time(0)
	for _, l := range p.Links[:i] {
		delay += bookahead.Time(n.links[l].Delay)
	}
	return bookahead.Interval{Start: p.Send.Start + delay, End: p.Send.End + delay}
}

// SetWeights changes the weights of a link, such as its load or its price. All kept look-aheads
// are dropped. The error wraps bookahead.ErrInvalid if there is no such link, or the weights are
// not Config.Weights numbers from 0 to 1e290, and then nothing has changed. SetWeights is a write:
// no query may run meanwhile. O(k) for k weights.
func (n *Network) SetWeights(link int, weights []float64) error {
	switch {
	case link < 0 || link >= len(n.links):
		return invalid("link", link, fmt.Sprintf("is not one of %d", len(n.links)))
	case len(weights) != n.config.Weights:
		return invalid("weights", weights, fmt.Sprintf("are not the %d of Config.Weights", n.config.Weights))
	}
	if err := checkWeights("weights", weights); err != nil {
		return err
	}
	n.weigh(n.weightsOf(int32(link)), -1)
	n.weigh(weights, 1)
	copy(n.weightsOf(int32(link)), weights)
	n.kept.drop()
	return nil
}
