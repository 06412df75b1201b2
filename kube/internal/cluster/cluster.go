package cluster

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/nodes"
)

// Cluster is a snapshot as a machine: what pods hold is booked there, and nodes that take no pods are closed.
type Cluster struct {
	*Snapshot
	Machine *nodes.Machine
	// Names are the nodes by their index in the machine, ascending.
	Names []string
	// Holders are the names of those who have a reservation of the machine, for sentences.
	Holders map[bookahead.ID]string
	// Closed are reasons for the closures of the machine.
	Closed map[bookahead.ClosureID]string

	resources resources
	levels    []nodes.Level
	nodes     []*corev1.Node
	index     map[string]int
	has       []nodes.Vector // of each node
	free      []nodes.Vector // now, beside pods
	closed    []string       // why a node takes no pods now
	allowed   map[string][]int
}

// Of returns a snapshot as a machine. Pods for which without is true hold nothing: they run in the amounts of a reservation.
func Of(s *Snapshot, without func(p *corev1.Pod) bool) (*Cluster, error) {
	c := &Cluster{
		Snapshot: s, Holders: map[bookahead.ID]string{}, Closed: map[bookahead.ClosureID]string{},
		resources: resourcesOf(s), index: map[string]int{}, allowed: map[string][]int{},
	}
	c.nodes = slices.SortedFunc(slices.Values(s.Nodes), func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	c.levels = levels(s.Settings.TopologyKeys, c.nodes)
	config := nodes.Config{Origin: s.Now, Levels: c.levels, Policy: nodes.BestFit()}
	for _, name := range c.resources {
		config.Resources = append(config.Resources, string(name))
	}
	for k, node := range c.nodes {
		c.Names = append(c.Names, node.Name)
		c.index[node.Name] = k
		c.has = append(c.has, c.resources.vector(node.Status.Allocatable, false))
		c.free = append(c.free, slices.Clone(c.has[k]))
	}
	config.Nodes = c.has
	if len(c.nodes) == 0 {
		config.Nodes = []nodes.Vector{make(nodes.Vector, len(c.resources))} // a machine has a node, so it gets one of nothing
	}
	var err error
	c.Machine, err = nodes.New(config)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return c, c.fill(without)
}

// fill books what pods hold, and then closes nodes: nothing can be booked on a closed node.
func (c *Cluster) fill(without func(p *corev1.Pod) bool) error {
	pods := slices.SortedFunc(slices.Values(c.Pods), func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, p := range pods {
		if Over(p) || Gated(p) || without(p) {
			continue
		}
		err := c.Hold(p, NodeOf(p), Until(p, c.Snapshot))
		if err != nil {
			return err
		}
	}
	c.closed = make([]string, len(c.nodes))
	for k, node := range c.nodes {
		end, why := c.away(node)
		if why == "" {
			continue
		}
		c.closed[k] = why
		x, err := c.Machine.Close(bookahead.Closure{Interval: bookahead.Interval{Start: c.Now, End: end}, Servers: []int{k}})
		if err != nil {
			return fmt.Errorf("cluster: node %s: %w", node.Name, err)
		}
		c.Closed[x.ID] = fmt.Sprintf("node %s, which %s,", node.Name, why)
	}
	return nil
}

// NodeOf returns the node that a pod runs on, or is to be bound to; "" if there is none.
func NodeOf(p *corev1.Pod) string {
	if p.Spec.NodeName == "" && Opened(p) {
		return p.Annotations[v1alpha1.Node]
	}
	return p.Spec.NodeName
}

// Hold books what a pod takes of an open node, from now until a time. Pods may hold more than a node has, if it was made smaller:
// then the pods that come last hold less in the plan. A pod without a node, or on a node that is gone, holds nothing.
func (c *Cluster) Hold(p *corev1.Pod, node string, until bookahead.Time) error {
	k, ok := c.index[node]
	if !ok {
		return nil
	}
	v := c.Takes(p)
	for i := range v {
		v[i] = min(v[i], c.free[k][i])
		c.free[k][i] -= v[i]
	}
	if !slices.ContainsFunc(v, func(n int64) bool { return n > 0 }) {
		return nil
	}
	r, err := c.Machine.Reserve(nodes.Request{
		Ready: c.Now, Deadline: until, Duration: bookahead.Duration(until - c.Now), Tasks: 1, Each: v, Nodes: []int{k},
	})
	if err != nil {
		return fmt.Errorf("cluster: pod %s/%s on node %s: %w", p.Namespace, p.Name, node, err)
	}
	c.Holders[r.ID] = "pod " + p.Namespace + "/" + p.Name
	return nil
}

// Takes returns what a pod takes of its node.
func (c *Cluster) Takes(p *corev1.Pod) nodes.Vector {
	v := c.resources.vector(requests(p), true)
	v[Pods] = 1
	return v
}

// Why returns why a node takes no pods now: "is gone", "is cordoned" or "is not ready"; "" if it does.
func (c *Cluster) Why(node string) string {
	k, ok := c.index[node]
	if !ok {
		return "is gone"
	}
	return c.closed[k]
}

// Index returns the index of a node in the machine, and false for a node that is gone.
func (c *Cluster) Index(node string) (int, bool) {
	k, ok := c.index[node]
	return k, ok
}

// Domain returns the nodes that share a domain of a topology key with a node.
func (c *Cluster) Domain(key string, node int) []int {
	for _, level := range c.levels {
		for _, group := range level.Groups {
			if level.Name == key && slices.Contains(group, node) {
				return group
			}
		}
	}
	return nil
}

// away returns until when a node takes no pods, and why; "" if it takes pods. A node that is not ready is expected back after the
// time for a repair, and after that again.
func (c *Cluster) away(node *corev1.Node) (until bookahead.Time, why string) {
	switch {
	case node.DeletionTimestamp != nil:
		return bookahead.MaxTime, "is being deleted"
	case node.Spec.Unschedulable:
		return bookahead.MaxTime, "is cordoned"
	}
	since := metav1.Time{}
	for _, x := range node.Status.Conditions {
		if x.Type == corev1.NodeReady {
			if x.Status == corev1.ConditionTrue {
				return 0, ""
			}
			since = x.LastTransitionTime
		}
	}
	repair := bookahead.Time(Seconds(c.Settings.Repair.Duration))
	if repair == 0 {
		return bookahead.MaxTime, "is not ready"
	}
	end := Ticks(since.Time) + repair
	if end <= c.Now {
		end += ((c.Now-end)/repair + 1) * repair
	}
	return end, "is not ready"
}

// Edges yields the times at which pods and closures of the machine end, as far as they are known.
func (c *Cluster) Edges() iter.Seq[bookahead.Time] {
	return func(yield func(bookahead.Time) bool) {
		for r := range c.Machine.Reservations(bookahead.Interval{Start: c.Now, End: bookahead.MaxTime}) {
			if r.End < bookahead.MaxTime && (!yield(r.End) || !yield(r.Start)) {
				return
			}
		}
		for x := range c.Machine.Closures() {
			if x.End < bookahead.MaxTime && !yield(x.End) {
				return
			}
		}
	}
}
