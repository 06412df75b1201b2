package virtual

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Tick is what the scheduler and the kubelets do in a second: pods that are done end, and pods without a gate are bound to the first
// node that takes them, if there is one. It returns what has happened, in order.
func (c *Cluster) Tick(ctx context.Context) (news []string, err error) {
	nodes, err := c.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	list, err := c.Kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		p := &list.Items[i]
		how := c.end(p, nodes.Items)
		if how == "" {
			continue
		}
		_, err = c.Kube.CoreV1().Pods(p.Namespace).UpdateStatus(ctx, p, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) {
			continue // somebody else has written: the next tick comes
		}
		if err != nil {
			return news, err
		}
		news = append(news, fmt.Sprintf("%s %s", p.Name, how))
	}
	for i := range list.Items {
		p := &list.Items[i]
		if len(p.Spec.SchedulingGates) > 0 || p.Spec.NodeName != "" || p.Status.Phase != corev1.PodPending {
			continue
		}
		k := slices.IndexFunc(nodes.Items, func(n corev1.Node) bool { return takes(&n, p, list.Items) })
		if k < 0 {
			continue
		}
		at := metav1.NewTime(c.now())
		p.Spec.NodeName, p.Status.Phase, p.Status.StartTime = nodes.Items[k].Name, corev1.PodRunning, &at
		_, err = c.Kube.CoreV1().Pods(p.Namespace).Update(ctx, p, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) {
			p.Spec.NodeName = "" // it holds nothing for those that come
			continue
		}
		if err != nil {
			return news, err
		}
		news = append(news, fmt.Sprintf("%s runs on %s", p.Name, p.Spec.NodeName))
	}
	return news, nil
}

// end ends a pod that runs, if it is done, is at its deadline, or has lost its node; "" if it runs on.
func (c *Cluster) end(p *corev1.Pod, nodes []corev1.Node) (how string) {
	if p.Status.Phase != corev1.PodRunning {
		return ""
	}
	ran := c.now().Sub(p.Status.StartTime.Time)
	runs, err := time.ParseDuration(p.Annotations[Runs])
	alive := slices.ContainsFunc(nodes, func(n corev1.Node) bool { return n.Name == p.Spec.NodeName && ready(&n) })
	switch {
	case !alive:
		p.Status.Phase = corev1.PodFailed
		return "is lost with its node"
	case err == nil && ran >= runs:
		p.Status.Phase = corev1.PodSucceeded
		return "is done"
	case p.Spec.ActiveDeadlineSeconds != nil && ran >= time.Duration(*p.Spec.ActiveDeadlineSeconds)*time.Second:
		p.Status.Phase = corev1.PodFailed
		return "has reached its deadline"
	}
	return ""
}

func ready(n *corev1.Node) bool { return n.Status.Conditions[0].Status == corev1.ConditionTrue }

// takes reports whether a node takes a pod beside those that it has.
func takes(n *corev1.Node, p *corev1.Pod, all []corev1.Pod) bool {
	match, err := nodeaffinity.GetRequiredNodeAffinity(p).Match(n)
	if err != nil || !match || n.Spec.Unschedulable || !ready(n) || len(n.Spec.Taints) > 0 && len(p.Spec.Tolerations) == 0 {
		return false
	}
	for name, q := range p.Spec.Containers[0].Resources.Requests {
		has := n.Status.Allocatable[name]
		for i := range all {
			x := &all[i]
			if x.Spec.NodeName == n.Name && x.Status.Phase == corev1.PodRunning {
				has.Sub(x.Spec.Containers[0].Resources.Requests[name])
			}
		}
		if has.Cmp(q) < 0 {
			return false
		}
	}
	return true
}
