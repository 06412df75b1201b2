package virtual

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/controller"
)

// Runs is an annotation that says for how long a pod really runs, which only the kubelets know.
const Runs = "virtual/runs"

// Rack is the topology key of the racks of nodes.
const Rack = "topology.kubernetes.io/rack"

// AddNode adds a node that is ready.
func (c *Cluster) AddNode(ctx context.Context, name, rack string, cpus, gpus int64) error {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{Rack: rack}}}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI), corev1.ResourceMemory: resource.MustParse("256Gi"),
		corev1.ResourcePods: resource.MustParse("110"), gpu: *resource.NewQuantity(gpus, resource.DecimalSI),
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(c.now())}}
	_, err := c.Kube.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{})
	return err
}

const gpu corev1.ResourceName = "nvidia.com/gpu"

// Job is pods that are alike.
type Job struct {
	Name        string
	Pods        int
	CPUs, GPUs  int64
	Says, Runs  time.Duration // how long it says it runs, and does run; a Says of 0 says nothing
	Reservation string
	Within      string
	Foreign     bool          // has no gate
	Age         time.Duration // since it was created
}

// Submit creates the pods of a job. Several pods are a group.
func (c *Cluster) Submit(ctx context.Context, j Job) error {
	zero := int64(0)
	for i := range j.Pods {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: j.Name, CreationTimestamp: metav1.NewTime(c.now().Add(-j.Age)), Annotations: map[string]string{Runs: j.Runs.String()}}}
		if j.Pods > 1 {
			p.Name = fmt.Sprintf("%s-%02d", j.Name, i)
			p.Annotations[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize] = j.Name, strconv.Itoa(j.Pods)
		}
		for key, value := range map[string]string{v1alpha1.InReservation: j.Reservation, v1alpha1.Within: j.Within} {
			if value != "" {
				p.Annotations[key] = value
			}
		}
		if j.Says > 0 {
			p.Annotations[v1alpha1.Duration] = j.Says.String()
		}
		if !j.Foreign {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: v1alpha1.Gate}}
		}
		p.Spec.TerminationGracePeriodSeconds = &zero
		p.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewQuantity(j.CPUs, resource.DecimalSI), gpu: *resource.NewQuantity(j.GPUs, resource.DecimalSI),
		}}}}
		p.Status.Phase = corev1.PodPending
		_, err := c.Kube.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

// Reserve creates a reservation of tasks with CPUs and GPUs.
func (c *Cluster) Reserve(ctx context.Context, name string, tasks, cpus, gpus int64, start time.Time, length time.Duration, within string) error {
	at := metav1.NewTime(start)
	r := &v1alpha1.Reservation{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Generation: 1, CreationTimestamp: metav1.NewTime(c.now())}}
	r.Spec.Tasks = v1alpha1.Tasks{Count: tasks, Within: within, Resources: corev1.ResourceList{
		corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI), gpu: *resource.NewQuantity(gpus, resource.DecimalSI),
	}}
	r.Spec.When = v1alpha1.When{Start: &at, Duration: metav1.Duration{Duration: length}}
	u, err := controller.ToUnstructured(r)
	if err == nil {
		_, err = c.Reservations.Resource(v1alpha1.Resource).Namespace(r.Namespace).Create(ctx, u, metav1.CreateOptions{})
	}
	return err
}

// Change changes a node, such as to cordon it.
func (c *Cluster) Change(ctx context.Context, node string, change func(n *corev1.Node)) error {
	n, err := c.Kube.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return err
	}
	change(n)
	_, err = c.Kube.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{})
	return err
}

// NotReady returns a change by which the kubelet of a node falls silent.
func (c *Cluster) NotReady(n *corev1.Node) {
	n.Status.Conditions[0].Status, n.Status.Conditions[0].LastTransitionTime = corev1.ConditionUnknown, metav1.NewTime(c.now())
}
