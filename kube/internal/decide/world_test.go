package decide_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/decide"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

// epoch is the first second of a test.
const epoch = bookahead.Time(1_800_000_000)

// world is the objects of a cluster, with a scheduler and kubelets that know no plan.
type world struct {
	t        require.TestingT
	now      bookahead.Time
	nodes    []*corev1.Node
	pods     []*corev1.Pod
	booked   []*v1alpha1.Reservation
	settings settings.Settings
	log      []string
	last     decide.Decisions
	again    int // passes in a row that found room which the one before had left
	events   []string
}

func newWorld(t require.TestingT) *world {
	w := &world{t: t, now: epoch, settings: settings.New()}
	w.settings.Startup.Duration, w.settings.Conditions.Duration, w.settings.Repair.Duration = 0, 0, 0
	w.settings.TopologyKeys = []string{"rack"}
	return w
}

func (w *world) note(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%4d  ", w.now-epoch)+fmt.Sprintf(format, args...))
}

func (w *world) text() (s string) {
	for _, l := range w.log {
		s += l + "\n"
	}
	return s
}

// addNode adds a node that is ready.
func (w *world) addNode(name, rack string, cpus int64) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"rack": rack}}}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI), corev1.ResourceMemory: resource.MustParse("64Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	w.nodes = append(w.nodes, n)
	return n
}

// addPod adds a pod with a gate that asks for cpus, and runs for some seconds; a limit of 0 does not say for how long.
func (w *world) addPod(name string, cpus int64, limit int) *corev1.Pod {
	zero := int64(0)
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, CreationTimestamp: metav1.NewTime(cluster.Wall(w.now)), Annotations: map[string]string{}, Labels: map[string]string{}}}
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: v1alpha1.Gate}}
	p.Spec.TerminationGracePeriodSeconds = &zero
	p.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI),
	}}}}
	if limit > 0 {
		p.Annotations[v1alpha1.Duration] = (time.Duration(limit) * time.Second).String()
	}
	p.Status.Phase = corev1.PodPending
	w.pods = append(w.pods, p)
	return p
}

// reserve adds a reservation of tasks of some cpus.
func (w *world) reserve(name string, tasks, cpus int64, in, length bookahead.Time) *v1alpha1.Reservation {
	r := &v1alpha1.Reservation{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Generation: 1, UID: types.UID("uid-" + name), CreationTimestamp: metav1.NewTime(cluster.Wall(w.now))}}
	r.Spec.Tasks = v1alpha1.Tasks{Count: tasks, Resources: corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(cpus, resource.DecimalSI)}}
	at := metav1.NewTime(cluster.Wall(w.now + in))
	r.Spec.When = v1alpha1.When{Start: &at, Duration: metav1.Duration{Duration: time.Duration(length) * time.Second}}
	w.booked = append(w.booked, r)
	return r
}

func (w *world) snapshot() *cluster.Snapshot {
	return &cluster.Snapshot{Now: w.now, Nodes: w.nodes, Pods: w.pods, Reservations: w.booked, Settings: w.settings}
}

// placed reports whether a reservation that waited is placed.
func placed(d *decide.Decisions) bool {
	return slices.ContainsFunc(d.Statuses, func(s decide.Status) bool {
		return s.Reservation.Status.Phase == v1alpha1.Pending && s.Status.Phase != v1alpha1.Pending
	})
}

// pass decides, writes all, and lets the scheduler bind. The same objects must give the same decisions, and those no further ones.
func (w *world) pass() {
	d, err := decide.Decide(context.Background(), w.snapshot(), nil)
	require.NoError(w.t, err)
	again, err := decide.Decide(context.Background(), w.snapshot(), nil)
	require.NoError(w.t, err)
	if !equality.Semantic.DeepEqual(d, again) {
		require.Equal(w.t, d, again, "asked twice\n%s", w.text())
	}
	w.apply(d)
	w.last = d
	if w.schedule() {
		w.pass()
		return
	}
	rest, err := decide.Decide(context.Background(), w.snapshot(), nil)
	require.NoError(w.t, err)
	if d.Next == w.now+1 && (placed(&rest) || len(rest.Launches) > 0) { // room was left
		w.again++
		require.Less(w.t, w.again, 10, "passes never come to rest\n%s", w.text())
		w.pass()
		return
	}
	w.again = 0
	for _, s := range rest.Statuses {
		for i := range s.Status.Conditions {
			s.Status.Conditions[i].Message = s.Reservation.Status.Conditions[i].Message // who is in the way may have changed
		}
		if !equality.Semantic.DeepEqual(s.Reservation.Status, s.Status) {
			require.Equal(w.t, s.Reservation.Status, s.Status, "a status has changed again\n%s", w.text())
		}
	}
	if n := len(rest.Launches) + len(rest.Create) + len(rest.Delete) + len(rest.Taints); n > 0 {
		require.Fail(w.t, "something is decided again", "%+v %v %v %v\n%s", rest.Launches, rest.Create, rest.Delete, rest.Taints, w.text())
	}
}

func (w *world) apply(d decide.Decisions) {
	for _, s := range d.Statuses {
		s.Reservation.Status = s.Status
		w.note("%s is %s: %v", s.Reservation.Name, s.Status.Phase, short(s.Status.Occurrences))
		w.tell(s.Reservation.Name, s.Events)
	}
	for _, x := range d.Taints {
		x.Node.Spec.Taints = nil
		if x.Want {
			x.Node.Spec.Taints = []corev1.Taint{{Key: v1alpha1.TaintReserved, Effect: corev1.TaintEffectNoSchedule}}
		}
	}
	w.pods = slices.DeleteFunc(w.pods, func(p *corev1.Pod) bool { return slices.Contains(d.Delete, p) })
	low := int32(-10)
	for _, p := range d.Create {
		p.Spec.Priority = &low
		w.pods = append(w.pods, p)
	}
	for _, l := range d.Launches {
		for _, a := range l.Pods {
			a.Pod.Annotations[v1alpha1.Start] = cluster.Wall(a.Start).Format(time.RFC3339)
			a.Pod.Annotations[v1alpha1.Node] = a.Node
			w.note("%s at %d on %s, open %v", a.Pod.Name, a.Start-epoch, a.Node, l.Open)
			w.tell(a.Pod.Name, a.Events)
			if !l.Open {
				continue
			}
			a.Pod.Spec.SchedulingGates = nil
			a.Pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: decide.OnNode(nil, a.Node)}
			if a.Deadline > 0 {
				a.Pod.Spec.ActiveDeadlineSeconds = &a.Deadline
			}
			if a.Tolerate {
				a.Pod.Spec.Tolerations = append(a.Pod.Spec.Tolerations, corev1.Toleration{Key: v1alpha1.TaintReserved, Operator: corev1.TolerationOpExists})
			}
		}
	}
	for _, n := range d.Notes {
		n.Pod.Status.Conditions = []corev1.PodCondition{n.Condition}
	}
}

func (w *world) tell(name string, list []decide.Event) {
	for _, e := range list {
		w.events = append(w.events, fmt.Sprintf("%d %s %s", w.now-epoch, name, e.Reason))
		w.note("event %s %s: %s", name, e.Reason, e.Message)
	}
}

func short(list []v1alpha1.Occurrence) (s string) {
	for _, o := range list {
		s += fmt.Sprintf(" [%d, %d) %v", cluster.Ticks(o.Start.Time)-epoch, cluster.Ticks(o.End.Time)-epoch, o.Nodes)
	}
	return s
}

// schedule binds pods without a gate to the first node that has room, as a scheduler without a plan does. It reports whether one
// of them is foreign, or has preempted others: that is news.
func (w *world) schedule() (news bool) {
	for _, p := range slices.Clone(w.pods) {
		if len(p.Spec.SchedulingGates) > 0 || p.Spec.NodeName != "" || cluster.Over(p) {
			continue
		}
		for _, n := range w.nodes {
			if w.fits(p, n) {
				news = w.preempt(p, n.Name, has(n)) || news
				at := metav1.NewTime(cluster.Wall(w.now))
				p.Spec.NodeName, p.Status.StartTime, p.Status.Phase = n.Name, &at, corev1.PodRunning
				w.note("%s runs on %s", p.Name, n.Name)
				news = news || p.Annotations[v1alpha1.Node] == "" && p.Labels[v1alpha1.LabelPlaceholder] == ""
				break
			}
		}
	}
	return news
}

func (w *world) fits(p *corev1.Pod, n *corev1.Node) bool {
	if a := p.Spec.Affinity; a != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			if term.MatchFields[0].Values[0] != n.Name {
				return false
			}
		}
	}
	if n.Spec.Unschedulable || len(n.Spec.Taints) > 0 && len(p.Spec.Tolerations) == 0 || n.Status.Conditions[0].Status != corev1.ConditionTrue {
		return false
	}
	return w.used(n.Name, func(x *corev1.Pod) bool { return priority(x) < priority(p) })+cpus(p) <= has(n)
}

func priority(p *corev1.Pod) int32 {
	if p.Spec.Priority == nil {
		return 0
	}
	return *p.Spec.Priority
}

// preempt deletes pods of lower priorities until there is room for one more.
func (w *world) preempt(p *corev1.Pod, node string, has int64) (some bool) {
	for w.used(node, nil)+cpus(p) > has {
		i := slices.IndexFunc(w.pods, func(x *corev1.Pod) bool {
			return x.Spec.NodeName == node && !cluster.Over(x) && priority(x) < priority(p)
		})
		w.note("%s gives way to %s", w.pods[i].Name, p.Name)
		w.pods = slices.Delete(w.pods, i, i+1)
		some = true
	}
	return some
}

// used returns the cpus that pods take of a node, those for which skip is true left out.
func (w *world) used(node string, skip func(p *corev1.Pod) bool) (sum int64) {
	for _, p := range w.pods {
		if p.Spec.NodeName == node && !cluster.Over(p) && (skip == nil || !skip(p)) {
			sum += cpus(p)
		}
	}
	return sum
}

func cpus(p *corev1.Pod) int64 { return p.Spec.Containers[0].Resources.Requests.Cpu().Value() }
func has(n *corev1.Node) int64 { return n.Status.Allocatable.Cpu().Value() }

// advance lets time go by until then: kubelets end pods, and there is a pass whenever one is due, or something has ended.
func (w *world) advance(to bookahead.Time, each func()) {
	for w.now < to {
		w.now++
		news := w.last.Next <= w.now
		for _, p := range w.pods {
			if p.Spec.NodeName == "" || cluster.Over(p) || !w.ended(p) {
				continue
			}
			p.Status.Phase = corev1.PodSucceeded
			w.note("%s has ended", p.Name)
			news = true
		}
		if news {
			w.pass()
		}
		each()
	}
}

// ended reports whether a pod is done, or has reached its deadline.
func (w *world) ended(p *corev1.Pod) bool {
	ran := w.now - cluster.Ticks(p.Status.StartTime.Time)
	runs, err := time.ParseDuration(cmp.Or(p.Labels["runs"], "100000h"))
	require.NoError(w.t, err)
	return ran >= bookahead.Time(runs/time.Second) || p.Spec.ActiveDeadlineSeconds != nil && ran >= bookahead.Time(*p.Spec.ActiveDeadlineSeconds)
}

func (w *world) pod(name string) *corev1.Pod {
	i := slices.IndexFunc(w.pods, func(p *corev1.Pod) bool { return p.Name == name })
	require.GreaterOrEqual(w.t, i, 0, name)
	return w.pods[i]
}

// ran returns the second at which a pod was bound; -1 if it was not.
func (w *world) ran(name string) bookahead.Time {
	p := w.pod(name)
	if p.Status.StartTime == nil {
		return -1
	}
	return cluster.Ticks(p.Status.StartTime.Time) - epoch
}
