package v1alpha1

// Group is the API group, and the prefix of all names.
const Group = "bookahead.dev"

// Gate is the scheduling gate of pods that the controller starts.
const Gate = Group + "/start"

// What a user writes on a pod. Only LabelPlan is a label, because an admission policy selects by it.
const (
	// LabelPlan asks the admission policy for the gate: "true".
	LabelPlan = Group + "/plan"
	// Duration is how long the pod runs, from the opening of its gate until it is gone, such as "2h30m".
	Duration = Group + "/duration"
	// InReservation names the reservation in which the pod runs: "name", or "namespace/name".
	InReservation = Group + "/reservation"
	// PodGroup names the group of the pod within its namespace. It is a label or an annotation.
	PodGroup = Group + "/group"
	// PodGroupSize is the number of pods that the group has.
	PodGroupSize = Group + "/group-size"
	// Within is a topology key: all pods of the group run in one of its domains, such as a rack.
	Within = Group + "/within"
	// Together is a topology key: the pods of the group run in as few of its domains as there are at the earliest start. With
	// Within too, these are domains inside the one of Within.
	Together = Group + "/together"
)

// What the controller writes on a pod.
const (
	// Start is when the pod is promised to start, and later when its gate was opened, as RFC 3339.
	Start = Group + "/start"
	// Node is the node that goes with Start.
	Node = Group + "/node"
	// ConditionPlanned is the condition of a pod that says when it starts, and why not now.
	ConditionPlanned = Group + "/Planned"
)

// What the protection policies write.
const (
	// TaintReserved is the key of the taint on nodes of a reservation. It has no value: a node has the taint once, for all.
	TaintReserved = Group + "/reserved"
	// LabelPlaceholder marks placeholder pods. The annotation of this name has the reservation.
	LabelPlaceholder = Group + "/placeholder"
)

// Conditions of a Reservation.
const (
	// ConditionPlaced says whether the reservation has its place, and why not.
	ConditionPlaced = "Placed"
	// ConditionDisplaced is true from the time at which the reservation lost nodes until it has all again.
	ConditionDisplaced = "Displaced"
)
