package decide_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
)

// begun gives a pod the start of a group, and opens it if it is to be open.
func (w *world) begun(p *corev1.Pod, node string, open bool) {
	p.Annotations[v1alpha1.Start], p.Annotations[v1alpha1.Node] = cluster.Wall(w.now).Format(time.RFC3339), node
	if open {
		p.Spec.SchedulingGates = nil
	}
}

// TestANameIsNoPriority: while pods of a group run, more pods of its name come. They are a group of their own: they do not go before
// pods of a higher priority, and not before they are all there.
func TestANameIsNoPriority(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 2)
	for _, p := range gang(w, "gang", 2, 1, 20) {
		p.Labels["runs"] = "20s"
	}
	w.pass()
	require.Zero(t, w.ran("gang1"), w.text())
	w.now += 5
	first := w.addPod("gang2", 1, 10)
	first.Annotations[v1alpha1.PodGroup], first.Annotations[v1alpha1.PodGroupSize] = "gang", "2"
	high := int32(100)
	vip := w.addPod("vip", 2, 10)
	vip.Spec.Priority, vip.Labels["runs"] = &high, "10s"
	w.pass()
	require.Contains(t, first.Status.Conditions[0].Message, "group gang has 1 of 2 pods")
	second := w.addPod("gang3", 1, 10)
	second.Annotations[v1alpha1.PodGroup], second.Annotations[v1alpha1.PodGroupSize] = "gang", "2"
	w.pass()
	w.advance(epoch+60, nothing)
	require.EqualValues(t, 20, w.ran("vip"), w.text())
	require.EqualValues(t, 30, w.ran("gang2"), w.text())
	require.EqualValues(t, 30, w.ran("gang3"), w.text())
}

// TestAPodTakesThePlaceOfAnother: a pod of a group has failed and is made again. It waits its turn, and goes to the rack of the others.
func TestAPodTakesThePlaceOfAnother(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 2)
	w.addNode("n1", "b", 4)
	list := gang(w, "gang", 2, 1, 50)
	for _, p := range list {
		w.begun(p, "n0", true)
	}
	w.schedule()
	w.now += 5
	list[0].Status.Phase = corev1.PodFailed
	other := w.addPod("other", 1, 10)
	high := int32(100)
	other.Spec.Priority, other.Spec.NodeSelector, other.Labels["runs"] = &high, map[string]string{"rack": "a"}, "10s"
	again := w.addPod("again", 1, 10)
	for key, value := range list[1].Annotations {
		if key != v1alpha1.Start && key != v1alpha1.Node {
			again.Annotations[key] = value
		}
	}
	w.pass()
	require.EqualValues(t, 5, w.ran("other"), w.text())
	require.EqualValues(t, -1, w.ran("again"), w.text())
	w.advance(epoch+40, nothing)
	require.EqualValues(t, 15, w.ran("again"), w.text())
	require.Equal(t, "n0", again.Spec.NodeName)
}

// TestTheRestStaysInTheRack: a leader has stopped in the middle of a group that asks for one rack, and the node of the rest is lost. The
// rest waits for the rack, and does not go to another. It is still the rest while it waits.
func TestTheRestStaysInTheRack(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	w.addNode("n1", "a", 4)
	w.addNode("n2", "b", 4)
	list := gang(w, "gang", 2, 4, 50)
	w.begun(list[0], "n0", true)
	w.begun(list[1], "n1", false)
	w.schedule()
	w.nodes[1].Spec.Unschedulable = true
	w.now++
	w.pass()
	require.EqualValues(t, -1, w.ran("gang1"), w.text())
	w.addNode("n3", "a", 4)
	low := w.addPod("low", 4, 1000)
	low.Spec.NodeSelector = map[string]string{"rack": "a"}
	w.now += 4
	w.pass()
	require.Equal(t, "n3", list[1].Spec.NodeName, w.text())
	require.Equal(t, cluster.Wall(epoch).Format(time.RFC3339), list[1].Annotations[v1alpha1.Start])
	require.Empty(t, low.Spec.NodeName)
}

// TestAGroupWithItsOwnPromiseIsNoRest: while pods of a group run, another group of its name is promised its start. When one of those that
// run ends early, no pod of the other group starts alone.
func TestAGroupWithItsOwnPromiseIsNoRest(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 2)
	list := gang(w, "gang", 2, 1, 20)
	w.pass()
	require.Zero(t, w.ran("gang1"), w.text())
	w.now++
	for _, name := range []string{"next0", "next1"} {
		p := w.addPod(name, 1, 10)
		p.Annotations[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize] = "gang", "2"
	}
	w.pass()
	require.Equal(t, cluster.Wall(epoch+20).Format(time.RFC3339), w.pod("next0").Annotations[v1alpha1.Start], w.text())
	w.now += 4
	list[0].Status.Phase = corev1.PodSucceeded
	w.pass()
	require.EqualValues(t, -1, w.ran("next0"), w.text())
	require.EqualValues(t, -1, w.ran("next1"), w.text())
	w.now = epoch + 20
	list[1].Status.Phase = corev1.PodSucceeded
	w.pass()
	require.EqualValues(t, 20, w.ran("next0"), w.text())
	require.EqualValues(t, 20, w.ran("next1"), w.text())
}
