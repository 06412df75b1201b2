package cluster

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/bookahead/bookahead/nodes"
)

// resources are the names of the entries of a vector. The first three are always cpu, in thousandths, memory, in bytes, and
// pods. Others follow by name, as far as a vector has room.
type resources []corev1.ResourceName

// Pods is the index of pods in a vector.
const Pods = 2

var always = resources{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}

// resourcesOf returns the resources that somebody asks for who is planned. Nobody's plan depends on the others.
func resourcesOf(s *Snapshot) resources {
	more := map[corev1.ResourceName]bool{}
	add := func(list corev1.ResourceList) {
		for name, q := range list {
			if !slices.Contains(always, name) && q.Sign() > 0 {
				more[name] = true
			}
		}
	}
	for _, p := range s.Pods {
		if Gated(p) {
			add(requests(p))
		}
	}
	for _, r := range s.Reservations {
		add(r.Spec.Tasks.Resources)
	}
	names := slices.Sorted(maps.Keys(more))
	return append(slices.Clip(always), names[:min(len(names), nodes.MaxResources-len(always))]...)
}

// requests returns what a pod takes of its node, with its containers that run side by side and its overhead.
func requests(p *corev1.Pod) corev1.ResourceList {
	return resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{UseStatusResources: true})
}

// vector returns a list as amounts. Those that a node has are rounded down, and those that a pod takes are rounded up.
func (r resources) vector(list corev1.ResourceList, up bool) nodes.Vector {
	v := make(nodes.Vector, len(r))
	for i, name := range r {
		q := list[name]
		v[i] = amount(q, name, up)
	}
	return v
}

func amount(q resource.Quantity, name corev1.ResourceName, up bool) int64 {
	scale := resource.Scale(0)
	if name == corev1.ResourceCPU {
		scale = resource.Milli
	}
	n := q.ScaledValue(scale) // rounds up
	if !up && resource.NewScaledQuantity(n, scale).Cmp(q) > 0 {
		n--
	}
	return min(max(0, n), nodes.MaxAmount)
}

// task returns what a task of a list of amounts takes, which is also a pod unless the list says otherwise. The error names a
// resource for which the plan has no room.
func (r resources) task(list corev1.ResourceList) (nodes.Vector, error) {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		q := list[name]
		if q.Sign() > 0 && !slices.Contains(r, name) {
			return nil, fmt.Errorf("resources[%s] %v is one resource too many: a plan has %d", name, &q, nodes.MaxResources)
		}
	}
	v := r.vector(list, true)
	if _, ok := list[corev1.ResourcePods]; !ok {
		v[Pods] = 1
	}
	return v, nil
}

// Check returns an error if a pod asks for a resource for which the plan has no room.
func (c *Cluster) Check(p *corev1.Pod) error {
	_, err := c.resources.task(requests(p))
	return err
}
