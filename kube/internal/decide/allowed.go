package decide

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// allows reports whether the terms of a request allow tasks on nodes. Labels and taints change after a place was recorded, and a pod
// that is opened for a node which it may not use never runs.
func (d *decider) allows(r *nodes.Request, tasks map[int]int64) bool {
	most := 0
	for k, n := range tasks {
		if r.Nodes != nil && !slices.Contains(r.Nodes, k) || r.PerNode > 0 && n > r.PerNode {
			return false
		}
		most = max(most, k)
	}
	if r.Within == "" || len(tasks) == 0 {
		return true
	}
	domain := d.cluster.Domain(r.Within, most)
	for k := range tasks {
		if !slices.Contains(domain, k) {
			return false
		}
	}
	return true
}

// domainOf returns the nodes of the domain in which most of some tasks are, if all must be within one; nil for any. Of two with as
// many, that of the first node counts.
func (d *decider) domainOf(r *nodes.Request, tasks map[int]int64) (most []int) {
	if r.Within == "" {
		return nil
	}
	has := int64(0)
	for _, s := range sharesOf(tasks) {
		sum, domain := int64(0), d.cluster.Domain(r.Within, s.Node)
		for _, k := range domain {
			sum += tasks[k]
		}
		if sum > has {
			most, has = domain, sum
		}
	}
	return most
}

// forbidden says why the terms of a job rule out a place that it was promised; "" if they allow it.
func (d *decider) forbidden(j *job, at *plan.Place) string {
	tasks := map[int]int64{}
	for _, s := range at.Nodes {
		tasks[s.Node] = s.Tasks
	}
	if at.Head >= 0 {
		tasks[at.Head]++
	}
	for _, s := range sharesOf(tasks) {
		if s.Node >= len(d.cluster.Names) || d.cluster.Why(d.cluster.Names[s.Node]) != "" {
			return ""
		}
		if j.request.Nodes != nil && !slices.Contains(j.request.Nodes, s.Node) {
			return fmt.Sprintf("node %s does not allow it any more", d.cluster.Names[s.Node])
		}
	}
	if !d.allows(&nodes.Request{Within: j.request.Within}, tasks) {
		return fmt.Sprintf("its nodes are not in one %s any more", j.request.Within)
	}
	return ""
}
