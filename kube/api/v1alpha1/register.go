package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion is the group and version of the types here.
	GroupVersion = schema.GroupVersion{Group: Group, Version: "v1alpha1"}
	// Kind is the kind of a Reservation.
	Kind = GroupVersion.WithKind("Reservation")
	// Resource is the resource of reservations, as clients name it.
	Resource = GroupVersion.WithResource("reservations")
)

// AddToScheme adds the types to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Reservation{}, &ReservationList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
