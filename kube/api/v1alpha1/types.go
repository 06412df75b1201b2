package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reservation is capacity that is kept free for its users at a time.
type Reservation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ReservationSpec   `json:"spec"`
	Status ReservationStatus `json:"status,omitempty"`
}

// ReservationList is a list of reservations.
type ReservationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Reservation `json:"items"`
}

// ReservationSpec says what is reserved, when, and for whom.
type ReservationSpec struct {
	Tasks Tasks `json:"tasks"`
	When  When  `json:"when"`
	Users Users `json:"users,omitempty"`
}

// Tasks is a number of equal tasks, each on one node.
type Tasks struct {
	// Count is the number of tasks; at least 1, which is the default.
	Count int64 `json:"count,omitempty"`
	// Resources are the amounts of a task. Several pods may share the amounts of a task. If "pods" is not among them, a task takes one
	// pod of the node's number of pods, and the pods inside are not counted.
	Resources corev1.ResourceList `json:"resources"`
	// PerNode is the most tasks on a node; 0 stands for as many as fit.
	PerNode int64 `json:"perNode,omitempty"`
	// NodeSelector are labels that a node must have.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Tolerations let tasks onto nodes with taints.
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// Within is a topology key: all tasks lie in one domain, such as a rack.
	Within string `json:"within,omitempty"`
	// Together is a topology key: the tasks lie in as few domains as there are at the earliest start. With Within too, these are
	// domains inside the one of Within.
	Together string `json:"together,omitempty"`
}

// When is the time of a reservation: a Start, or a window from Earliest to Deadline, or a Start that recurs.
type When struct {
	// Start is when the reservation begins, or begins first if it recurs.
	Start *metav1.Time `json:"start,omitempty"`
	// Earliest is before which a reservation without a Start does not begin; nil is its creation.
	Earliest *metav1.Time `json:"earliest,omitempty"`
	// Deadline is by when a reservation without a Start ends; nil is no deadline.
	Deadline *metav1.Time `json:"deadline,omitempty"`
	// Duration is how long the reservation lasts, in whole seconds.
	Duration metav1.Duration `json:"duration"`
	// RRule says when a Start recurs, as in iCalendar: "FREQ=WEEKLY;BYDAY=TU,TH".
	RRule string `json:"rrule,omitempty"`
	// TimeZone is the zone of the RRule, such as "Europe/Berlin"; "" is UTC.
	TimeZone string `json:"timeZone,omitempty"`
}

// Users says whose pods may run in a reservation. All fields that are set must hold.
type Users struct {
	// Namespaces are the namespaces of pods; nil is the namespace of the reservation.
	Namespaces []string `json:"namespaces,omitempty"`
	// ServiceAccounts are names of service accounts; nil allows all.
	ServiceAccounts []string `json:"serviceAccounts,omitempty"`
	// MatchLabels are labels that a pod must have.
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
}

// Phase is where a reservation is in its life.
type Phase string

// The phases of a reservation.
const (
	// Pending has no place yet.
	Pending Phase = "Pending"
	// Placed has its nodes, and waits for its start.
	Placed Phase = "Placed"
	// Active has begun, and is not over.
	Active Phase = "Active"
	// Finished is over.
	Finished Phase = "Finished"
	// Refused can never have a place as it stands.
	Refused Phase = "Refused"
)

// ReservationStatus is what the controller knows of a reservation. The places in Occurrences are firm.
type ReservationStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	Phase              Phase `json:"phase,omitempty"`
	// Start, End and Nodes are those of the first of the Occurrences.
	Start *metav1.Time `json:"start,omitempty"`
	End   *metav1.Time `json:"end,omitempty"`
	Nodes []NodeTasks  `json:"nodes,omitempty"`
	// Occurrences are the places that are not over, by start. Only a reservation that recurs has several.
	Occurrences []Occurrence       `json:"occurrences,omitempty"`
	Conditions  []metav1.Condition `json:"conditions,omitempty"`
}

// Occurrence is a place: a time, and tasks on nodes.
type Occurrence struct {
	Start metav1.Time `json:"start"`
	End   metav1.Time `json:"end"`
	Nodes []NodeTasks `json:"nodes"`
}

// NodeTasks is the tasks on a node.
type NodeTasks struct {
	Name  string `json:"name"`
	Tasks int64  `json:"tasks"`
}
