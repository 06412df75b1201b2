package decide_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/internal/decide"
)

// crowd is a world in which more jobs wait than a pass explains: 150 for node n0, whose sentences never change, and then 100 for node n1.
func crowd(t *testing.T) *world {
	w := newWorld(t)
	w.settings.Conditions.Duration = 60e9
	for rack, pod := range map[string]string{"a": "holds", "b": "runs"} {
		w.addNode("n"+rack, rack, 4)
		p := w.addPod(pod, 4, 100_000)
		p.Spec.NodeSelector = map[string]string{"rack": rack}
	}
	w.pass()
	for i := range 250 {
		rack := "a"
		if i >= 150 {
			rack = "b"
		}
		w.addPod(fmt.Sprintf("waits%03d", i), 4, 10).Spec.NodeSelector = map[string]string{"rack": rack}
	}
	return w
}

// TestConditionsTakeTurns: each of 250 jobs that wait gets its first sentence within seconds. A later one is true again after some
// turns, though the first 150 in order have nothing new to say; and a pass that has changed nothing asks for no other at once.
func TestConditionsTakeTurns(t *testing.T) {
	w := crowd(t)
	w.pass()
	w.advance(epoch+3, nothing)
	for _, p := range w.pods[2:] {
		require.Len(t, p.Status.Conditions, 1, p.Name)
	}
	w.advance(epoch+100, nothing)
	seconds := int64(200_000)
	w.pod("runs").Spec.ActiveDeadlineSeconds = &seconds
	w.pass()
	until := func(name string) string {
		_, at, _ := strings.Cut(w.pod(name).Status.Conditions[0].Message, "runs until ")
		return at
	}
	old := until("waits249")
	require.NotEmpty(t, old)
	passes, last := 0, w.now
	w.advance(epoch+140, func() {
		if w.last.Next > w.now && last != w.last.Next {
			passes, last = passes+1, w.last.Next
		}
	})
	for i := 150; i < 250; i++ {
		require.NotEqual(t, old, until(fmt.Sprintf("waits%03d", i)), i)
	}
	require.LessOrEqual(t, passes, 6)
}

// TestNewPodsAreExplainedFirst: a pod that comes to a crowd has a sentence after one pass, whatever its name.
func TestNewPodsAreExplainedFirst(t *testing.T) {
	w := crowd(t)
	w.pass()
	w.advance(epoch+100, nothing)
	for _, n := range []string{"aaa", "zzz"} {
		w.addPod(n, 4, 10)
	}
	w.pass()
	for _, n := range []string{"aaa", "zzz"} {
		require.Len(t, w.pod(n).Status.Conditions, 1, n)
	}
}

// TestACrowdWithNoNewsIsQuiet: nothing changes, so a pass writes nothing, and the next turn is seconds away.
func TestACrowdWithNoNewsIsQuiet(t *testing.T) {
	w := crowd(t)
	w.pass()
	w.advance(epoch+200, nothing)
	for w.now < epoch+260 {
		d, err := decide.Decide(context.Background(), w.snapshot(), nil)
		require.NoError(t, err)
		require.Empty(t, d.Notes)
		require.Less(t, d.Next-w.now, bookahead.Time(11))
		if w.now%10 == 0 {
			require.Equal(t, w.now+10, d.Next)
		}
		w.now = d.Next
	}
}

// TestAReasonIsTold: a pod that waits has an event when it first has a reason, and when it has another, and not whenever the sentence
// changes: kubectl describe shows events, and no sentence of a condition.
func TestAReasonIsTold(t *testing.T) {
	w := newWorld(t)
	w.settings.Conditions.Duration = 60e9
	w.addNode("na", "a", 4)
	w.addPod("holds", 4, 1000)
	w.pass()
	w.addPod("waits", 4, 10)
	told := map[string]bool{}
	look := func() {
		for _, n := range w.last.Notes {
			for _, e := range n.Events {
				told[n.Pod.Name+" "+e.Reason+": "+e.Message] = true
				require.Equal(t, n.Condition.Message, e.Message)
			}
		}
	}
	w.pass()
	look()
	first := w.pod("waits").Status.Conditions[0].Message
	require.Equal(t, map[string]bool{"waits Promised: " + first: true}, told)
	seconds := int64(2000)
	w.pod("holds").Spec.ActiveDeadlineSeconds = &seconds
	w.pass()
	look()
	w.advance(epoch+100, look)
	w.pass()
	look()
	require.NotEqual(t, first, w.pod("waits").Status.Conditions[0].Message)
	require.Len(t, told, 1)
	w.addPod("large", 5, 10)
	w.pass()
	look()
	require.True(t, told["large NoRoom: "+w.pod("large").Status.Conditions[0].Message])
}
