package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

const now = bookahead.Time(1_800_000_000)

func node(name string, labels map[string]string, has corev1.ResourceList) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	n.Status.Allocatable = has
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

func list(cpu string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("1Gi"), corev1.ResourcePods: resource.MustParse("10")}
}

func of(t *testing.T, s *cluster.Snapshot) *cluster.Cluster {
	s.Now = now
	c, err := cluster.Of(s, func(*corev1.Pod) bool { return false })
	require.NoError(t, err)
	require.NoError(t, c.Machine.Verify())
	return c
}

// TestDomainsNest: racks of two zones are different racks, also if they have one name.
func TestDomainsNest(t *testing.T) {
	s := settings.New()
	s.TopologyKeys = []string{"rack", "zone"}
	c := of(t, &cluster.Snapshot{Settings: s, Nodes: []*corev1.Node{
		node("d", map[string]string{"rack": "2"}, list("1")), node("a", map[string]string{"rack": "1", "zone": "x"}, list("1")),
		node("b", map[string]string{"rack": "1", "zone": "y"}, list("1")), node("c", map[string]string{"rack": "1", "zone": "x"}, list("1")),
		node("e", map[string]string{"zone": "x"}, list("1")),
	}})
	levels := c.Machine.Config().Levels
	require.Equal(t, [][]int{{0, 2}, {1}, {3}}, levels[0].Groups)
	require.Equal(t, [][]int{{0, 2, 4}, {1}}, levels[1].Groups)
	require.Equal(t, []int{0, 2}, c.Domain("rack", 2))
	require.Nil(t, c.Domain("rack", 4))
}

// TestAmounts: what a node has is rounded down, and what a pod takes is rounded up, in thousandths of a cpu.
func TestAmounts(t *testing.T) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: v1alpha1.Gate}}
	p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1500500u"), "example.com/gpu": resource.MustParse("2"),
	}}}}
	p.Spec.InitContainers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Ki")}}}}
	c := of(t, &cluster.Snapshot{Settings: settings.New(), Nodes: []*corev1.Node{node("a", nil, list("1999999u"))}, Pods: []*corev1.Pod{p}})
	require.Equal(t, []string{"cpu", "memory", "pods", "example.com/gpu"}, c.Machine.Config().Resources)
	require.EqualValues(t, []int64{1999, 1 << 30, 10, 0}, c.Machine.Config().Nodes[0])
	require.EqualValues(t, []int64{1501, 2048, 1, 2}, c.Takes(p))
}

// TestMorePodsThanRoom: pods that hold more than a node has leave a machine that still agrees with itself.
func TestMorePodsThanRoom(t *testing.T) {
	var pods []*corev1.Pod
	for _, name := range []string{"a", "b", "c"} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: "n"}}
		p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: list("1")}}}
		pods = append(pods, p)
	}
	c := of(t, &cluster.Snapshot{Settings: settings.New(), Nodes: []*corev1.Node{node("n", nil, list("1500m"))}, Pods: pods})
	for _, free := range c.Machine.Free(0, bookahead.Interval{Start: now, End: now + 1}) {
		require.EqualValues(t, []int64{0, 0, 7}, free)
	}
}

// TestNoNodes: an empty cluster is a machine without room.
func TestNoNodes(t *testing.T) {
	c := of(t, &cluster.Snapshot{Settings: settings.New()})
	require.Empty(t, c.Names)
	require.Equal(t, "is gone", c.Why("n"))
}

// TestUntil: until when pods hold their nodes.
func TestUntil(t *testing.T) {
	s := &cluster.Snapshot{Now: now, Settings: settings.New()}
	at := func(t bookahead.Time) *metav1.Time { x := metav1.NewTime(cluster.Wall(t)); return &x }
	seconds := func(n int64) *int64 { return &n }
	for name, c := range map[string]struct {
		change func(p *corev1.Pod)
		want   bookahead.Time
	}{
		"nobody knows":  {func(*corev1.Pod) {}, bookahead.MaxTime},
		"a deadline":    {func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = seconds(100) }, now - 10 + 100 + 30 + 1},
		"its length":    {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "100s" }, now - 10 + 100},
		"opened before": {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "100s"; open(p, now-12) }, now - 12 + 100},
		"bound late":    {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "100s"; open(p, now-40) }, now - 15 + 100},
		"not bound yet": {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "100s"; open(p, now-3); p.Spec.NodeName = "" }, now - 3 + 100},
		"not begun yet": {func(p *corev1.Pod) {
			p.Annotations[v1alpha1.Duration] = "100s"
			open(p, now-5)
			p.Status.StartTime = nil
		}, now - 5 + 100},
		"never bound": {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "100s"; open(p, now-40); p.Spec.NodeName = "" }, now - 40 + 300 + 100},
		"foreign":     {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "100s"; p.Status.StartTime = nil }, now + 100},
		"is deleted":  {func(p *corev1.Pod) { p.DeletionTimestamp = at(now + 7) }, now + 7},
		"has overrun": {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "5s" }, now - 5 + 300},
		"and again":   {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "5s"; p.Status.StartTime = at(now - 700) }, now - 695 + 900},
		"ends now":    {func(p *corev1.Pod) { p.Annotations[v1alpha1.Duration] = "10s" }, now + 300},
	} {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}}, Spec: corev1.PodSpec{NodeName: "n", TerminationGracePeriodSeconds: seconds(30)}}
		p.Status.StartTime = at(now - 10)
		c.change(p)
		require.Equal(t, c.want, cluster.Until(p, s), name)
	}
}

func open(p *corev1.Pod, at bookahead.Time) {
	p.Annotations[v1alpha1.Node], p.Annotations[v1alpha1.Start] = "n", cluster.Wall(at).Format("2006-01-02T15:04:05Z07:00")
}

// TestAllowed: node selector, affinity and taints limit the nodes; taints of this module, and of what a closure says, do not.
func TestAllowed(t *testing.T) {
	tainted := func(name, key string) *corev1.Node {
		n := node(name, nil, list("1"))
		n.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
		return n
	}
	c := of(t, &cluster.Snapshot{Settings: settings.New(), Nodes: []*corev1.Node{
		node("a", map[string]string{"disk": "ssd"}, list("1")), node("b", nil, list("1")), tainted("c", "gpu"), tainted("d", v1alpha1.TaintReserved), tainted("e", corev1.TaintNodeNotReady),
	}})
	require.Equal(t, []int{0, 1, 3, 4}, c.Allowed(&corev1.Pod{}))
	require.Nil(t, c.Allowed(&corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}}}))
	require.Equal(t, []int{0}, c.Allowed(&corev1.Pod{Spec: corev1.PodSpec{NodeSelector: map[string]string{"disk": "ssd"}}}))
	affinity := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk", Operator: corev1.NodeSelectorOpDoesNotExist}}}},
	}}}
	require.Equal(t, []int{1, 3, 4}, c.Allowed(&corev1.Pod{Spec: corev1.PodSpec{Affinity: affinity}}))
}
