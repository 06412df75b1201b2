package decide

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/settings"
	"github.com/bookahead/bookahead/plan"
)

const (
	nodeKey  = v1alpha1.Node
	startKey = v1alpha1.Start
)

// launch returns what is to be written of the place of a job, and false if all of it is written. A job that does not say how
// long it runs carries no place until it starts: its place may be taken by others who say so.
func (d *decider) launch(j *job) (l Launch, ok bool) {
	if j.place == nil || !j.known && !j.opens {
		return l, false
	}
	l = Launch{Job: j.name, Open: j.opens}
	start := j.place.Start
	was, promised := cluster.StartOf(j.pods[0])
	if j.rest && promised && j.opens {
		start = min(start, was) // the group has begun then
	}
	changed := false
	for i, node := range d.nodesFor(j) {
		p := j.pods[i]
		at, carries := cluster.StartOf(p)
		a := Assignment{Pod: p, Node: node, Start: start, Written: carries && at == start && p.Annotations[nodeKey] == node}
		changed = changed || !a.Written
		if j.opens {
			a.Deadline = d.deadline(j, p)
			a.Tolerate = d.Settings.Protection.Policy == settings.Taint
			a.Events = append(a.Events, Event{Reason: "Opened", Message: fmt.Sprintf("may start on node %s", node)})
		}
		if promised && start > was && j.place.Start > was {
			why := j.delayed
			if why == "" {
				why = "it was not started in time"
			}
			a.Events = append(a.Events, Event{Warning: true, Reason: "Delayed", Message: fmt.Sprintf("was promised to start at %s, and is to start at %s on node %s: %s", text(was), text(start), node, why)})
		}
		l.Pods = append(l.Pods, a)
	}
	return l, changed || j.opens
}

// nodesFor returns the node of each pod of a job. Pods keep the nodes that they carry if the place is on the same nodes.
func (d *decider) nodesFor(j *job) []string {
	var free []string
	for _, s := range j.place.Nodes {
		for range s.Tasks {
			free = append(free, d.cluster.Names[s.Node])
		}
	}
	var carried []string
	for _, p := range j.pods {
		if p != j.head {
			carried = append(carried, p.Annotations[nodeKey])
		}
	}
	slices.Sort(free)
	keep := slices.Equal(slices.Sorted(slices.Values(carried)), free)
	list := make([]string, len(j.pods))
	for i, p := range j.pods {
		switch {
		case p == j.head:
			list[i] = d.cluster.Names[j.place.Head]
		case keep:
			list[i] = p.Annotations[nodeKey]
		default:
			list[i], free = free[0], free[1:]
		}
	}
	return list
}

// deadline returns the activeDeadlineSeconds by which a pod is gone when its time is over; 0 if nobody said how long it runs, or
// the pod has a deadline as early. The time to start and the time to terminate are part of its time.
func (d *decider) deadline(j *job, p *corev1.Pod) int64 {
	if !d.Settings.Enforce || !j.said && j.in == "" {
		return 0
	}
	n := max(1, int64(j.length-cluster.Ending(p)-cluster.Seconds(d.Settings.Startup.Duration)))
	if p.Spec.ActiveDeadlineSeconds != nil && *p.Spec.ActiveDeadlineSeconds <= n {
		return 0
	}
	return n
}

// lost says why a place has no room any more.
func (d *decider) lost(at plan.Place) string {
	all := slices.Clone(at.Nodes)
	for _, s := range all {
		if s.Node >= len(d.cluster.Names) {
			return "its node is gone"
		}
		if why := d.cluster.Why(d.cluster.Names[s.Node]); why != "" {
			return fmt.Sprintf("node %s %s", d.cluster.Names[s.Node], why)
		}
	}
	return "others have its nodes"
}

// text writes a time.
func text(t bookahead.Time) string {
	if t == bookahead.MaxTime {
		return "further notice"
	}
	return cluster.Wall(t).Format(time.RFC3339)
}
