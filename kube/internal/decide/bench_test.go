package decide_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/decide"
)

// BenchmarkDecide is a pass on a large cluster: nodes that are full of pods, others that wait, some in groups, and twenty reservations.
func BenchmarkDecide(b *testing.B) {
	for _, size := range []struct{ nodes, run, wait int }{{100, 400, 100}, {1000, 4000, 1000}} {
		b.Run(fmt.Sprintf("nodes=%d/run=%d/wait=%d", size.nodes, size.run, size.wait), func(b *testing.B) {
			w := newWorld(b)
			w.settings.Conditions.Duration = 60e9
			for i := range size.nodes {
				w.addNode(fmt.Sprintf("n%04d", i), fmt.Sprint(i/20), 16)
			}
			for i := range size.run {
				p := w.addPod(fmt.Sprintf("run%d", i), 4, 600+i%3000)
				p.Spec.SchedulingGates, p.Spec.NodeName, p.Status.Phase = nil, fmt.Sprintf("n%04d", i%size.nodes), corev1.PodRunning
				p.Status.StartTime = &p.CreationTimestamp
			}
			for i := range size.wait {
				p := w.addPod(fmt.Sprintf("wait%d", i), int64(1+i%8), 60+60*(i%50))
				if i%20 < 8 {
					p.Labels[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize] = fmt.Sprint(i/20), "8"
					p.Spec.Containers[0].Resources.Requests = w.pod(fmt.Sprintf("wait%d", i/20*20)).Spec.Containers[0].Resources.Requests
				}
			}
			for i := range 20 {
				w.reserve(fmt.Sprintf("booked%d", i), 10, 8, 3600, 3600)
			}
			d, err := decide.Decide(context.Background(), w.snapshot(), nil)
			require.NoError(b, err)
			b.ReportMetric(float64(len(d.Launches)), "launches")
			b.ReportMetric(float64(len(d.Notes)), "notes")
			for _, s := range d.Statuses {
				s.Reservation.Status = s.Status
				require.Equal(b, v1alpha1.Placed, s.Status.Phase)
			}
			for _, n := range d.Notes {
				n.Pod.Status.Conditions = []corev1.PodCondition{n.Condition}
			}
			for b.Loop() {
				_, err = decide.Decide(context.Background(), w.snapshot(), nil)
				require.NoError(b, err)
			}
		})
	}
}
