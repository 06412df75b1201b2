package v1alpha1

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopy returns a reservation that shares no memory with r.
func (r *Reservation) DeepCopy() *Reservation {
	c := *r
	c.ObjectMeta = *r.ObjectMeta.DeepCopy()
	c.Spec = r.Spec.copied()
	c.Status = r.Status.DeepCopy()
	return &c
}

// DeepCopyObject implements runtime.Object.
func (r *Reservation) DeepCopyObject() runtime.Object { return r.DeepCopy() }

// DeepCopyObject implements runtime.Object.
func (l *ReservationList) DeepCopyObject() runtime.Object {
	c := *l
	c.ListMeta = *l.ListMeta.DeepCopy()
	c.Items = slices.Clone(l.Items)
	for i := range l.Items {
		c.Items[i] = *l.Items[i].DeepCopy()
	}
	return &c
}

func (s ReservationSpec) copied() ReservationSpec {
	s.Tasks.Resources = s.Tasks.Resources.DeepCopy()
	s.Tasks.NodeSelector = maps.Clone(s.Tasks.NodeSelector)
	s.Tasks.Tolerations = slices.Clone(s.Tasks.Tolerations)
	for i := range s.Tasks.Tolerations {
		s.Tasks.Tolerations[i] = *s.Tasks.Tolerations[i].DeepCopy()
	}
	s.When.Start, s.When.Earliest, s.When.Deadline = s.When.Start.DeepCopy(), s.When.Earliest.DeepCopy(), s.When.Deadline.DeepCopy()
	s.Users.Namespaces, s.Users.ServiceAccounts = slices.Clone(s.Users.Namespaces), slices.Clone(s.Users.ServiceAccounts)
	s.Users.MatchLabels = maps.Clone(s.Users.MatchLabels)
	return s
}

// DeepCopy returns a status that shares no memory with s.
func (s ReservationStatus) DeepCopy() ReservationStatus {
	s.Start, s.End = s.Start.DeepCopy(), s.End.DeepCopy()
	s.Nodes = slices.Clone(s.Nodes)
	s.Occurrences = slices.Clone(s.Occurrences)
	for i := range s.Occurrences {
		s.Occurrences[i].Nodes = slices.Clone(s.Occurrences[i].Nodes)
	}
	s.Conditions = append([]metav1.Condition(nil), s.Conditions...) // a Condition has no pointers that are written to
	return s
}
