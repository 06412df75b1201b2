package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// Objects are all objects of which a plan is made. They must not be changed.
type Objects struct {
	Nodes        []*corev1.Node
	Pods         []*corev1.Pod
	Reservations []*v1alpha1.Reservation
}

// Source reads the objects.
type Source interface {
	Read(ctx context.Context) (Objects, error)
}

// Clients are the ways to the API server: one for its own types, and one for reservations.
type Clients struct {
	Kube    kubernetes.Interface
	Dynamic dynamic.Interface
	// Lease renews the lease, and has a limit of its own: many gates at once must not make the leader lose it. nil is Kube.
	Lease kubernetes.Interface
}

// reservations returns the client for the reservations of a namespace; "" is all.
func (c Clients) reservations(namespace string) dynamic.ResourceInterface {
	return c.Dynamic.Resource(v1alpha1.Resource).Namespace(namespace)
}

// Listed is a Source that asks the API server for all objects each time. A cluster that does not change beside the controller needs
// no informers: a demonstration, or a test.
type Listed struct{ Clients }

// Read lists all objects.
func (l Listed) Read(ctx context.Context) (o Objects, err error) {
	nodes, err := l.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return o, fmt.Errorf("controller: nodes: %w", err)
	}
	pods, err := l.Kube.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return o, fmt.Errorf("controller: pods: %w", err)
	}
	list, err := l.reservations("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return o, fmt.Errorf("controller: reservations: %w", err)
	}
	for i := range nodes.Items {
		o.Nodes = append(o.Nodes, &nodes.Items[i])
	}
	for i := range pods.Items {
		o.Pods = append(o.Pods, &pods.Items[i])
	}
	for i := range list.Items {
		r, err := fromUnstructured(&list.Items[i])
		if err != nil {
			return o, err
		}
		o.Reservations = append(o.Reservations, r)
	}
	return o, nil
}

func fromUnstructured(u *unstructured.Unstructured) (*v1alpha1.Reservation, error) {
	r := &v1alpha1.Reservation{}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, r)
	if err != nil {
		return nil, fmt.Errorf("controller: reservation %s/%s: %w", u.GetNamespace(), u.GetName(), err)
	}
	return r, nil
}

// ToUnstructured returns a reservation as the dynamic client takes it.
func ToUnstructured(r *v1alpha1.Reservation) (*unstructured.Unstructured, error) {
	r = r.DeepCopy()
	r.SetGroupVersionKind(v1alpha1.Kind)
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r)
	return &unstructured.Unstructured{Object: m}, err
}
