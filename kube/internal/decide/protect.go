package decide

import (
	"fmt"
	"hash/fnv"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

// protect decides the taints and the placeholder pods that keep pods without a gate off reserved nodes. What another policy has left
// is taken away.
func (d *decider) protect() {
	lead := bookahead.Time(cluster.Seconds(d.Settings.Protection.Lead.Duration))
	tainted := map[string]bool{}
	wanted := map[string]*corev1.Pod{}
	for _, f := range d.firm {
		for _, p := range f.places {
			d.due(p.start - lead)
			if p.start-lead > d.Now {
				continue
			}
			for _, s := range p.shares() {
				name := d.cluster.Names[s.Node]
				tainted[name] = d.Settings.Protection.Policy == settings.Taint
				for i := range d.unused(f, name, s.Tasks) {
					x := d.placeholder(f, name, i)
					wanted[x.Name] = x
				}
			}
		}
	}
	for _, n := range d.Nodes {
		has := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1alpha1.TaintReserved })
		if has != tainted[n.Name] && n.DeletionTimestamp == nil {
			d.out.Taints = append(d.out.Taints, Taint{Node: n, Want: !has})
		}
	}
	slices.SortFunc(d.out.Taints, func(a, b Taint) int { return compareNames(a.Node, b.Node) })
	for _, p := range d.Pods {
		if !d.isPlaceholder(p) {
			continue
		}
		if wanted[p.Name] == nil && p.DeletionTimestamp == nil {
			d.out.Delete = append(d.out.Delete, p)
		}
		delete(wanted, p.Name)
	}
	for _, p := range wanted {
		d.out.Create = append(d.out.Create, p)
	}
	byName := func(a, b *corev1.Pod) int { return compareNames(a, b) }
	slices.SortFunc(d.out.Create, byName)
	slices.SortFunc(d.out.Delete, byName)
}

func compareNames(a, b metav1.Object) int {
	switch {
	case a.GetName() < b.GetName():
		return -1
	case a.GetName() > b.GetName():
		return 1
	}
	return 0
}

// unused returns how many placeholders a reservation wants on a node: one for each task in whose place no pod runs.
func (d *decider) unused(f *firm, node string, tasks int64) int64 {
	if d.Settings.Protection.Policy != settings.Placeholder {
		return 0
	}
	for _, p := range d.Pods {
		if !cluster.Over(p) && !cluster.Gated(p) && cluster.NodeOf(p) == node && d.inside(p) == f {
			tasks--
		}
	}
	return max(0, tasks-d.opening[f.key+" "+node])
}

// openInside counts the pods of a launch that start in a reservation.
func (d *decider) openInside(j *job, l Launch) {
	for _, a := range l.Pods {
		if j.in != "" && l.Open {
			d.opening[j.in+" "+a.Node]++
		}
	}
}

// isPlaceholder reports whether the controller has made a pod. Only in the namespace of placeholders is a label its word: elsewhere
// any user may write it.
func (d *decider) isPlaceholder(p *corev1.Pod) bool {
	return p.Labels[v1alpha1.LabelPlaceholder] != "" && p.Namespace == d.Settings.Protection.Namespace
}

// placeholder returns a pod that holds the place of a task. Its name says which, so that it is never made twice.
func (d *decider) placeholder(f *firm, node string, i int64) *corev1.Pod {
	h := fnv.New64a()
	fmt.Fprint(h, f.UID, "/", f.key, "/", node)
	now := int64(0)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: d.Settings.Protection.Namespace, Name: fmt.Sprintf("placeholder-%x-%d", h.Sum64(), i),
			Labels:      map[string]string{v1alpha1.LabelPlaceholder: "true"},
			Annotations: map[string]string{v1alpha1.LabelPlaceholder: f.key},
		},
		Spec: corev1.PodSpec{
			PriorityClassName: d.Settings.Protection.PriorityClass, TerminationGracePeriodSeconds: &now, Tolerations: f.spec.Tasks.Tolerations,
			Affinity: &corev1.Affinity{NodeAffinity: OnNode(nil, node)},
			Containers: []corev1.Container{{
				Name: "placeholder", Image: d.Settings.Protection.Image,
				Resources: corev1.ResourceRequirements{Requests: withoutPods(f.spec.Tasks.Resources), Limits: extended(f.spec.Tasks.Resources)},
			}},
		},
	}
}

// withoutPods returns the amounts that a container can ask for.
func withoutPods(list corev1.ResourceList) corev1.ResourceList {
	list = list.DeepCopy()
	delete(list, corev1.ResourcePods)
	return list
}

// extended returns the amounts that a container must also have as limits.
func extended(list corev1.ResourceList) corev1.ResourceList {
	list = withoutPods(list)
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		delete(list, name)
	}
	return list
}

// OnNode returns a node affinity that also requires a node. The API server lets a pod with a gate gain requirements in each of its
// terms, and lose none. A term without requirements matches no node, and must stay so.
func OnNode(a *corev1.NodeAffinity, node string) *corev1.NodeAffinity {
	on := corev1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
	if a = a.DeepCopy(); a == nil {
		a = &corev1.NodeAffinity{}
	}
	if a.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		only := corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{on}}
		a.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{only}}
		return a
	}
	terms := a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for i := range terms {
		if len(terms[i].MatchFields)+len(terms[i].MatchExpressions) > 0 {
			terms[i].MatchFields = append(terms[i].MatchFields, on)
		}
	}
	return a
}
