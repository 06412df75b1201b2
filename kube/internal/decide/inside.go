package decide

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/nodes"
)

// lineInside plans the jobs of a reservation on a machine of its own. The machine has all nodes, so that their numbers and domains are
// those of the cluster, but only the amounts of the reservation, and it is closed outside the time of the first occurrence.
func (d *decider) lineInside(ctx context.Context, f *firm, jobs []*job) (*line, error) {
	config := d.cluster.Machine.Config()
	config.Origin = d.Now
	free := make([]nodes.Vector, len(config.Nodes))
	for k := range free {
		free[k] = make(nodes.Vector, len(config.Resources))
	}
	when := bookahead.Interval{Start: d.Now, End: d.Now + 1}
	if len(f.places) > 0 {
		p := f.places[0]
		when = bookahead.Interval{Start: max(p.start, d.Now), End: p.end}
		for k, n := range p.tasks {
			for i, each := range f.request.Each {
				free[k][i] = min(nodes.MaxAmount, each*n)
			}
			if _, says := f.spec.Tasks.Resources[corev1.ResourcePods]; !says {
				free[k][cluster.Pods] = config.Nodes[k][cluster.Pods] // several small pods may share a task
			}
		}
	}
	config.Nodes = make([]nodes.Vector, len(free))
	for k := range free {
		config.Nodes[k] = slices.Clone(free[k])
	}
	m, err := nodes.New(config)
	if err != nil {
		return nil, fmt.Errorf("decide: reservation %s: %w", f.key, err)
	}
	n := names{map[bookahead.ID]string{}, map[bookahead.ClosureID]string{}}
	for _, p := range d.Pods {
		if cluster.Over(p) || cluster.Gated(p) || d.inside(p) != f {
			continue
		}
		k, ok := d.cluster.Index(cluster.NodeOf(p))
		if !ok {
			continue
		}
		each := d.cluster.Takes(p)
		for i := range each {
			each[i] = min(each[i], free[k][i])
			free[k][i] -= each[i]
		}
		until := min(cluster.Until(p, d.Snapshot), when.End)
		r, err := m.Reserve(nodes.Request{Ready: d.Now, Deadline: until, Duration: bookahead.Duration(until - d.Now), Tasks: 1, Each: each, Nodes: []int{k}})
		if err == nil { // a pod that is left without amounts holds none
			n.holders[r.ID] = "pod " + p.Namespace + "/" + p.Name
		}
		d.due(until)
	}
	all := make([]int, len(free))
	for k := range all {
		all[k] = k
	}
	for _, w := range []bookahead.Interval{{Start: d.Now, End: when.Start}, {Start: when.End, End: bookahead.MaxTime}} {
		if w.Empty() {
			continue
		}
		x, err := m.Close(bookahead.Closure{Interval: w, Servers: all})
		if err != nil {
			return nil, fmt.Errorf("decide: reservation %s: %w", f.key, err)
		}
		n.closed[x.ID] = fmt.Sprintf("reservation %s, which is from %s to %s,", f.key, text(when.Start), text(when.End))
		if len(f.places) == 0 {
			n.closed[x.ID] = fmt.Sprintf("reservation %s, which has no place yet,", f.key)
		}
	}
	for _, j := range jobs {
		if !j.said || !j.known {
			j.length, j.known = when.Len(), true // it may use all of the rest
		}
	}
	l, err := d.newLine(m, n, jobs)
	if err == nil {
		err = l.submit()
	}
	if err == nil {
		err = l.pass(ctx)
	}
	if err == nil {
		err = l.read(ctx)
	}
	return l, err
}
