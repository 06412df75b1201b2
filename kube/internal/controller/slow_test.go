package controller_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/bookahead/bookahead/kube/internal/virtual"
)

// TestASlowServer: a write takes 100 ms, and there are more sentences to write than seconds to write them in. Gates are opened in their
// second nevertheless, events come after the gates, and all is said in the end.
func TestASlowServer(t *testing.T) {
	play(t, func(s *stage) {
		var calls []string
		s.client.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
			if verb := a.GetVerb(); verb == "patch" || verb == "create" {
				calls = append(calls, fmt.Sprint(verb, " ", a.GetResource().Resource, " ", a.GetSubresource()))
				time.Sleep(100 * time.Millisecond)
			}
			return false, nil, nil
		})
		config := s.config("one")
		config.Abreast = 1 // the client for tests takes one call at a time
		stop := s.start(config)
		defer stop()
		ctx := t.Context()
		require.NoError(t, s.AddNode(ctx, "n0", "a", 8, 8))
		require.NoError(t, s.Submit(ctx, virtual.Job{Name: "gang", Pods: 4, CPUs: 1, GPUs: 2, Says: 5 * time.Second, Runs: time.Minute, Age: time.Minute}))
		require.NoError(t, s.Submit(ctx, virtual.Job{Name: "next", Pods: 1, CPUs: 1, GPUs: 8, Says: 5 * time.Second, Runs: time.Minute, Age: time.Second}))
		for i := range 100 {
			require.NoError(t, s.Submit(ctx, virtual.Job{Name: fmt.Sprintf("wait%d", i), Pods: 1, CPUs: 1, GPUs: 8, Says: time.Hour, Runs: time.Hour}))
			synctest.Wait() // the watch of the client for tests holds a hundred events
		}
		s.until(8)
		require.Equal(t, 0, s.opened("gang-03"), s.text())
		gates, events := 0, 0
		for _, c := range calls {
			switch c {
			case "patch pods ":
				gates++
			case "create events ":
				events++
				require.GreaterOrEqual(t, gates, 8, "the four of the gang are promised and opened before the first event")
			}
			if gates == 8 && events > 0 {
				break
			}
		}
		require.Contains(t, s.text(), "next runs on n0")
		require.Contains(t, []int{5, 6}, s.opened("next"), s.text())
		s.until(60)
		for i := range 100 {
			require.NotEmpty(t, s.pod(fmt.Sprintf("wait%d", i)).Status.Conditions, "wait%d", i)
		}
	})
}
