package decide

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// Decisions are what is to be written, in this order: statuses, taints, placeholder pods, launches, notes. The launches are in order
// too.
type Decisions struct {
	Statuses []Status
	Taints   []Taint
	Create   []*corev1.Pod
	Delete   []*corev1.Pod
	Launches []Launch
	Notes    []Note
	// Next is when the next decision is due if nothing else happens; bookahead.MaxTime if there is none.
	Next bookahead.Time
}

// Status is a new status of a reservation.
type Status struct {
	Reservation *v1alpha1.Reservation
	Status      v1alpha1.ReservationStatus
	Events      []Event
}

// Event is news of an object, once it is written.
type Event struct {
	Warning         bool
	Reason, Message string
}

// Taint says that a node is to have the taint of reservations, or not.
type Taint struct {
	Node *corev1.Node
	Want bool
}

// Launch is the places of the pods of a job. Open says that they start now: then all of them carry their place before the first
// gate is opened.
type Launch struct {
	Job  string
	Pods []Assignment
	Open bool
}

// Assignment is the place of a pod.
type Assignment struct {
	Pod   *corev1.Pod
	Node  string
	Start bookahead.Time
	// Written is set if the annotations of the pod say so already.
	Written bool
	// Deadline is the activeDeadlineSeconds that the pod gets with its gate opened; 0 leaves it as it is.
	Deadline int64
	// Tolerate gives the pod a toleration for the taint of reservations.
	Tolerate bool
	Events   []Event
}

// Note is a new condition of a pod.
type Note struct {
	Pod       *corev1.Pod
	Condition corev1.PodCondition
	Events    []Event
}
