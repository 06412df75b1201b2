package decide_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

func nothing() {}

// TestBackfillBeforeAReservation: pods run before a reservation on its nodes if they are gone by its start, and not otherwise.
func TestBackfillBeforeAReservation(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	r := w.reserve("exam", 1, 4, 100, 50)
	w.addPod("long", 4, 101)
	w.addPod("fits", 4, 100)
	w.pass()
	require.Equal(t, v1alpha1.Placed, r.Status.Phase)
	require.EqualValues(t, 0, w.ran("fits"))
	inside := w.addPod("inside", 4, 50)
	inside.Annotations[v1alpha1.InReservation] = "exam"
	w.pass()
	w.advance(epoch+99, nothing)
	require.EqualValues(t, -1, w.ran("inside"))
	w.advance(epoch+260, nothing)
	require.EqualValues(t, 100, w.ran("inside"), w.text())
	require.EqualValues(t, 150, w.ran("long"), w.text())
	require.Equal(t, v1alpha1.Finished, r.Status.Phase)
	require.Contains(t, w.events, "100 exam Started")
	require.Contains(t, w.events, "150 exam Finished")
}

// TestGangInOneRack: sixteen pods start together in one rack, although another rack has room for fifteen at once.
func TestGangInOneRack(t *testing.T) {
	w := newWorld(t)
	for i := range 8 {
		w.addNode(fmt.Sprintf("n%d", i), string(rune('a'+i/4)), 4)
	}
	for i := range 4 {
		p := w.addPod(fmt.Sprintf("first%d", i), 4, 30)
		p.Annotations[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize], p.Annotations[v1alpha1.Within] = "first", "4", "rack"
	}
	w.addPod("one", 1, 60)
	w.pass()
	for i := range 15 {
		p := w.addPod(fmt.Sprintf("gang%02d", i), 1, 20)
		p.Annotations[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize], p.Annotations[v1alpha1.Within] = "gang", "16", "rack"
	}
	w.pass()
	require.Contains(t, w.pod("gang00").Status.Conditions[0].Message, "group gang has 15 of 16 pods")
	w.advance(epoch+5, nothing)
	p := w.addPod("gang15", 1, 20)
	p.Annotations[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize], p.Annotations[v1alpha1.Within] = "gang", "16", "rack"
	w.pass()
	require.Contains(t, w.pod("gang00").Status.Conditions[0].Message, "is promised to start at")
	w.advance(epoch+80, nothing)
	racks := map[string]bool{}
	for i := range 16 {
		name := fmt.Sprintf("gang%02d", i)
		require.EqualValues(t, 30, w.ran(name), w.text())
		racks[string(rune('a'+(w.pod(name).Spec.NodeName[1]-'0')/4))] = true
	}
	require.Len(t, racks, 1)
}

// TestLostNodesDisplace: a reservation and a promise move when a node is cordoned, fails or is deleted, and events say so.
func TestLostNodesDisplace(t *testing.T) {
	for _, lose := range []string{"cordon", "not ready", "delete", "foreign pod"} {
		t.Run(lose, func(t *testing.T) {
			w := newWorld(t)
			for i := range 3 {
				w.addNode(fmt.Sprintf("n%d", i), "a", 4)
			}
			w.addPod("runs", 4, 20)
			w.pass()
			r := w.reserve("exam", 2, 4, 30, 50)
			w.pass()
			before := r.Status.Nodes
			lost := before[0].Name
			if lost == w.pod("runs").Spec.NodeName {
				lost = before[1].Name
			}
			w.advance(epoch+10, nothing)
			for i, n := range w.nodes {
				switch {
				case n.Name != lost:
				case lose == "cordon":
					n.Spec.Unschedulable = true
				case lose == "not ready":
					n.Status.Conditions[0].Status = corev1.ConditionUnknown
				case lose == "foreign pod":
					p := w.addPod("foreign", 1, 0)
					p.Spec.SchedulingGates, p.Spec.NodeName, p.Status.StartTime = nil, lost, &p.CreationTimestamp
				default:
					w.nodes = append(w.nodes[:i:i], w.nodes[i+1:]...)
				}
			}
			w.pass()
			require.Contains(t, w.events, "10 exam Displaced", w.text())
			require.Len(t, r.Status.Nodes, 2)
			for _, n := range r.Status.Nodes {
				require.NotEqual(t, lost, n.Name)
			}
			w.advance(epoch+30, nothing)
			require.Equal(t, v1alpha1.Active, r.Status.Phase)
		})
	}
}

// TestAReservationLacksNodes: a reservation keeps what it has if there are no other nodes, and is whole again when the node is back.
func TestAReservationLacksNodes(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	n := w.addNode("n1", "a", 4)
	r := w.reserve("exam", 2, 4, 30, 50)
	w.pass()
	n.Spec.Unschedulable = true
	w.pass()
	require.Equal(t, "LacksNodes", r.Status.Conditions[0].Reason)
	require.Equal(t, []v1alpha1.NodeTasks{{Name: "n0", Tasks: 1}}, r.Status.Nodes)
	w.advance(epoch+40, nothing)
	n.Spec.Unschedulable = false
	w.pass()
	require.Len(t, r.Status.Nodes, 2, w.text())
	require.Equal(t, "Placed", r.Status.Conditions[0].Reason)
	require.Equal(t, 1, count(w.events, "0 exam Displaced"))
}

func count(list []string, x string) (n int) {
	for _, s := range list {
		if s == x {
			n++
		}
	}
	return n
}

// TestARecurringReservation has a place for each occurrence, and the next when one is over.
func TestARecurringReservation(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	w.settings.Ahead.Duration = 3 * 24 * 3600e9
	r := w.reserve("lab", 1, 2, 100, 3600)
	r.Spec.When.RRule, r.Spec.When.TimeZone = "FREQ=DAILY;COUNT=5", "Europe/Berlin"
	w.pass()
	require.Len(t, r.Status.Occurrences, 3, w.text())
	for w.now < epoch+5*86400 {
		w.now = min(w.last.Next, w.now+86400)
		w.pass()
	}
	require.Equal(t, v1alpha1.Finished, r.Status.Phase, w.text())
	started := 0
	for day := range 5 {
		started += count(w.events, fmt.Sprintf("%d lab Started", 100+day*86400))
	}
	require.Equal(t, 5, started, w.events)
}

// TestProtection: with the taint, no foreign pod comes onto the node from the lead on; with placeholders, none of a lower priority.
func TestProtection(t *testing.T) {
	for _, c := range []struct {
		policy settings.Policy
		of     int32 // the priority of the foreign pod
		comes  bool
	}{{settings.None, 0, true}, {settings.Taint, 0, false}, {settings.Placeholder, 0, true}, {settings.Placeholder, -20, false}} {
		policy := c.policy
		t.Run(fmt.Sprintf("%s/priority=%d", policy, c.of), func(t *testing.T) {
			w := newWorld(t)
			w.settings.Protection.Policy, w.settings.Protection.Lead.Duration = policy, 20e9
			w.addNode("n0", "a", 4)
			r := w.reserve("exam", 2, 2, 100, 50)
			w.pass()
			w.advance(epoch+79, nothing)
			require.Empty(t, w.nodes[0].Spec.Taints)
			require.Empty(t, w.pods)
			w.advance(epoch+90, nothing)
			foreign := w.addPod("foreign", 1, 0)
			foreign.Spec.SchedulingGates, foreign.Spec.Priority = nil, &c.of
			w.schedule()
			w.pass()
			require.Equal(t, c.comes, foreign.Spec.NodeName != "")
			require.Equal(t, c.comes, r.Status.Conditions[0].Reason == "LacksNodes", w.text())
			if policy == settings.Placeholder && !c.comes {
				require.Len(t, w.pods, 3)
			}
			w.advance(epoch+151, nothing)
			require.Empty(t, w.nodes[0].Spec.Taints)
			require.Len(t, w.pods, 1)
			require.NotEmpty(t, foreign.Spec.NodeName)
		})
	}
}

// TestConditionsChangeRarely: a condition changes at most once in the time of the settings.
func TestConditionsChangeRarely(t *testing.T) {
	w := newWorld(t)
	w.settings.Conditions.Duration = 60e9
	w.addNode("n0", "a", 4)
	w.addPod("runs", 4, 400).Labels["runs"] = "400s"
	w.pass()
	w.addPod("waits", 4, 10)
	changes, last := []bookahead.Time{}, ""
	w.advance(epoch+400, func() {
		if w.now%7 == 0 && w.now < epoch+350 {
			seconds := int64(400 + w.now - epoch) // each pass has another message
			w.pods[0].Spec.ActiveDeadlineSeconds = &seconds
			w.pass()
		}
		if c := w.pod("waits").Status.Conditions; len(c) > 0 && c[0].Message != last {
			last = c[0].Message
			changes = append(changes, w.now-epoch)
		}
	})
	require.Greater(t, len(changes), 4)
	for i := range changes[1:] {
		require.GreaterOrEqual(t, changes[i+1]-changes[i], bookahead.Time(60))
	}
}
