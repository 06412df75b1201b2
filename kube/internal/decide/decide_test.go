package decide_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/decide"
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

// TestALabelMakesNoPlaceholder: any user may write the label, in a namespace of his own. His pod is not deleted, and what it takes counts.
func TestALabelMakesNoPlaceholder(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	foreign := w.addPod("foreign", 4, 0)
	foreign.Spec.SchedulingGates = nil
	foreign.Labels = map[string]string{v1alpha1.LabelPlaceholder: "x"}
	w.schedule()
	require.Equal(t, "n0", foreign.Spec.NodeName)
	waits := w.addPod("waits", 1, 10)
	w.pass()
	require.Contains(t, w.pods, foreign)
	require.Empty(t, waits.Spec.NodeName)
	require.NotEmpty(t, waits.Spec.SchedulingGates)
}

// TestTooShort: a pod whose time is taken up by its start and its end is refused, and not killed as soon as it runs.
func TestTooShort(t *testing.T) {
	w := newWorld(t)
	w.settings.Startup.Duration = 5e9
	w.addNode("n0", "a", 4)
	thirty := int64(30)
	short, enough := w.addPod("short", 1, 35), w.addPod("enough", 1, 36)
	short.Spec.TerminationGracePeriodSeconds, enough.Spec.TerminationGracePeriodSeconds = &thirty, &thirty
	w.pass()
	require.NotEmpty(t, short.Spec.SchedulingGates)
	require.Contains(t, short.Status.Conditions[0].Message, "leaves no time to run")
	require.EqualValues(t, 1, *enough.Spec.ActiveDeadlineSeconds)
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

// TestUsers: pods run in a reservation only if it is for them.
func TestUsers(t *testing.T) {
	for name, c := range map[string]struct {
		users v1alpha1.Users
		spoil func(p *corev1.Pod)
		says  string
	}{
		"own namespace":   {v1alpha1.Users{}, func(*corev1.Pod) {}, ""},
		"other namespace": {v1alpha1.Users{}, func(p *corev1.Pod) { p.Namespace = "other" }, "reservation default/exam is not for namespace other"},
		"let in":          {v1alpha1.Users{Namespaces: []string{"other"}}, func(p *corev1.Pod) { p.Namespace = "other" }, ""},
		"own is left out": {v1alpha1.Users{Namespaces: []string{"other"}}, func(*corev1.Pod) {}, "is not for namespace default"},
		"account":         {v1alpha1.Users{ServiceAccounts: []string{"ann"}}, func(p *corev1.Pod) { p.Spec.ServiceAccountName = "ann" }, ""},
		"other account":   {v1alpha1.Users{ServiceAccounts: []string{"ann"}}, func(*corev1.Pod) {}, "is not for service account default"},
		"labels":          {v1alpha1.Users{MatchLabels: map[string]string{"team": "a"}}, func(p *corev1.Pod) { p.Labels["team"] = "a" }, ""},
		"other labels":    {v1alpha1.Users{MatchLabels: map[string]string{"team": "a"}}, func(*corev1.Pod) {}, "such as team=a"},
		"no reservation":  {v1alpha1.Users{}, func(p *corev1.Pod) { p.Annotations[v1alpha1.InReservation] = "default/exams" }, "there is no reservation default/exams"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addNode("n0", "a", 4)
			w.reserve("exam", 1, 2, 10, 20).Spec.Users = c.users
			p := w.addPod("pod", 1, 5)
			p.Annotations[v1alpha1.InReservation] = "default/exam"
			c.spoil(p)
			w.pass()
			require.Contains(t, p.Status.Conditions[0].Message, c.says)
			require.Equal(t, c.says == "", p.Status.Conditions[0].Reason == "Promised", p.Status.Conditions[0])
			w.advance(epoch+10, nothing)
			require.Equal(t, c.says == "", p.Spec.NodeName != "")
		})
	}
}

// TestDeadlines: a pod that says how long it runs is gone by then, with its time to start and to terminate. One that does not say is
// left alone, but in a reservation.
func TestDeadlines(t *testing.T) {
	w := newWorld(t)
	w.settings.Startup.Duration = 5e9
	w.addNode("n0", "a", 8)
	thirty, ninety, thousand := int64(30), int64(90), int64(1000)
	says := w.addPod("says", 1, 100)
	says.Spec.TerminationGracePeriodSeconds = &thirty
	stricter := w.addPod("stricter", 1, 1000)
	stricter.Spec.ActiveDeadlineSeconds = &ninety
	laxer := w.addPod("laxer", 1, 100)
	laxer.Spec.ActiveDeadlineSeconds = &thousand
	silent := w.addPod("silent", 1, 0)
	w.reserve("exam", 1, 2, 0, 50)
	inside := w.addPod("inside", 1, 0)
	inside.Annotations[v1alpha1.InReservation] = "exam"
	w.pass()
	require.EqualValues(t, 65, *says.Spec.ActiveDeadlineSeconds)
	require.EqualValues(t, 90, *stricter.Spec.ActiveDeadlineSeconds)
	require.EqualValues(t, 95, *laxer.Spec.ActiveDeadlineSeconds)
	require.Nil(t, silent.Spec.ActiveDeadlineSeconds)
	require.NotEmpty(t, silent.Spec.NodeName)
	require.EqualValues(t, 45, *inside.Spec.ActiveDeadlineSeconds)
}

// TestTheRestOfAGroup: a leader has stopped after it opened two gates of four. The next one opens the others at once, on the nodes that
// they carry, and all four end together.
func TestTheRestOfAGroup(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	w.reserve("exam", 1, 4, 20, 10)
	for i := range 4 {
		p := w.addPod(fmt.Sprintf("gang%d", i), 1, 20)
		p.Annotations[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize] = "gang", "4"
		p.Annotations[v1alpha1.Start], p.Annotations[v1alpha1.Node] = cluster.Wall(epoch).Format(time.RFC3339), "n0"
		if i < 2 {
			p.Spec.SchedulingGates = nil
			deadline := int64(20)
			p.Spec.ActiveDeadlineSeconds = &deadline
		}
	}
	w.schedule()
	w.now += 3
	w.addPod("another", 1, 17)
	w.pass()
	for i := range 4 {
		p := w.pod(fmt.Sprintf("gang%d", i))
		require.NotEmpty(t, p.Spec.NodeName, w.text())
		require.Equal(t, cluster.Wall(epoch).Format(time.RFC3339), p.Annotations[v1alpha1.Start])
		require.EqualValues(t, epoch+20, cluster.Ticks(p.Status.StartTime.Time)+bookahead.Time(*p.Spec.ActiveDeadlineSeconds))
	}
	require.Empty(t, w.pod("another").Spec.NodeName)
}

// TestAnOverrunOutOfAReservation: a pod that outlives its reservation holds its node nevertheless.
func TestAnOverrunOutOfAReservation(t *testing.T) {
	w := newWorld(t)
	w.settings.Enforce = false
	w.addNode("n0", "a", 4)
	w.reserve("exam", 1, 4, 0, 20)
	p := w.addPod("inside", 4, 20)
	p.Annotations[v1alpha1.InReservation], p.Labels["runs"] = "exam", "30s"
	w.pass()
	w.addPod("waits", 4, 10)
	w.advance(epoch+20, nothing)
	require.Len(t, w.pod("waits").Spec.SchedulingGates, 1, w.text())
	w.advance(epoch+40, nothing)
	require.EqualValues(t, 30, w.ran("waits"), w.text())
}

// TestASilentPod: a pod that does not say how long it runs takes its node for ever, and others are planned beside that at once.
func TestASilentPod(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	w.addPod("a", 4, 0).Labels["runs"] = "30s"
	w.addPod("b", 4, 10)
	w.pass() // which checks that nothing is decided again
	require.EqualValues(t, 0, w.ran("a"))
	require.Empty(t, w.pod("b").Annotations[v1alpha1.Start], "nobody knows when a ends")
	w.advance(epoch+40, nothing)
	require.EqualValues(t, 30, w.ran("b"))
}

// TestADisplacedReservationMoves: a reservation within a rack moves to another rack if its own has too few nodes left, and one with a
// window to a later time. Its pods go with it.
func TestADisplacedReservationMoves(t *testing.T) {
	w := newWorld(t)
	for i := range 4 {
		w.addNode(fmt.Sprintf("n%d", i), string(rune('a'+i/2)), 4)
	}
	r := w.reserve("exam", 2, 4, 30, 10)
	r.Spec.Tasks.Within = "rack"
	p := w.addPod("pod", 4, 10)
	p.Annotations[v1alpha1.InReservation] = "exam"
	w.pass()
	before := r.Status.Nodes
	w.nodes[before[0].Name[1]-'0'].Spec.Unschedulable = true
	w.pass()
	require.Len(t, r.Status.Nodes, 2)
	for i, n := range r.Status.Nodes {
		require.NotEqual(t, before[i].Name, n.Name)
		require.NotEqual(t, before[0].Name, p.Annotations[v1alpha1.Node])
	}
	require.EqualValues(t, epoch+30, cluster.Ticks(r.Status.Start.Time))

	end := metav1.NewTime(cluster.Wall(epoch + 100))
	r.Spec.When.Earliest, r.Spec.When.Start, r.Spec.When.Deadline = r.Spec.When.Start, nil, &end
	w.addPod("foreign", 4, 0)
	foreign := w.pod("foreign")
	foreign.Spec.SchedulingGates, foreign.Spec.NodeName, foreign.Status.StartTime = nil, r.Status.Nodes[0].Name, &foreign.CreationTimestamp
	foreign.Annotations[v1alpha1.Duration], foreign.Labels["runs"] = "45s", "45s"
	w.pass()
	require.EqualValues(t, epoch+45, cluster.Ticks(r.Status.Start.Time), w.text())
	require.Contains(t, w.events, "0 pod Delayed")
	w.advance(epoch+56, nothing)
	require.EqualValues(t, 45, w.ran("pod"))
}

// TestOnNode: each term gains the node, and a term that matches nothing stays as it is.
func TestOnNode(t *testing.T) {
	ssd := corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}}
	on := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n"}}
	a := &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{ssd}}, {}},
	}}
	got := decide.OnNode(a, "n").RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	require.Equal(t, []corev1.NodeSelectorTerm{
		{MatchExpressions: []corev1.NodeSelectorRequirement{ssd}, MatchFields: []corev1.NodeSelectorRequirement{on}}, {},
	}, got)
	require.Empty(t, a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields)
}

// TestOtherGates: a pod with the gate of another controller is planned once that gate is open, since until then its room would lie idle.
func TestOtherGates(t *testing.T) {
	w := newWorld(t)
	w.addNode("n0", "a", 4)
	p := w.addPod("a", 4, 10)
	p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: "example.com/admission"})
	w.addPod("b", 4, 10)
	w.pass()
	require.Contains(t, p.Status.Conditions[0].Message, "example.com/admission")
	require.EqualValues(t, 0, w.ran("b"))
	p.Spec.SchedulingGates = p.Spec.SchedulingGates[:1]
	w.pass()
	w.advance(epoch+20, nothing)
	require.EqualValues(t, 10, w.ran("a"))
}
