// Package v1alpha1 is the API of bookahead in a Kubernetes cluster: the Reservation, and the names of labels, annotations,
// the gate and conditions.
//
// The types are written by hand. The schema is config/crd/reservations.yaml, and a test checks that it has the fields of the
// types.
package v1alpha1
