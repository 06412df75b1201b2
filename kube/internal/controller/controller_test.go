package controller_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"

	"github.com/bookahead/bookahead/kube/internal/controller"
	"github.com/bookahead/bookahead/kube/internal/settings"
	"github.com/bookahead/bookahead/kube/internal/virtual"
)

// TestMain keeps what client-go says of faults that the tests make off the screen.
func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// stage is a cluster and its controllers in a bubble, where time is virtual.
type stage struct {
	t *testing.T
	*virtual.Cluster
	client *fake.Clientset // of controllers
	began  time.Time
	now    func() time.Time // of controllers
	log    []string         // what the scheduler and the kubelets have done
}

// play runs a test in virtual time, from a full second on.
func play(t *testing.T, test func(s *stage)) {
	synctest.Test(t, func(t *testing.T) {
		c := virtual.New(time.Now)
		test(&stage{t: t, Cluster: c, client: c.Client(), began: time.Now(), now: time.Now})
	})
}

// options are the settings of tests: a pod starts within a second of its gate.
func options() settings.Settings {
	s := settings.New()
	s.Startup.Duration, s.Repair.Duration = time.Second, 0
	return s
}

func (s *stage) config(name string) controller.Config {
	return controller.Config{
		Clients: controller.Clients{Kube: s.client, Dynamic: s.Reservations}, Settings: options(), Now: func() time.Time { return s.now() }, Identity: name,
		Log: slog.New(slog.DiscardHandler),
	}
}

// start runs a controller, and returns a function that stops it and waits for its end.
func (s *stage) start(c controller.Config) (stop func()) {
	x, err := controller.New(c)
	require.NoError(s.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx) }()
	synctest.Wait() // the fake clientset loses what comes between a list and its watch
	return func() {
		cancel()
		require.NoError(s.t, <-ended)
	}
}

// until lets time go by until a second of the story. The scheduler and the kubelets act twice a second.
func (s *stage) until(second int) {
	for time.Since(s.began) < time.Duration(second)*time.Second {
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		news, err := s.Tick(s.t.Context())
		require.NoError(s.t, err)
		for _, n := range news {
			s.log = append(s.log, fmt.Sprintf("%.1f %s", time.Since(s.began).Seconds(), n))
		}
		synctest.Wait()
	}
}

func (s *stage) text() string { return strings.Join(s.log, "\n") }

func (s *stage) pod(name string) *corev1.Pod {
	p, err := s.Kube.CoreV1().Pods("default").Get(s.t.Context(), name, metav1.GetOptions{})
	require.NoError(s.t, err)
	return p
}

// opened returns the second at which the gate of a pod was opened; -1 if it was not.
func (s *stage) opened(name string) int {
	p := s.pod(name)
	if len(p.Spec.SchedulingGates) > 0 {
		return -1
	}
	at, err := time.Parse(time.RFC3339, p.Annotations["bookahead.dev/start"])
	require.NoError(s.t, err)
	return int(at.Sub(s.began) / time.Second)
}

// story is a day on two racks: a reservation, backfill, a gang, and the pods of the reservation.
func (s *stage) story() {
	ctx := s.t.Context()
	for i := range 8 {
		require.NoError(s.t, s.AddNode(ctx, fmt.Sprintf("n%d", i), string(rune('a'+i/4)), 8, 4))
	}
	require.NoError(s.t, s.Reserve(ctx, "exam", 4, 8, 4, s.began.Add(60*time.Second), 30*time.Second, virtual.Rack))
	for i := range 8 {
		require.NoError(s.t, s.Submit(ctx, virtual.Job{Name: fmt.Sprintf("fill%d", i), Pods: 1, CPUs: 8, GPUs: 4, Says: 40 * time.Second, Runs: time.Minute, Age: time.Minute}))
	}
	require.NoError(s.t, s.Submit(ctx, virtual.Job{Name: "gang", Pods: 16, CPUs: 2, GPUs: 1, Says: 50 * time.Second, Runs: 20 * time.Second, Within: virtual.Rack}))
	require.NoError(s.t, s.Submit(ctx, virtual.Job{Name: "student", Pods: 4, CPUs: 8, GPUs: 4, Says: 30 * time.Second, Runs: time.Minute, Reservation: "exam"}))
}

// ends checks the outcome of the story: all is as it was planned, to the second. The gang is promised 40; the nodes are free half a
// second earlier, so a controller that hears of this starts it at once.
func (s *stage) ends(starts int) {
	for i := range 4 {
		require.Equal(s.t, 60, s.opened(fmt.Sprintf("student-%02d", i)), s.text())
	}
	gang := s.opened("gang-00")
	require.Equal(s.t, starts, gang, s.text())
	for i := range 16 {
		require.Equal(s.t, gang, s.opened(fmt.Sprintf("gang-%02d", i)), s.text())
	}
	for i := range 8 {
		require.Equal(s.t, 0, s.opened(fmt.Sprintf("fill%d", i)))
	}
}

// TestStory: the controller on informers, from the first object to the last.
func TestStory(t *testing.T) {
	play(t, func(s *stage) {
		c := s.config("one")
		registry := prometheus.NewRegistry()
		c.Metrics = registry
		stop := s.start(c)
		defer stop()
		s.story()
		s.until(100)
		s.ends(39)
		events, err := s.Kube.CoreV1().Events("default").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		told := map[string]int{}
		for _, e := range events.Items {
			told[e.Reason]++
		}
		require.Equal(t, map[string]int{"Placed": 1, "Started": 1, "Finished": 1, "Opened": 28, "Promised": 20}, told)
		conditions := s.pod("gang-03").Status.Conditions
		require.Equal(t, corev1.ConditionTrue, conditions[len(conditions)-1].Status, "%v", conditions)
		seen := map[string]float64{}
		all, err := registry.Gather()
		require.NoError(t, err)
		for _, family := range all {
			for _, m := range family.Metric {
				name := family.GetName()
				for _, l := range m.Label {
					name += " " + l.GetValue()
				}
				seen[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
		require.EqualValues(t, 28, seen["bookahead_gate_delay_seconds"])
		require.EqualValues(t, 28, seen["bookahead_writes_total done gate"], seen)
		require.EqualValues(t, 1, seen["bookahead_leader"])
		require.Equal(t, seen["bookahead_pass_seconds"], seen["bookahead_passes_total done"], "some passes have failed: %v", seen)
		t.Log(seen)
	})
}

// TestRestart: the controller is stopped at each second in turn, and another goes on. Nothing is different.
func TestRestart(t *testing.T) {
	for _, every := range []int{3, 7, 13} {
		play(t, func(s *stage) {
			s.story()
			for at := every; at <= 100; at += every {
				stop := s.start(s.config(fmt.Sprint(at)))
				s.until(at)
				stop()
			}
			s.ends(39)
		})
	}
}

// TestClockSteps: the clock of the controller steps forward and back, and the plan goes by the times of day that are written.
func TestClockSteps(t *testing.T) {
	play(t, func(s *stage) {
		var shift atomic.Int64
		s.now = func() time.Time { return time.Now().Add(time.Duration(shift.Load())) }
		stop := s.start(s.config("one"))
		defer stop()
		s.story()
		s.until(20)
		shift.Store(int64(-15 * time.Second))
		s.until(30)
		require.Equal(t, -1, s.opened("student-00"))
		shift.Store(int64(0))
		s.until(50)
		shift.Store(int64(5 * time.Second))
		s.until(57)
		require.Equal(t, 60, s.opened("student-00"), "by its clock it is 62, and 60 was not missed")
		shift.Store(int64(0))
		s.until(100)
		require.Equal(t, 60, s.opened("student-00"))
		require.Contains(t, s.text(), "student-00 runs")
	})
}
