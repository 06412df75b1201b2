package decide_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

var noSchedule = []corev1.Taint{{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule}}

// TestAPromiseOnATaintedNode: a node gets a taint after a pod was promised it. The pod is promised another node, and is told if that
// is later.
func TestAPromiseOnATaintedNode(t *testing.T) {
	for name, c := range map[string]struct {
		other int // for how long the other node is full
		start bookahead.Time
	}{"as early": {10, 10}, "later": {25, 25}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addNode("n0", "a", 4)
			w.addNode("n1", "a", 4)
			w.addPod("a", 4, 10)
			w.pass()
			w.addPod("b", 4, c.other)
			w.pass()
			p := w.addPod("waits", 4, 10)
			w.pass()
			require.Equal(t, "n0", p.Annotations[v1alpha1.Node])
			w.nodes[0].Spec.Taints = noSchedule
			w.pass()
			require.Equal(t, "n1", p.Annotations[v1alpha1.Node], w.text())
			if c.start > 10 {
				require.Contains(t, w.text(), "event waits Delayed")
				require.Contains(t, w.text(), "node n0 does not allow it any more")
			}
			w.advance(epoch+40, nothing)
			require.Equal(t, c.start, w.ran("waits"), w.text())
		})
	}
}

// TestAPromiseInAnotherRack: a node moves to another rack after a group was promised its rack.
func TestAPromiseInAnotherRack(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	w.addNode("n1", "a", 4)
	w.addNode("n2", "b", 2)
	w.addNode("n3", "b", 4)
	w.reserve("exam", 4, 2, 0, 10).Spec.Tasks.PerNode = 1
	w.pass()
	gang(w, "gang", 2, 4, 20)
	w.pass()
	require.Equal(t, "n0", w.pod("gang0").Annotations[v1alpha1.Node], w.text())
	w.nodes[0].Labels["rack"], w.nodes[2].Status.Allocatable[corev1.ResourceCPU] = "b", w.nodes[0].Status.Allocatable[corev1.ResourceCPU]
	w.pass()
	racks := map[string]bool{}
	for _, p := range []string{"gang0", "gang1"} {
		for _, n := range w.nodes {
			if n.Name == w.pod(p).Annotations[v1alpha1.Node] {
				racks[n.Labels["rack"]] = true
			}
		}
	}
	require.Equal(t, map[string]bool{"b": true}, racks, w.text())
}

// gang adds the pods of a group that asks for one rack.
func gang(w *world, name string, size int, cpus int64, limit int) (list []*corev1.Pod) {
	for i := range size {
		p := w.addPod(name+string(rune('0'+i)), cpus, limit)
		p.Annotations[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize] = name, string(rune('0'+size))
		p.Annotations[v1alpha1.Within] = "rack"
		list = append(list, p)
	}
	return list
}

// TestAReservationOnATaintedNode: a reservation loses a node that its tasks may not use any more, and gets another.
func TestAReservationOnATaintedNode(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	w.addNode("n1", "a", 4)
	r := w.reserve("exam", 1, 4, 10, 10)
	w.pass()
	require.Equal(t, []v1alpha1.NodeTasks{{Name: "n0", Tasks: 1}}, r.Status.Nodes)
	w.nodes[0].Spec.Taints = noSchedule
	w.pass()
	require.Equal(t, []v1alpha1.NodeTasks{{Name: "n1", Tasks: 1}}, r.Status.Nodes)
	require.Contains(t, w.events, "0 exam Displaced")
	require.Contains(t, w.text(), "node n0 does not allow its tasks any more")
}

// TestAReservationInTwoRacks: a node moves to another rack. The reservation keeps the rack with most of its tasks.
func TestAReservationInTwoRacks(t *testing.T) {
	w := newWorld(t)
	for _, n := range []string{"n0", "n1", "n2", "n3"} {
		w.addNode(n, "a", 4)
	}
	w.addNode("n4", "b", 4)
	r := w.reserve("exam", 3, 4, 10, 10)
	r.Spec.Tasks.Within = "rack"
	w.pass()
	require.Equal(t, []v1alpha1.NodeTasks{{Name: "n0", Tasks: 1}, {Name: "n1", Tasks: 1}, {Name: "n2", Tasks: 1}}, r.Status.Nodes)
	w.nodes[0].Labels["rack"] = "b"
	w.pass()
	require.Equal(t, []v1alpha1.NodeTasks{{Name: "n1", Tasks: 1}, {Name: "n2", Tasks: 1}, {Name: "n3", Tasks: 1}}, r.Status.Nodes)
	require.Contains(t, w.text(), "node n0 is not in one rack with the others")
	delete(w.nodes[1].Labels, "rack")
	delete(w.nodes[2].Labels, "rack")
	w.pass()
	require.Equal(t, v1alpha1.Placed, r.Status.Phase)
	require.Equal(t, []v1alpha1.NodeTasks{{Name: "n3", Tasks: 1}}, r.Status.Nodes, "no rack has three nodes")
	w.nodes[1].Labels["rack"], w.nodes[2].Labels["rack"] = "a", "a"
	w.pass()
	require.Len(t, r.Status.Nodes, 3)
}
