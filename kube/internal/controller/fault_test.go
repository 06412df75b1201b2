package controller_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	"github.com/bookahead/bookahead/kube/internal/controller"
	"github.com/bookahead/bookahead/kube/internal/settings"
	"github.com/bookahead/bookahead/kube/internal/virtual"
)

// short is a story of two nodes that has all kinds of writes: a gang, a reservation with its pod, and one that waits for all.
func (s *stage) short() {
	ctx := s.t.Context()
	for i := range 2 {
		require.NoError(s.t, s.AddNode(ctx, fmt.Sprintf("n%d", i), "a", 8, 4))
	}
	require.NoError(s.t, s.Reserve(ctx, "exam", 1, 8, 4, s.began.Add(9*time.Second), 6*time.Second, ""))
	require.NoError(s.t, s.Submit(ctx, virtual.Job{Name: "gang", Pods: 2, CPUs: 8, GPUs: 4, Says: 7 * time.Second, Runs: time.Minute}))
	require.NoError(s.t, s.Submit(ctx, virtual.Job{Name: "student", Pods: 1, CPUs: 8, GPUs: 4, Says: 6 * time.Second, Runs: time.Minute, Reservation: "exam"}))
	require.NoError(s.t, s.Submit(ctx, virtual.Job{Name: "waits", Pods: 1, CPUs: 8, GPUs: 4, Says: 4 * time.Second, Runs: time.Minute}))
}

// shortEnds checks that the story went well, with at most so many seconds of delay.
func (s *stage) shortEnds(late int) {
	require.LessOrEqual(s.t, s.opened("gang-00"), late, s.text())
	require.Equal(s.t, s.opened("gang-00"), s.opened("gang-01"), s.text())
	require.Contains(s.t, s.text(), "gang-00 runs")
	require.Contains(s.t, s.text(), "gang-01 runs")
	require.GreaterOrEqual(s.t, s.opened("student"), 9, s.text())
	require.LessOrEqual(s.t, s.opened("student"), 9+late, s.text())
	require.GreaterOrEqual(s.t, s.opened("waits"), 6, s.text())
	require.LessOrEqual(s.t, s.opened("waits"), 7+late, s.text())
	require.NotEqual(s.t, s.pod("student").Spec.NodeName, s.pod("waits").Spec.NodeName)
}

var errorsOfServers = map[string]error{
	"conflict": apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "x", errors.New("somebody else has written")),
	"timeout":  apierrors.NewTimeoutError("too slow", 0),
	"429":      apierrors.NewTooManyRequests("too many", 1),
	"500":      apierrors.NewInternalError(errors.New("a bug")),
	"no route": errors.New("dial tcp: connection refused"),
}

// TestEachCallFails: each write of the controller fails once, in turn: before it is done, or only its answer is lost. A gang is never
// left in part, and the reservation is honoured.
func TestEachCallFails(t *testing.T) {
	calls := 0
	play(t, func(s *stage) {
		s.fail(-1, nil, false, &calls)
		stop := s.start(s.config("one"))
		defer stop()
		s.short()
		s.until(14)
		s.shortEnds(0)
	})
	require.Greater(t, calls, 15)
	step := 1
	if testing.Short() {
		step = 5
	}
	for name, fault := range errorsOfServers {
		for _, lost := range []bool{false, true} {
			if lost && (name == "conflict" || name == "429") {
				continue // such a write is never done
			}
			for at := 1; at <= calls; at += step {
				t.Run(fmt.Sprintf("%s/lost=%v/call=%d", name, lost, at), func(t *testing.T) {
					play(t, func(s *stage) {
						n := 0
						s.fail(at, fault, lost, &n)
						stop := s.start(s.config("one"))
						defer stop()
						s.short()
						s.until(14)
						s.shortEnds(1)
					})
				})
			}
		}
	}
}

// fail lets a write of the controller fail, counted from 1. If the answer is lost, the write is done nevertheless.
func (s *stage) fail(at int, fault error, lost bool, calls *int) {
	react := func(chain []clienttesting.Reactor) clienttesting.ReactionFunc {
		return func(a clienttesting.Action) (bool, runtime.Object, error) {
			_, isList := a.(clienttesting.ListAction)
			if isList || a.GetVerb() == "watch" || a.GetVerb() == "create" && a.GetResource().Resource == "reservations" {
				return false, nil, nil
			}
			*calls++
			if *calls != at {
				return false, nil, nil
			}
			if lost {
				for _, r := range chain {
					if done, _, _ := r.React(a); done {
						break
					}
				}
			}
			return true, nil, fault
		}
	}
	s.client.PrependReactor("*", "*", react(s.client.ReactionChain))
	s.Reservations.PrependReactor("*", "*", react(s.Reservations.ReactionChain))
}

// meeting is a Source that returns when two controllers have read, so both decide on the same objects.
type meeting struct {
	controller.Source
	both *sync.WaitGroup
}

func (m *meeting) Read(ctx context.Context) (controller.Objects, error) {
	o, err := m.Source.Read(ctx)
	m.both.Done()
	m.both.Wait()
	return o, err
}

// TestTwoLeaders: two controllers both make all decisions, each time from the same objects. Of the two, exactly one opens each gate.
func TestTwoLeaders(t *testing.T) {
	play(t, func(s *stage) {
		var mu sync.Mutex
		opens, refused := map[string]int{}, 0
		var leaders [2]*controller.Controller
		var both sync.WaitGroup
		for i := range leaders {
			client := s.Client()
			keep := client.ReactionChain[0]
			client.PrependReactor("patch", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
				var patch struct {
					Spec *struct{ SchedulingGates []corev1.PodSchedulingGate }
				}
				require.NoError(t, json.Unmarshal(a.(clienttesting.PatchAction).GetPatch(), &patch))
				done, got, err := keep.React(a)
				mu.Lock()
				defer mu.Unlock()
				if apierrors.IsConflict(err) {
					refused++
				}
				if err == nil && patch.Spec != nil {
					opens[a.(clienttesting.PatchAction).GetName()]++
				}
				return done, got, err
			})
			c := s.config(fmt.Sprint(i))
			c.Kube = client
			c.Source = &meeting{controller.Listed{Clients: c.Clients}, &both}
			var err error
			leaders[i], err = controller.New(c)
			require.NoError(t, err)
		}
		s.story()
		pass := func() {
			both.Add(2)
			var ended sync.WaitGroup
			for i := range leaders {
				ended.Go(func() {
					_, err := leaders[i].Pass(context.Background())
					require.True(t, err == nil || apierrors.IsConflict(err), "%v", err)
				})
			}
			ended.Wait()
		}
		for half := range 200 {
			for range 3 { // after a conflict they decide again
				pass()
			}
			s.until((half + 1) / 2)
		}
		s.ends(40)
		require.Len(t, opens, 28)
		refused = 0
		for i := range 50 { // a gate at a time, for which both try
			require.NoError(t, s.Submit(t.Context(), virtual.Job{Name: fmt.Sprintf("both%d", i), Pods: 1, CPUs: 1, Says: time.Minute}))
			pass()
			require.Equal(t, i+1, refused)
		}
		require.Len(t, opens, 78)
		for name, n := range opens {
			require.Equal(t, 1, n, name)
		}
	})
}

// TestLease: the replica that has the lease makes the passes. When it loses the lease it stops, and the other goes on.
func TestLease(t *testing.T) {
	play(t, func(s *stage) {
		first := s.config("one")
		own := s.Client()
		first.Kube, first.LeaseNamespace, first.LeaseName = own, "bookahead", "leader"
		var cut atomic.Bool
		own.PrependReactor("*", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			return cut.Load(), nil, errors.New("no route to the server")
		})
		x, err := controller.New(first)
		require.NoError(t, err)
		lost := make(chan error, 1)
		go func() { lost <- x.Run(context.Background()) }()
		synctest.Wait() // as in start
		s.story()
		s.until(5)
		second := s.config("two")
		second.LeaseNamespace, second.LeaseName = "bookahead", "leader"
		stop := s.start(second)
		defer stop()
		s.until(20)
		lease, err := s.Kube.CoordinationV1().Leases("bookahead").Get(t.Context(), "leader", metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, "one", *lease.Spec.HolderIdentity)
		cut.Store(true)
		s.until(100)
		require.ErrorIs(t, <-lost, controller.ErrLost)
		gang := s.opened("gang-00")
		require.Contains(t, []int{39, 40}, gang, "the second replica may lead too late to start it before the promised second")
		s.ends(gang)
	})
}

// TestLostWatches: all watches break, again and again, and changes are missed. The informers list the objects anew.
func TestLostWatches(t *testing.T) {
	play(t, func(s *stage) {
		var mu sync.Mutex
		var open []watch.Interface
		chain := s.client.WatchReactionChain
		s.client.PrependWatchReactor("*", func(a clienttesting.Action) (bool, watch.Interface, error) {
			done, w, err := chain[0].React(a)
			mu.Lock()
			defer mu.Unlock()
			open = append(open, w)
			return done, w, err
		})
		stop := s.start(s.config("one"))
		defer stop()
		s.story()
		for at := 4; at < 100; at += 8 {
			s.until(at)
			mu.Lock()
			broken := open
			open = nil
			mu.Unlock()
			for _, w := range broken {
				w.Stop()
			}
		}
		s.until(100)
		s.ends(39)
		mu.Lock()
		defer mu.Unlock()
		require.NotEmpty(t, open)
	})
}

// TestARefusedPod: a pod that the server never lets be changed holds up nobody else, and is tried again later.
func TestARefusedPod(t *testing.T) {
	play(t, func(s *stage) {
		tries := 0
		s.client.PrependReactor("patch", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
			if a.(clienttesting.PatchAction).GetName() != "fill0" || a.GetSubresource() != "" {
				return false, nil, nil
			}
			tries++
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "fill0", errors.New("a webhook says no"))
		})
		stop := s.start(s.config("one"))
		defer stop()
		s.story()
		s.until(100)
		require.Equal(t, 60, s.opened("student-00"))
		require.Equal(t, 0, s.opened("fill7"))
		require.Equal(t, -1, s.opened("fill0"))
		require.Greater(t, tries, 2)
		require.Less(t, tries, 8)
	})
}

// TestLostNodes: a node of a reservation is cordoned, and one with running pods fails. Events and the status say so.
func TestLostNodes(t *testing.T) {
	play(t, func(s *stage) {
		config := s.config("one")
		config.Settings.Protection.Policy, config.Settings.Protection.Lead.Duration = settings.Taint, 5*time.Second
		stop := s.start(config)
		defer stop()
		for i := range 3 {
			require.NoError(t, s.AddNode(t.Context(), fmt.Sprintf("n%d", i), "a", 8, 4))
		}
		require.NoError(t, s.Reserve(t.Context(), "exam", 1, 8, 4, s.began.Add(20*time.Second), 10*time.Second, ""))
		require.NoError(t, s.Submit(t.Context(), virtual.Job{Name: "student", Pods: 1, CPUs: 8, GPUs: 4, Says: 10 * time.Second, Runs: time.Minute, Reservation: "exam"}))
		s.until(3)
		first := s.pod("student").Annotations["bookahead.dev/node"]
		require.NoError(t, s.Change(t.Context(), first, func(n *corev1.Node) { n.Spec.Unschedulable = true }))
		s.until(6)
		second := s.pod("student").Annotations["bookahead.dev/node"]
		require.NotEqual(t, first, second)
		s.until(16)
		n, err := s.Kube.CoreV1().Nodes().Get(t.Context(), second, metav1.GetOptions{})
		require.NoError(t, err)
		require.Equal(t, []corev1.Taint{{Key: "bookahead.dev/reserved", Effect: corev1.TaintEffectNoSchedule}}, n.Spec.Taints)
		s.until(22)
		require.Equal(t, second, s.pod("student").Spec.NodeName, s.text())
		require.NoError(t, s.Change(t.Context(), second, s.NotReady))
		require.NoError(t, s.Submit(t.Context(), virtual.Job{Name: "again", Pods: 1, CPUs: 8, GPUs: 4, Says: 5 * time.Second, Runs: time.Minute, Reservation: "exam"}))
		s.until(35)
		third := s.pod("again").Spec.NodeName
		require.NotContains(t, []string{first, second, ""}, third, s.text())
		events, err := s.Kube.CoreV1().Events("default").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		moved := 0
		for _, e := range events.Items {
			if e.Reason == "Displaced" {
				moved++
				require.Equal(t, corev1.EventTypeWarning, e.Type)
			}
		}
		require.Equal(t, 2, moved)
		for _, name := range []string{"n0", "n1", "n2"} {
			n, err := s.Kube.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			require.Empty(t, n.Spec.Taints)
		}
	})
}

// TestARefusedTaintHoldsUpNobody: the server takes no taint and no status from the controller. Gates are opened nevertheless.
func TestARefusedTaintHoldsUpNobody(t *testing.T) {
	play(t, func(s *stage) {
		taints, statuses := 0, 0
		forbidden := func(count *int) clienttesting.ReactionFunc {
			return func(a clienttesting.Action) (bool, runtime.Object, error) {
				*count++
				return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: a.GetResource().Resource}, "x", errors.New("no such role"))
			}
		}
		s.client.PrependReactor("patch", "nodes", forbidden(&taints))
		s.Reservations.PrependReactor("update", "reservations", forbidden(&statuses))
		c := s.config("one")
		c.Settings.Protection.Policy, c.Settings.Protection.Lead.Duration = settings.Taint, 5*time.Second
		stop := s.start(c)
		defer stop()
		s.short()
		s.until(6)
		require.Equal(t, 0, s.opened("gang-00"), s.text())
		require.Equal(t, 0, s.opened("gang-01"), s.text())
		require.Positive(t, taints)
		require.Positive(t, statuses)
	})
}
