package real_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

const (
	gpu = corev1.ResourceName("nvidia.com/gpu")
	// rack is the topology key of racks.
	rack = "topology.kubernetes.io/rack"
	// runs is an annotation that says for how long a pod really runs, which only the kubelets know.
	runs = "real/runs"
)

// addNodes adds nodes of 16 CPUs and 8 GPUs that are ready, in racks.
func (p *plane) addNodes(t *testing.T, racks, each int) {
	for i := range racks * each {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%04d", i), Labels: map[string]string{rack: fmt.Sprintf("rack-%03d", i/each)}}}
		n.Status.Allocatable = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("16"), corev1.ResourceMemory: resource.MustParse("256Gi"),
			corev1.ResourcePods: resource.MustParse("110"), gpu: resource.MustParse("8"),
		}
		n.Status.Capacity = n.Status.Allocatable
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
		_, err := p.CoreV1().Nodes().Create(t.Context(), n, metav1.CreateOptions{})
		require.NoError(t, err)
	}
}

// job is pods that are alike.
type job struct {
	name        string
	pods        int
	gpus        int64
	says, runs  time.Duration // how long it says it runs, and does
	reservation string
	within      string
	stock       bool // goes to the stock scheduler alone
}

// submit creates the pods of a job. Several are a group. The policy gives them their gates.
func (p *plane) submit(t *testing.T, j job) {
	zero := int64(0)
	for i := range j.pods {
		o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: fmt.Sprintf("%s-%02d", j.name, i), Labels: map[string]string{},
			Annotations: map[string]string{runs: j.runs.String(), v1alpha1.Duration: j.says.String()},
		}}
		if !j.stock {
			o.Labels[v1alpha1.LabelPlan] = "true"
		}
		if j.pods > 1 && j.reservation == "" {
			o.Annotations[v1alpha1.PodGroup], o.Annotations[v1alpha1.PodGroupSize] = j.name, strconv.Itoa(j.pods)
		}
		for key, value := range map[string]string{v1alpha1.InReservation: j.reservation, v1alpha1.Within: j.within} {
			if value != "" {
				o.Annotations[key] = value
			}
		}
		o.Spec.TerminationGracePeriodSeconds = &zero
		o.Spec.Containers = []corev1.Container{{Name: "main", Image: "none", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{gpu: *resource.NewQuantity(j.gpus, resource.DecimalSI), corev1.ResourceCPU: resource.MustParse("1")},
			Limits:   corev1.ResourceList{gpu: *resource.NewQuantity(j.gpus, resource.DecimalSI)},
		}}}
		_, err := p.CoreV1().Pods("default").Create(t.Context(), o, metav1.CreateOptions{})
		require.NoError(t, err)
	}
}

// kubelets run pods that are bound: each for as long as its annotation says.
type kubelets struct {
	p    *plane
	pods cache.SharedIndexInformer

	mu    sync.Mutex
	seen  map[types.UID]bool
	bound map[string]chan struct{} // of a group; closed once all of its pods are bound
	count map[string]int           // pods of a group that are bound
	over  map[types.UID]time.Time  // when pods have ended
}

// kubelets starts the kubelets of all nodes, which stop with ctx.
func (p *plane) kubelets(ctx context.Context, t *testing.T) *kubelets {
	f := informers.NewSharedInformerFactory(p.Clientset, 0)
	k := &kubelets{p: p, pods: f.Core().V1().Pods().Informer(), seen: map[types.UID]bool{}, bound: map[string]chan struct{}{}, count: map[string]int{}, over: map[types.UID]time.Time{}}
	_, err := k.pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { k.look(ctx, o.(*corev1.Pod)) },
		UpdateFunc: func(_, o any) { k.look(ctx, o.(*corev1.Pod)) },
	})
	require.NoError(t, err)
	f.Start(ctx.Done())
	f.WaitForCacheSync(ctx.Done())
	return k
}

// look begins a pod that has been bound.
func (k *kubelets) look(ctx context.Context, o *corev1.Pod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if o.Spec.NodeName == "" || o.Status.Phase != corev1.PodPending || k.seen[o.UID] {
		return
	}
	k.seen[o.UID] = true
	all := make(chan struct{})
	if group := o.Annotations[v1alpha1.PodGroup]; group == "" {
		close(all)
	} else {
		if k.bound[group] == nil {
			k.bound[group] = all
		}
		all = k.bound[group]
		k.count[group]++
		if strconv.Itoa(k.count[group]) == o.Annotations[v1alpha1.PodGroupSize] {
			close(all)
		}
	}
	go k.run(ctx, o, all)
}

// run runs a pod. The pods of a group wait for each other, with all that they hold.
func (k *kubelets) run(ctx context.Context, o *corev1.Pod, all <-chan struct{}) {
	began := metav1.Now()
	k.status(ctx, o, corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &began})
	select {
	case <-ctx.Done():
	case <-all:
	}
	length, _ := time.ParseDuration(o.Annotations[runs])
	select {
	case <-ctx.Done():
	case <-time.After(length):
		k.mu.Lock()
		k.over[o.UID] = time.Now()
		k.mu.Unlock()
		k.status(ctx, o, corev1.PodStatus{Phase: corev1.PodSucceeded})
	}
}

// status writes a status until the server takes it.
func (k *kubelets) status(ctx context.Context, o *corev1.Pod, s corev1.PodStatus) {
	patch, _ := json.Marshal(map[string]any{"status": s})
	for ctx.Err() == nil {
		_, err := k.p.CoreV1().Pods(o.Namespace).Patch(ctx, o.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		if err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// use returns what pods hold now, and what of it works.
func (k *kubelets) use() (u use) {
	for _, o := range k.list() {
		if o.Spec.NodeName == "" || over(o) {
			continue
		}
		u.holds += gpus(o)
		k.mu.Lock()
		group := o.Annotations[v1alpha1.PodGroup]
		if group == "" || strconv.Itoa(k.count[group]) == o.Annotations[v1alpha1.PodGroupSize] {
			u.works += gpus(o)
		}
		k.mu.Unlock()
	}
	return u
}

// ended returns when a pod has ended.
func (k *kubelets) ended(o *corev1.Pod) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.over[o.UID]
}

// list returns all pods as the kubelets see them.
func (k *kubelets) list() (list []*corev1.Pod) {
	for _, o := range k.pods.GetStore().List() {
		list = append(list, o.(*corev1.Pod))
	}
	return list
}

// over reports whether a pod has ended.
func over(o *corev1.Pod) bool {
	return o.Status.Phase == corev1.PodSucceeded || o.Status.Phase == corev1.PodFailed
}

// gpus returns what a pod asks for.
func gpus(o *corev1.Pod) int64 {
	q := o.Spec.Containers[0].Resources.Requests[gpu]
	return q.Value()
}
