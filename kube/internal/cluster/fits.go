package cluster

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/nodes"
)

// Allowed returns the nodes that a pod may use by its node selector, required node affinity and tolerations; nil for all. The
// taint of a reservation counts for nobody here: the plan knows the reservation.
func (c *Cluster) Allowed(p *corev1.Pod) []int {
	var affinity *corev1.NodeAffinity
	if p.Spec.Affinity != nil {
		affinity = p.Spec.Affinity.NodeAffinity
	}
	key, err := json.Marshal([]any{p.Spec.NodeSelector, affinity, p.Spec.Tolerations})
	if err != nil {
		key = []byte(p.Namespace + "/" + p.Name) // it is asked for alone
	}
	list, ok := c.allowed[string(key)]
	if ok {
		return list
	}
	list = []int{}
	required := nodeaffinity.GetRequiredNodeAffinity(p)
	for k, node := range c.nodes {
		match, err := required.Match(node)
		if err == nil && match && tolerates(p.Spec.Tolerations, node.Spec.Taints) {
			list = append(list, k)
		}
	}
	if len(list) == len(c.nodes) {
		list = nil
	}
	c.allowed[string(key)] = list
	return list
}

// tolerates reports whether a pod may stay on a node in spite of its taints. Taints that say what a closure says already do not
// count, so that a node which comes back is planned with.
func tolerates(tolerations []corev1.Toleration, taints []corev1.Taint) bool {
	_, found := schedulinghelper.FindMatchingUntoleratedTaint(klog.Background(), taints, tolerations, func(t *corev1.Taint) bool {
		switch t.Key {
		case v1alpha1.TaintReserved, corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeUnschedulable:
			return false
		}
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}, false)
	return !found
}

// Tasks returns the request for the tasks of a reservation, without its times. The error names a resource for which the plan has no
// room; then the request has the others.
func (c *Cluster) Tasks(t *v1alpha1.Tasks) (nodes.Request, error) {
	each, err := c.resources.task(t.Resources)
	if err != nil {
		err = fmt.Errorf("spec.tasks.%w", err)
	}
	like := &corev1.Pod{Spec: corev1.PodSpec{NodeSelector: t.NodeSelector, Tolerations: t.Tolerations}}
	return nodes.Request{
		Tasks: t.Count, Each: each, PerNode: t.PerNode, Nodes: c.Allowed(like), Within: t.Within, Together: t.Together,
	}, err
}
