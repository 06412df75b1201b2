package real_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/bookahead/bookahead/kube/api/v1alpha1"
)

// replica starts the controller as a process, with the rights of its manifest and no others.
func (p *plane) replica(t *testing.T, n int, binary string, args ...string) *exec.Cmd {
	settings := p.write(t, "settings.yaml", []byte("startup: 1s\ngrace: 5s\nconditions: 10s\nrepair: 60s\n"))
	account := p.writeKubeconfig(t, "controller", "system:serviceaccount:bookahead:bookahead")
	args = append([]string{"-kubeconfig", account, "-config", settings, "-listen", ""}, args...)
	return p.exec(t, fmt.Sprintf("controller-%d", n), binary, args...)
}

// build builds the controller.
func build(t *testing.T) (binary string) {
	binary = filepath.Join(t.TempDir(), "bookahead-kube")
	out, err := exec.Command("go", "build", "-o", binary, "../../cmd/bookahead-kube").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// reserve reserves whole nodes in one rack.
func (p *plane) reserve(t *testing.T, name string, nodes int64, at time.Time, length time.Duration) {
	begin := metav1.NewTime(at)
	r := &v1alpha1.Reservation{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.Group + "/v1alpha1", Kind: "Reservation"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
	}
	r.Spec.Tasks = v1alpha1.Tasks{Count: nodes, Within: rack, Resources: corev1.ResourceList{gpu: resource.MustParse("8"), corev1.ResourceCPU: resource.MustParse("1")}}
	r.Spec.When = v1alpha1.When{Start: &begin, Duration: metav1.Duration{Duration: length}}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r)
	require.NoError(t, err)
	delete(fields, "status")
	_, err = p.dynamic.Resource(v1alpha1.Resource).Namespace("default").Create(t.Context(), object(fields), metav1.CreateOptions{})
	require.NoError(t, err)
}

// ended reports whether so many pods have succeeded, and none has failed.
func ended(t *testing.T, k *kubelets, pods int) bool {
	n := 0
	for _, o := range k.list() {
		require.NotEqual(t, corev1.PodFailed, o.Status.Phase, o.Name)
		if o.Status.Phase == corev1.PodSucceeded {
			n++
		}
	}
	return n == pods
}

// TestStory: jobs end early, a gang of 16 wants one rack, and a rack is reserved. The pods of the reservation start within two seconds of
// its begin. Other jobs run before it, and none of them takes what is reserved.
func TestStory(t *testing.T) {
	p, k, w := run(t, 2, 4)
	p.replica(t, 1, build(t))
	at := time.Now().Add(30 * time.Second).Truncate(time.Second)
	p.reserve(t, "lesson", 4, at, 10*time.Second)
	rng := rand.New(rand.NewPCG(1, 1))
	pods := 0
	submit := func(j job) {
		p.submit(t, j)
		pods += j.pods
	}
	for i := range 40 {
		says := time.Duration(4+rng.IntN(8)) * time.Second
		submit(job{name: fmt.Sprintf("batch-%02d", i), pods: 1, gpus: 1 + rng.Int64N(8), says: says, runs: says - time.Duration(1+rng.IntN(3))*time.Second})
	}
	submit(job{name: "gang", pods: 16, gpus: 2, says: 8 * time.Second, runs: 6 * time.Second, within: rack})
	submit(job{name: "pupil", pods: 4, gpus: 8, says: 9 * time.Second, runs: 7 * time.Second, reservation: "lesson"})
	p.eventually(t, 3*time.Minute, "all pods have ended", func() bool { return ended(t, k, pods) })

	late := w.fine(t, "lesson")
	t.Logf("%d gates opened after a promise, the latest %v after it", len(late), late[len(late)-1])
	racks, starts := map[string]bool{}, map[string]bool{}
	before := 0
	for _, o := range k.list() {
		opened := w.opened[o.Name]
		node, err := p.CoreV1().Nodes().Get(t.Context(), o.Spec.NodeName, metav1.GetOptions{})
		require.NoError(t, err)
		switch {
		case o.Annotations[v1alpha1.InReservation] != "":
			require.WithinDuration(t, at, opened, 2*time.Second, o.Name)
		case o.Annotations[v1alpha1.PodGroup] == "gang":
			racks[node.Labels[rack]], starts[o.Annotations[v1alpha1.Start]] = true, true
		case opened.Before(at):
			before++
		}
	}
	require.Len(t, racks, 1, "the racks of the gang")
	require.Len(t, starts, 1, "the starts of the gang")
	require.Greater(t, before, 10, "jobs that began before the reservation")
}

// TestLeaderKilled: of three replicas the leader is killed again and again, while jobs come in: at any moment, or as soon as the first gate
// of a group is open. Now and then it is stopped instead until another leads, and goes on then. No pod is lost, no group is opened partly in the end, no node has more than it holds, and a rack is reserved meanwhile.
func TestLeaderKilled(t *testing.T) {
	const blows = 20
	p, k, w := run(t, 3, 4)
	binary := build(t)
	replicas := map[string]*exec.Cmd{}
	host, err := os.Hostname()
	require.NoError(t, err)
	n := 0
	add := func() {
		n++
		c := p.replica(t, n, binary)
		replicas[fmt.Sprintf("%s-%d", host, c.Process.Pid)] = c
	}
	for range 3 {
		add()
	}
	leads := func() (leader string) {
		p.eventually(t, time.Minute, "a replica that lives leads", func() bool {
			l, err := p.CoordinationV1().Leases("bookahead").Get(t.Context(), "bookahead", metav1.GetOptions{})
			if err != nil || l.Spec.HolderIdentity == nil {
				return false
			}
			leader = *l.Spec.HolderIdentity
			return replicas[leader] != nil
		})
		return leader
	}
	p.reserve(t, "lesson", 4, time.Now().Add(2*time.Minute).Truncate(time.Second), 8*time.Minute)
	rng := rand.New(rand.NewPCG(1, 2))
	pods, early, paused := 0, 0, 0
	var longest time.Duration
	for i := range blows {
		leader := leads()
		for j := range 4 {
			says := time.Duration(3+rng.IntN(6)) * time.Second
			x := job{name: fmt.Sprintf("batch-%02d-%d", i, j), pods: 1, gpus: 1 + rng.Int64N(8), says: says, runs: says - 2*time.Second}
			if j == 0 {
				x.pods, x.gpus, x.within = 8, 4, rack
			}
			p.submit(t, x)
			pods += x.pods
		}
		if i%2 == 0 {
			time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond) // in the middle of its passes
		} else if w.firstGate(fmt.Sprintf("batch-%02d-0", i), 30*time.Second) {
			early++
		}
		struck := replicas[leader]
		delete(replicas, leader)
		began := time.Now()
		if i%7 == 6 {
			paused++
			require.NoError(t, struck.Process.Signal(syscall.SIGSTOP))
			leads()
			require.NoError(t, struck.Process.Signal(syscall.SIGCONT))
		} else {
			require.NoError(t, struck.Process.Kill())
			leads()
		}
		longest = max(longest, time.Since(began))
		add()
	}
	t.Logf("%d of %d blows as soon as the first gate of a group was open, %d leaders paused; another led after %v at the most", early, blows, paused, longest)
	require.NotZero(t, early)
	p.eventually(t, 3*time.Minute, "all pods have ended", func() bool { return ended(t, k, pods) })
	w.fine(t, "lesson")
	starts := map[string]map[string]bool{}
	for _, o := range k.list() {
		if group := o.Annotations[v1alpha1.PodGroup]; group != "" {
			if starts[group] == nil {
				starts[group] = map[string]bool{}
			}
			starts[group][o.Annotations[v1alpha1.Start]] = true
		}
	}
	for group, list := range starts {
		require.Len(t, list, 1, "the starts of %s", group)
	}
	t.Logf("%d pods", pods)
}
