package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/decide"
)

// object is a part of a patch.
type object = map[string]any

// patchPod writes to a pod of some resourceVersion, and to no other.
func (c *Controller) patchPod(ctx context.Context, what string, p *corev1.Pod, patch object) (*corev1.Pod, error) {
	patch["metadata"].(object)["resourceVersion"] = p.ResourceVersion
	data, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	got, err := c.Kube.CoreV1().Pods(p.Namespace).Patch(ctx, p.Name, types.MergePatchType, data, metav1.PatchOptions{})
	err = c.metrics.wrote(what, err)
	if err != nil {
		return nil, told(what+" of pod "+p.Namespace+"/"+p.Name, err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.pods.wrote(p.ResourceVersion, got)
	return got, nil
}

// promise writes the place of a pod.
func (c *Controller) promise(ctx context.Context, a decide.Assignment) (*corev1.Pod, error) {
	return c.patchPod(ctx, "promise", a.Pod, object{"metadata": object{"annotations": annotations(a)}})
}

func annotations(a decide.Assignment) object {
	return object{v1alpha1.Start: cluster.Wall(a.Start).Format("2006-01-02T15:04:05Z07:00"), v1alpha1.Node: a.Node}
}

// open lets a pod go to its node: all in one patch, so that no scheduler ever sees the pod without its node.
func (c *Controller) open(ctx context.Context, a decide.Assignment) error {
	p := a.Pod
	affinity := &corev1.Affinity{}
	if p.Spec.Affinity != nil {
		affinity = p.Spec.Affinity.DeepCopy()
	}
	affinity.NodeAffinity = decide.OnNode(affinity.NodeAffinity, a.Node)
	others := slices.DeleteFunc(slices.Clone(p.Spec.SchedulingGates), func(g corev1.PodSchedulingGate) bool { return g.Name == v1alpha1.Gate })
	spec := object{"schedulingGates": others, "affinity": affinity}
	if a.Deadline > 0 {
		spec["activeDeadlineSeconds"] = a.Deadline
	}
	if a.Tolerate {
		spec["tolerations"] = append(slices.Clone(p.Spec.Tolerations), corev1.Toleration{
			Key: v1alpha1.TaintReserved, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
		})
	}
	got, err := c.patchPod(ctx, "gate", p, object{"metadata": object{"annotations": annotations(a)}, "spec": spec})
	if err != nil {
		return err
	}
	c.metrics.late.Observe(max(0, c.now().Sub(cluster.Wall(a.Start)).Seconds()))
	c.later(pod(got), a.Events)
	return nil
}

// note writes the condition of a pod. It has no resourceVersion: the last word is right, and nobody decides by it.
func (c *Controller) note(ctx context.Context, n decide.Note) error {
	data, err := json.Marshal(object{"status": object{"conditions": []corev1.PodCondition{n.Condition}}})
	if err != nil {
		return err
	}
	got, err := c.Kube.CoreV1().Pods(n.Pod.Namespace).Patch(ctx, n.Pod.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{}, "status")
	err = c.metrics.wrote("condition", err)
	if err != nil {
		return told("condition of pod "+n.Pod.Namespace+"/"+n.Pod.Name, err)
	}
	c.pods.wrote(n.Pod.ResourceVersion, got)
	c.later(pod(got), n.Events)
	return nil
}

// status writes the status of a reservation.
func (c *Controller) status(ctx context.Context, s decide.Status) error {
	r := s.Reservation.DeepCopy()
	r.Status = s.Status
	u, err := ToUnstructured(r)
	if err != nil {
		return err
	}
	got, err := c.reservations(r.Namespace).UpdateStatus(ctx, u, metav1.UpdateOptions{})
	err = c.metrics.wrote("status", err)
	if err != nil {
		return told("status of reservation "+r.Namespace+"/"+r.Name, err)
	}
	now, err := fromUnstructured(got)
	if err != nil {
		return err
	}
	c.booked.wrote(r.ResourceVersion, now)
	c.later(corev1.ObjectReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind.Kind, Namespace: r.Namespace, Name: r.Name, UID: r.UID}, s.Events)
	return nil
}

// taint sets or removes the taint of a node.
func (c *Controller) taint(ctx context.Context, t decide.Taint) error {
	list := slices.DeleteFunc(slices.Clone(t.Node.Spec.Taints), func(x corev1.Taint) bool { return x.Key == v1alpha1.TaintReserved })
	if t.Want {
		list = append(list, corev1.Taint{Key: v1alpha1.TaintReserved, Effect: corev1.TaintEffectNoSchedule})
	}
	data, err := json.Marshal(object{"metadata": object{"resourceVersion": t.Node.ResourceVersion}, "spec": object{"taints": list}})
	if err != nil {
		return err
	}
	got, err := c.Kube.CoreV1().Nodes().Patch(ctx, t.Node.Name, types.MergePatchType, data, metav1.PatchOptions{})
	err = c.metrics.wrote("taint", err)
	if err != nil {
		return told("taint of node "+t.Node.Name, err)
	}
	c.nodes.wrote(t.Node.ResourceVersion, got)
	return nil
}

// place creates a placeholder pod. Its name says for what it is, so one that is there already is the right one.
func (c *Controller) place(ctx context.Context, p *corev1.Pod) error {
	_, err := c.Kube.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		err = nil
	}
	return told("placeholder "+p.Name, c.metrics.wrote("placeholder", err))
}

func (c *Controller) remove(ctx context.Context, p *corev1.Pod) error {
	err := c.Kube.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &p.UID}})
	if apierrors.IsNotFound(err) {
		err = nil
	}
	return told("placeholder "+p.Name, c.metrics.wrote("placeholder", err))
}

// untold is events of an object that wait until all gates are open.
type untold struct {
	of     corev1.ObjectReference
	events []decide.Event
	at     metav1.Time
}

// mostUntold is how many objects may have events that are not told yet. The oldest are lost, since nobody decides by them.
const mostUntold = 10_000

// later leaves events for the end of a pass. A controller that stops before tells them never: nobody decides by them.
func (c *Controller) later(of corev1.ObjectReference, list []decide.Event) {
	if len(list) == 0 {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.untold = append(c.untold, untold{of, list, metav1.NewTime(c.now())})
	c.untold = c.untold[max(0, len(c.untold)-mostUntold):]
}

// pod refers to a pod.
func pod(p *corev1.Pod) corev1.ObjectReference {
	return corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.UID}
}

// tell creates events. An event that is lost changes nothing, so its error only counts. The name of an event says all of it, so an
// event is never told twice in a second.
func (c *Controller) tell(ctx context.Context, x untold) {
	of, at := x.of, x.at
	for _, e := range x.events {
		h := fnv.New64a()
		fmt.Fprint(h, of.UID, e.Reason, e.Message, at.Unix())
		x := &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: fmt.Sprintf("%.200s.%x", of.Name, h.Sum64())}, InvolvedObject: of,
			Reason: e.Reason, Message: e.Message, Type: corev1.EventTypeNormal, FirstTimestamp: at, LastTimestamp: at, Count: 1,
			Source: corev1.EventSource{Component: "bookahead"}, ReportingController: v1alpha1.Group + "/bookahead", ReportingInstance: c.identity,
		}
		if e.Warning {
			x.Type = corev1.EventTypeWarning
		}
		_, err := c.Kube.CoreV1().Events(of.Namespace).Create(ctx, x, metav1.CreateOptions{})
		_ = c.metrics.wrote("event", err)
	}
}

// tick returns the second that runs now.
func (c *Controller) tick() bookahead.Time { return cluster.Ticks(c.now()) }
