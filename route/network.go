package route

import (
	"slices"
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
}

// cluster is a Cluster and the shortest ways to it.
type cluster struct {
	Cluster
	reach
}

// Links returns the number of links. O(1).
func (n *Network) Links() int { return len(n.links) }

// Link returns a link as it was given, but without Free: the network books in a copy of that. The
// weights are a copy. O(k) for k weights.
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

// FreeNow reports whether a link is available in the tick that is running. O(1).
func (n *Network) FreeNow(link int) bool {
	return n.config.Slots > 0 && n.vectors[link].Get(0)
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
