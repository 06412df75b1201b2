package decide_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

const gpu = corev1.ResourceName("nvidia.com/gpu")

// many adds as many resources of a vendor to a list.
func many(list corev1.ResourceList, n int) {
	for i := range n {
		list[corev1.ResourceName(fmt.Sprintf("a.example/%d", i+1))] = resource.MustParse("1")
	}
}

// TestAPodCannotEraseAReservation: a plan has room for eight resources. A pod that asks for others comes after a reservation that has
// a place, and is refused.
func TestAPodCannotEraseAReservation(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4).Status.Allocatable[gpu] = resource.MustParse("4")
	r := w.reserve("exam", 1, 1, 100, 10)
	r.Spec.Tasks.Resources[gpu] = resource.MustParse("4")
	w.pass()
	require.Equal(t, v1alpha1.Placed, r.Status.Phase)
	had := r.Status.Occurrences

	greedy := w.addPod("greedy", 1, 200)
	many(greedy.Spec.Containers[0].Resources.Requests, 5)
	w.pass()
	require.Equal(t, v1alpha1.Placed, r.Status.Phase, r.Status.Conditions)
	require.Equal(t, had, r.Status.Occurrences)
	require.Equal(t, "Refused", greedy.Status.Conditions[0].Reason)
	require.Contains(t, greedy.Status.Conditions[0].Message, "resources[a.example/")

	later := w.addPod("later", 1, 200)
	later.Spec.Containers[0].Resources.Requests[gpu] = resource.MustParse("1")
	w.pass()
	require.Empty(t, later.Spec.NodeName, "the reservation has the GPUs in a hundred seconds")
}

// TestNewReservationsComeBeforePods: a reservation without a place has its resources before a pod, and after one with a place.
func TestNewReservationsComeBeforePods(t *testing.T) {
	w := newWorld(t)
	node := w.addNode("n0", "a", 4)
	node.Status.Allocatable[gpu] = resource.MustParse("4")
	many(node.Status.Allocatable, 6)
	many(w.addPod("older", 1, 10).Spec.Containers[0].Resources.Requests, 5)
	r := w.reserve("exam", 1, 1, 100, 10)
	r.Spec.Tasks.Resources[gpu] = resource.MustParse("4")
	w.pass()
	require.Equal(t, v1alpha1.Placed, r.Status.Phase, r.Status.Conditions)
	more := w.reserve("more", 1, 1, 200, 10)
	many(more.Spec.Tasks.Resources, 5)
	w.pass()
	require.Equal(t, v1alpha1.Placed, r.Status.Phase, r.Status.Conditions)
	require.Equal(t, v1alpha1.Refused, more.Status.Phase)
	require.Contains(t, more.Status.Conditions[0].Message, "spec.tasks.resources[a.example/1]")
}

// TestARefusalKeepsPlaces: a spec that is wrong is refused, and the place stays in the status and booked until it is right again.
func TestARefusalKeepsPlaces(t *testing.T) {
	for name, spoil := range map[string]func(s *v1alpha1.ReservationSpec){
		"level":    func(s *v1alpha1.ReservationSpec) { s.Tasks.Within = "zone" },
		"length":   func(s *v1alpha1.ReservationSpec) { s.When.Duration.Duration = 1 },
		"too many": func(s *v1alpha1.ReservationSpec) { many(s.Tasks.Resources, 6) },
		"fewer":    func(s *v1alpha1.ReservationSpec) { s.Tasks.Count, s.Tasks.PerNode = 1, -1 },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			many(w.addNode("n0", "a", 4).Status.Allocatable, 6)
			many(w.addNode("n1", "a", 4).Status.Allocatable, 6)
			r := w.reserve("exam", 2, 4, 10, 10)
			w.pass()
			had := r.Status.Occurrences
			require.Len(t, had, 1)
			good := r.DeepCopy().Spec
			spoil(&r.Spec)
			r.Generation++
			w.addPod("long", 1, 15)
			w.pass()
			require.Equal(t, v1alpha1.Refused, r.Status.Phase)
			require.Equal(t, had, r.Status.Occurrences)
			require.Empty(t, w.pod("long").Spec.NodeName, "the place is booked")
			w.pass()
			require.Equal(t, had, r.Status.Occurrences)
			r.Spec = good
			r.Generation++
			w.pass()
			require.Equal(t, v1alpha1.Placed, r.Status.Phase)
			require.Equal(t, had, r.Status.Occurrences)
			require.NotContains(t, w.events, "0 exam Displaced")

			spoil(&r.Spec)
			r.Generation++
			w.pass()
			w.advance(epoch+20, nothing)
			w.pass()
			require.Equal(t, v1alpha1.Finished, r.Status.Phase)
			require.Empty(t, r.Status.Occurrences)
		})
	}
}

// TestPlaceholdersOfARefusedReservation: a reservation is refused for a negative amount. Its nodes are still protected, by pods that the
// API server takes.
func TestPlaceholdersOfARefusedReservation(t *testing.T) {
	w := newWorld(t)
	w.settings.Protection.Policy = settings.Placeholder
	w.settings.Protection.Lead.Duration = 0
	w.addNode("n0", "a", 4)
	r := w.reserve("exam", 1, 4, 10, 10)
	w.pass()
	r.Spec.Tasks.Resources[corev1.ResourceMemory] = resource.MustParse("-1")
	r.Generation++
	w.pass()
	require.Equal(t, v1alpha1.Refused, r.Status.Phase)
	w.advance(epoch+10, nothing)
	require.Len(t, w.pods, 1)
	require.NotContains(t, w.pods[0].Spec.Containers[0].Resources.Requests, corev1.ResourceMemory)
	require.Contains(t, w.pods[0].Spec.Containers[0].Resources.Requests, corev1.ResourceCPU)
}
