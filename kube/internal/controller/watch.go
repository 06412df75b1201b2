package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// Watched is a Source on informers, which list the objects again when a watch is lost.
type Watched struct {
	nodes, pods, reservations cache.SharedIndexInformer
	kube                      informers.SharedInformerFactory
	dynamic                   dynamicinformer.DynamicSharedInformerFactory
	bad                       func(error)
}

// Watch returns a Source whose informers begin with Start. News is called after each change, and bad with a reservation that cannot be
// read; both must return at once.
func Watch(c Clients, news func(), bad func(error)) (*Watched, error) {
	slim := informers.WithTransform(withoutManagedFields)
	w := &Watched{kube: informers.NewSharedInformerFactoryWithOptions(c.Kube, 0, slim), dynamic: dynamicinformer.NewDynamicSharedInformerFactory(c.Dynamic, 0), bad: bad}
	w.nodes, w.pods = w.kube.Core().V1().Nodes().Informer(), w.kube.Core().V1().Pods().Informer()
	w.reservations = w.dynamic.ForResource(v1alpha1.Resource).Informer()
	for _, i := range []cache.SharedIndexInformer{w.nodes, w.pods, w.reservations} {
		_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { news() }, UpdateFunc: func(any, any) { news() }, DeleteFunc: func(any) { news() },
		})
		if err != nil {
			return nil, fmt.Errorf("controller: %w", err)
		}
	}
	return w, nil
}

// withoutManagedFields makes objects smaller: half of a pod is fields that no plan reads.
func withoutManagedFields(x any) (any, error) {
	if o, err := meta.Accessor(x); err == nil { // otherwise it is a tombstone
		o.SetManagedFields(nil)
	}
	return x, nil
}

// Start starts the informers, and waits until they have all objects. They stop with ctx.
func (w *Watched) Start(ctx context.Context) error {
	w.kube.Start(ctx.Done())
	w.dynamic.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), w.nodes.HasSynced, w.pods.HasSynced, w.reservations.HasSynced) {
		return fmt.Errorf("controller: the informers have not listed all objects: %w", context.Cause(ctx))
	}
	return nil
}

// Stop waits for the informers, once ctx of Start is done.
func (w *Watched) Stop() {
	w.kube.Shutdown()
	w.dynamic.Shutdown()
}

// Read returns the objects of the informers.
func (w *Watched) Read(context.Context) (o Objects, err error) {
	for _, x := range w.nodes.GetStore().List() {
		o.Nodes = append(o.Nodes, x.(*corev1.Node))
	}
	for _, x := range w.pods.GetStore().List() {
		o.Pods = append(o.Pods, x.(*corev1.Pod))
	}
	for _, x := range w.reservations.GetStore().List() {
		r, err := fromUnstructured(x.(*unstructured.Unstructured))
		if err != nil {
			w.bad(err) // one bad object must not stop the others
			continue
		}
		o.Reservations = append(o.Reservations, r)
	}
	return o, nil
}
