package cluster

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/nodes"
)

// resources are the names of the entries of a vector. The first three are always cpu, in thousandths, memory, in bytes, and
// pods. Others follow by name: those of reservations with recorded places, and then as many as a vector has room for.
type resources []corev1.ResourceName

// Pods is the index of pods in a vector.
const Pods = 2

var always = resources{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}

// asks is what somebody asks for who is planned. Those of a lower rank choose their resources first, and then the older ones.
type asks struct {
	rank    int
	created metav1.Time
	key     string
	list    corev1.ResourceList
}

// The ranks: nobody who comes later takes the resources from a place that is recorded, or that is promised.
const (
	recorded = iota // a reservation with places
	changed         // a reservation with places for another spec
	booked          // a reservation without places
	promised        // a pod that carries a start
	waiting         // a pod
)

// resourcesOf returns the resources that somebody asks for who is planned. Nobody's plan depends on the others. One who asks for
// more than there is room for is refused, and takes no room from others, unless it has places.
func resourcesOf(s *Snapshot) resources {
	var all []asks
	for _, r := range s.Reservations {
		over := r.Status.Phase == v1alpha1.Finished && r.Status.ObservedGeneration == r.Generation
		if r.DeletionTimestamp != nil || over {
			continue
		}
		a := asks{booked, r.CreationTimestamp, r.Namespace + "/" + r.Name, r.Spec.Tasks.Resources}
		if len(r.Status.Occurrences) > 0 {
			a.rank = changed
			if r.Status.ObservedGeneration == r.Generation && r.Status.Phase != v1alpha1.Refused {
				a.rank = recorded
			}
		}
		all = append(all, a)
	}
	for _, p := range s.Pods {
		if !Gated(p) {
			continue
		}
		a := asks{waiting, p.CreationTimestamp, p.Namespace + "/" + p.Name, requests(p)}
		if _, ok := StartOf(p); ok {
			a.rank = promised
		}
		all = append(all, a)
	}
	all = slices.DeleteFunc(all, func(a asks) bool { return len(always.others(a.list)) == 0 })
	slices.SortFunc(all, func(a, b asks) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), a.created.Compare(b.created.Time), cmp.Compare(a.key, b.key))
	})
	r := slices.Clone(always)
	for _, a := range all {
		more := r.others(a.list)
		room := nodes.MaxResources - len(r)
		if len(more) <= room || a.rank <= changed {
			r = append(r, more[:min(len(more), room)]...)
		}
	}
	slices.Sort(r[len(always):])
	return r
}

// others returns the resources of a list that are not there, by name.
func (r resources) others(list corev1.ResourceList) (more []corev1.ResourceName) {
	for name, q := range list {
		if q.Sign() > 0 && !slices.Contains(r, name) {
			more = append(more, name)
		}
	}
	slices.Sort(more)
	return more
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
// resource for which the plan has no room; then the vector has the others.
func (r resources) task(list corev1.ResourceList) (v nodes.Vector, err error) {
	if more := r.others(list); len(more) > 0 {
		q := list[more[0]]
		err = fmt.Errorf("resources[%s] %v is one resource too many: a plan has %d", more[0], &q, nodes.MaxResources)
	}
	v = r.vector(list, true)
	if _, ok := list[corev1.ResourcePods]; !ok {
		v[Pods] = 1
	}
	return v, err
}

// Check returns an error if a pod asks for a resource for which the plan has no room.
func (c *Cluster) Check(p *corev1.Pod) error {
	_, err := c.resources.task(requests(p))
	return err
}
