package decide

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead/kube/internal/cluster"
)

// jobs returns the pods with a gate as jobs, by ID. The pods of a group are one job. If some pods of a group are open already,
// because a leader stopped in the middle, each of the others is a job that goes first. They carry the start of the group, which was
// written before the first gate was opened. Pods of the same name that do not carry it are a job of their own, and wait their turn:
//
//	open      a, b      7:00
//	gated     c         7:00      the rest: it goes first
//	gated     d, e, f   none      another job
func (d *decider) jobs() []*job {
	groups := map[string][]*corev1.Pod{}
	for _, p := range d.Pods {
		groups[d.groupOf(p)] = append(groups[d.groupOf(p)], p)
	}
	var list []*job
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		all := groups[id]
		slices.SortFunc(all, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
		gated := slices.DeleteFunc(slices.Clone(all), func(p *corev1.Pod) bool { return !cluster.Gated(p) })
		open := slices.DeleteFunc(slices.Clone(all), func(p *corev1.Pod) bool { return !cluster.Opened(p) || cluster.Over(p) })
		fresh := slices.DeleteFunc(slices.Clone(gated), func(p *corev1.Pod) bool { return isRest(p, open) })
		for _, p := range gated {
			if !isRest(p, open) {
				continue
			}
			j := d.newJob("pod "+p.Namespace+"/"+p.Name, []*corev1.Pod{p})
			j.rest, j.priority = true, math.MaxInt64
			j.shorten(d.Now)
			d.besideOpen(j, slices.DeleteFunc(slices.Clone(open), func(x *corev1.Pod) bool { return !isRest(p, []*corev1.Pod{x}) }))
			list = append(list, j)
		}
		if len(fresh) == 0 {
			continue
		}
		j := d.newJob(id, fresh)
		switch alive := append(slices.Clone(open), gated...); {
		case len(open) == 0:
			j.lacks(d, all)
		case d.fillsUp(alive):
			j.lacks(d, alive)
			d.besideOpen(j, open)
		default:
			j.lacks(d, fresh)
		}
		j.shorten(d.Now)
		list = append(list, j)
	}
	return list
}

// isRest reports whether a pod with a gate carries the start of pods of its group that are open.
func isRest(p *corev1.Pod, open []*corev1.Pod) bool {
	at, ok := cluster.StartOf(p)
	return ok && slices.ContainsFunc(open, func(x *corev1.Pod) bool {
		start, ok := cluster.StartOf(x)
		return ok && start == at
	})
}

// fillsUp reports whether pods are no more than their group has. Then those that wait take the place of some that have failed, and need
// not be a group by themselves.
func (d *decider) fillsUp(alive []*corev1.Pod) bool {
	_, text := d.groupNames(alive[0])
	size, err := strconv.Atoi(text)
	return err == nil && len(alive) <= size
}

// besideOpen restricts a job that asks for one domain to the domain of the pods of its group that are open.
func (d *decider) besideOpen(j *job, open []*corev1.Pod) {
	if j.request.Within == "" {
		return
	}
	for _, p := range open {
		node, ok := d.cluster.Index(cluster.NodeOf(p))
		if !ok {
			continue
		}
		if domain := d.cluster.Domain(j.request.Within, node); domain != nil {
			j.request.Nodes = common(j.request.Nodes, domain)
			return
		}
	}
}
