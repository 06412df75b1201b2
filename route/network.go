package route

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/internal/ledger"
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

// Network is nodes, the links between them, the clusters attached to them, and the
// bookings of links and clusters. The topology never changes.
//
// Queries change nothing: any number of them may run at once, as long as no
// Commit, Release, Refresh or Advance does.
type Network struct {
	config   Config
	now      bookahead.Time
	nodes    int
	links    []Link
	clusters []cluster
	out, in  adjacency
	vectors  []*avail.Vector // of the links, slot 0 being now
	runs     []*avail.Runs   // the same
	full     *avail.Vector   // all slots free
	fullRuns *avail.Runs     // the same
	from, to []int32         // of the links, for searches that need only these
	weights  []float64       // of the links, one after the other
	// Of the weights: how many are not whole, and the greatest that there has been.
	fractions int
	heaviest  float64
	booked    ledger.Ledger[booking]
	searches  sync.Pool // of *search
	paths     sync.Pool // of *mcp
	kept      kept
	names     names
}

// cluster is a Cluster and the shortest ways to it.
type cluster struct {
	Cluster
	reach
}

// reach is the shortest ways to a node.
type reach struct {
	away []int64 // the smallest delay from each node; unreachable if there is no way
	via  []int32 // the first link of that way; -1 if there is none
}

const unreachable = math.MaxInt64

// adjacency holds the links of node v at links[first[v]:first[v+1]] (compressed
// sparse rows), in the order in which they were given.
type adjacency struct {
	first []int32
	links []int32
}

func (a *adjacency) of(v int) []int32 { return a.links[a.first[v]:a.first[v+1]] }

// newAdjacency sorts the links by an end, by counting: first[v+1] counts the links of v, and then
// adds up those of the nodes before. With the ends 2, 0, 2 of three links:
//
//	counted   first 0 1 0 2
//	added     first 0 1 1 3      node 0 has links[0:1], node 1 none, node 2 links[1:3]
//	links     1 0 2
func newAdjacency(nodes int, links []Link, end func(*Link) int) adjacency {
	a := adjacency{make([]int32, nodes+1), make([]int32, len(links))}
	for i := range links {
		a.first[end(&links[i])+1]++
	}
	for v := range nodes {
		a.first[v+1] += a.first[v]
	}
	next := make([]int32, nodes)
	for i := range links {
		v := end(&links[i])
		a.links[a.first[v]+next[v]] = int32(i)
		next[v]++
	}
	return a
}

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
	n := &Network{config: c, now: c.Origin, nodes: nodes, links: append([]Link(nil), links...)}
	n.config.Nodes = append([]string(nil), c.Nodes...)
	if err := n.name(clusters); err != nil {
		return nil, err
	}
	full, err := avail.NewVector(c.Slots)
	if err != nil {
		return nil, err
	}
	full.Set(0, c.Slots)
	n.full, n.fullRuns = full, full.Runs()
	owners := owners{}
	for i, l := range n.links {
		name := linkField(i, &l)
		if err := n.checkLink(name, &l); err != nil {
			return nil, err
		}
		if l.Schedule != nil {
			if err := n.checkSchedule(name+".Schedule", l.Schedule, owners); err != nil {
				return nil, err
			}
			if err := checkUnits(name+".Units", l.Units, l.Schedule, "Schedule"); err != nil {
				return nil, err
			}
			n.links[i].Units = max(l.Units, 1)
		}
		n.from, n.to = append(n.from, int32(l.From)), append(n.to, int32(l.To))
		n.weights = append(n.weights, l.Weights...)
		n.weigh(l.Weights, 1)
	}
	for i := range n.links {
		if c.Weights > 0 {
			n.links[i].Weights = n.weightsOf(int32(i))
		}
	}
	n.out = newAdjacency(nodes, links, func(l *Link) int { return l.From })
	n.in = newAdjacency(nodes, links, func(l *Link) int { return l.To })
	for i, c := range clusters {
		name := clusterField(i, &c)
		if err := n.checkCluster(name, c); err != nil {
			return nil, err
		}
		if err := n.checkSchedule(name+".Pool", c.Pool, owners); err != nil {
			return nil, err
		}
		if err := checkUnits(name+".CPUs", c.CPUs, c.Pool, "Pool"); err != nil {
			return nil, err
		}
		n.clusters = append(n.clusters, cluster{c, n.reachOf(c.Node, nil)})
	}
	for i := range n.links {
		if err := n.openLink(i); err != nil {
			return nil, err
		}
	}
	for i, c := range n.clusters {
		if err := n.adopt(clusterField(i, &c.Cluster)+".Pool", c.Pool); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// weightsOf returns the weights of a link.
func (n *Network) weightsOf(link int32) []float64 {
	k := n.config.Weights
	return n.weights[int(link)*k : (int(link)+1)*k : (int(link)+1)*k]
}

// weigh counts weights that are added (sign 1), or taken away (sign -1).
func (n *Network) weigh(weights []float64, sign int) {
	n.fractions += sign * fractionsOf(weights)
	for _, w := range weights {
		n.heaviest = max(n.heaviest, w)
	}
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

// reachOf finds the way with the smallest delay from each node to v, of equals the way with
// the fewest links (Dijkstra): its delay, and its first link. With a job it leaves out the links
// that the job avoids, and a step is a look at a link. If the meter stops it, the result is
// incomplete.
func (n *Network) reachOf(v int, j *job) reach {
	away, via := make([]int64, n.nodes), make([]int32, n.nodes)
	hops := make([]int32, n.nodes)
	for u := range away {
		away[u], via[u] = unreachable, -1
	}
	away[v] = 0
	q := heap[int32]{less: func(a, b int32) bool {
		return away[a] < away[b] || away[a] == away[b] && (hops[a] < hops[b] || hops[a] == hops[b] && a < b)
	}}
	q.grow(n.nodes)
	for q.push(int32(v)); q.len() > 0; {
		u := q.pop()
		for _, i := range n.in.of(int(u)) {
			switch {
			case j == nil:
			case !j.meter.Go(1):
				return reach{away, via}
			case !j.open(i):
				continue
			}
			l := &n.links[i]
			d, h := away[u]+int64(l.Delay), hops[u]+1
			if d < away[l.From] || d == away[l.From] && h < hops[l.From] {
				away[l.From], hops[l.From], via[l.From] = d, h, i
				q.push(int32(l.From))
			}
		}
	}
	return reach{away, via}
}
