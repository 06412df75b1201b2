package real_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// watch looks at all pods all the time.
type watch struct {
	p *plane
	k *kubelets

	mu     sync.Mutex
	gated  map[string]bool          // pods that had a gate
	starts map[string]time.Time     // promised to pods that have a gate; the first one that has come
	opened map[string]time.Time     // when gates were seen to be gone
	late   map[string]time.Duration // after the promise
	looks  map[string]int           // at reservations, while they last
	wrong  []string
}

// run starts a control plane with nodes and their kubelets, and looks at them until the test ends.
func run(t *testing.T, racks, each int) (*plane, *kubelets, *watch) {
	p := start(t)
	p.install(t)
	p.addNodes(t, racks, each)
	k := p.kubelets(t.Context(), t)
	return p, k, p.watch(t.Context(), t, k)
}

// watch begins to look, until ctx is done.
func (p *plane) watch(ctx context.Context, t *testing.T, k *kubelets) *watch {
	w := &watch{p: p, k: k, gated: map[string]bool{}, starts: map[string]time.Time{}, opened: map[string]time.Time{}, late: map[string]time.Duration{}, looks: map[string]int{}}
	_, err := k.pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { w.see(o.(*corev1.Pod)) },
		UpdateFunc: func(_, o any) { w.see(o.(*corev1.Pod)) },
	})
	require.NoError(t, err)
	go func() {
		for ctx.Err() == nil {
			w.look(ctx)
			time.Sleep(100 * time.Millisecond)
		}
	}()
	return w
}

// firstGate waits until the gate of a pod of a group is open, and reports whether another gate of the group is still seen shut.
func (w *watch) firstGate(group string, most time.Duration) bool {
	for end := time.Now().Add(most); time.Now().Before(end); time.Sleep(time.Millisecond) {
		w.mu.Lock()
		open, all := 0, 0
		for name := range w.gated {
			if strings.HasPrefix(name, group) {
				all++
				if !w.opened[name].IsZero() {
					open++
				}
			}
		}
		w.mu.Unlock()
		if open > 0 {
			return open < all
		}
	}
	return false
}

// see notes when a gate is opened, and how late that is.
func (w *watch) see(o *corev1.Pod) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	at, err := time.Parse(time.RFC3339, o.Annotations[v1alpha1.Start])
	gated := len(o.Spec.SchedulingGates) > 0
	switch {
	case gated:
		w.gated[o.Name] = true
		if due := w.starts[o.Name]; !due.IsZero() && !due.After(now) {
			break // the pod is late already, so a new promise does not count
		}
		delete(w.starts, o.Name)
		if err == nil {
			w.starts[o.Name] = at
		}
	case w.opened[o.Name].IsZero() && o.Labels[v1alpha1.LabelPlan] != "":
		w.opened[o.Name] = now
		if promised := w.starts[o.Name]; !promised.IsZero() {
			w.late[o.Name] = max(0, now.Sub(promised))
		}
	}
}

// look compares what runs with what is reserved, on each node.
func (w *watch) look(ctx context.Context) {
	list, err := w.p.dynamic.Resource(v1alpha1.Resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	now := time.Now()
	sent, others := map[string]int64{}, map[string]map[string]int64{} // by reservation, without its own
	pods := w.k.list()
	for _, o := range pods {
		if node := o.Annotations[v1alpha1.Node]; node != "" && len(o.Spec.SchedulingGates) == 0 && !over(o) {
			sent[node] += gpus(o)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for node, n := range sent {
		if n > 8 {
			w.wrong = append(w.wrong, fmt.Sprintf("%s: pods sent to %s have %d GPUs of 8", now.Format(time.TimeOnly), node, n))
		}
	}
	for _, u := range list.Items {
		var r v1alpha1.Reservation
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &r)
		if err != nil {
			w.wrong = append(w.wrong, err.Error())
			continue
		}
		others[r.Name] = map[string]int64{}
		for _, o := range pods {
			if o.Spec.NodeName != "" && !over(o) && o.Annotations[v1alpha1.InReservation] != r.Name {
				others[r.Name][o.Spec.NodeName] += gpus(o)
			}
		}
		each := r.Spec.Tasks.Resources[gpu]
		for _, x := range r.Status.Occurrences {
			if now.Before(x.Start.Time) || !now.Before(x.End.Time) {
				continue
			}
			w.looks[r.Name]++
			tasks := int64(0)
			for _, n := range x.Nodes {
				tasks += n.Tasks
			}
			if tasks < r.Spec.Tasks.Count || !x.Start.Equal(r.Spec.When.Start) {
				w.wrong = append(w.wrong, fmt.Sprintf("%s: %s has %d tasks of %d from %v", now.Format(time.TimeOnly), r.Name, tasks, r.Spec.Tasks.Count, x.Start))
			}
			for _, n := range x.Nodes {
				if free := 8 - others[r.Name][n.Name]; free < n.Tasks*each.Value() {
					w.wrong = append(w.wrong, fmt.Sprintf("%s: %s has %d GPUs of %d on %s", now.Format(time.TimeOnly), r.Name, free, n.Tasks*each.Value(), n.Name))
				}
			}
		}
	}
}

// fine fails the test if anything was wrong, if a pod had no gate or went to another node than it was sent to, or if nobody has looked at
// one of some reservations. It returns how late gates were opened, of those that had a promise, ascending.
func (w *watch) fine(t *testing.T, reservations ...string) (late []time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Empty(t, w.wrong)
	for _, name := range reservations {
		require.Greater(t, w.looks[name], 10, name)
	}
	for _, o := range w.k.list() {
		require.True(t, w.gated[o.Name], "%s had no gate", o.Name)
		require.Equal(t, o.Annotations[v1alpha1.Node], o.Spec.NodeName, o.Name)
	}
	for _, d := range w.late {
		late = append(late, d)
	}
	slices.Sort(late)
	require.NotEmpty(t, late)
	return late
}
