package decide_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

// history is a world to which things happen at random, with an oracle of nodes per second. The oracle reads the objects, and knows
// nothing of the plan.
type history struct {
	*world
	rng      *rand.Rand
	calm     bool                      // no node fails, and no foreign pod comes, so each promise must be kept
	firm     map[string]string         // the places of reservations, in a calm history
	promised map[string]bookahead.Time // the starts of pods
	rare     map[string]int
}

// TestHistories: the laws hold in each second of random histories.
func TestHistories(t *testing.T) {
	rare := map[string]int{}
	for seed := range uint64(depth.Cases(150)) {
		runHistory(t, seed, rare)
	}
	t.Log(rare)
	if testing.Short() {
		return // too few to meet what is rare
	}
	for _, what := range []string{"opened", "gang", "promise", "placed", "active", "inside", "displaced", "refused", "overran", "recurs", "head"} {
		require.Greater(t, rare[what], 10, "of %s: %v", what, rare)
	}
	require.Positive(t, rare["delayed"])
}

func runHistory(t require.TestingT, seed uint64, rare map[string]int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	h := &history{world: newWorld(t), rng: rng, calm: rng.IntN(2) == 0, firm: map[string]string{}, promised: map[string]bookahead.Time{}, rare: rare}
	h.settings.Backfill = []int{1, 1, 2, -1}[rng.IntN(4)]
	h.settings.Protection.Policy = []settings.Policy{settings.None, settings.Taint, settings.Placeholder}[rng.IntN(3)]
	h.settings.Protection.Lead.Duration = time.Duration(rng.IntN(9)) * time.Second
	h.settings.Grace.Duration = time.Duration(1+rng.IntN(5)) * time.Second
	h.settings.Ahead.Duration = 3 * 24 * time.Hour
	h.note("seed %d, calm %v, settings %+v", seed, h.calm, h.settings)
	for i := range 2 + rng.IntN(4) {
		h.addNode(fmt.Sprintf("n%d", i), string(rune('a'+rng.IntN(2))), int64(2+rng.IntN(3)))
	}
	for i := range 18 {
		for range rng.IntN(3) {
			h.happen(i*10 + rng.IntN(10))
		}
		h.pass()
		h.check()
		h.advance(h.now+bookahead.Time(rng.IntN(8)), h.check)
	}
	h.recover()
	h.advance(h.now+400, h.check)
	h.idle()
}

// In history 479 a reservation waits behind a pod of unknown length that has no place of its own, in history 2582 a promise moves up
// behind another that has moved, and in history 7614 a pod gets its place in a reservation. All do so in the pass that follows.
func TestRoomThatAPassLeavesIsGivenByTheNext(t *testing.T) {
	for _, seed := range []uint64{479, 2582, 7614} {
		runHistory(t, seed, map[string]int{})
	}
}

// happen does something at random.
func (h *history) happen(i int) {
	rng := h.rng
	switch n := rng.IntN(16); {
	case n < 6:
		h.submit(fmt.Sprintf("pod%d", i), 1)
	case n < 8:
		h.submit(fmt.Sprintf("group%d", i), 2+rng.IntN(3))
	case n < 12:
		h.book(fmt.Sprintf("booked%d", i))
	case n == 12 && len(h.booked) > 0:
		k := rng.IntN(len(h.booked))
		h.note("%s is deleted", h.booked[k].Name)
		h.booked = slices.Delete(h.booked, k, k+1)
	case n == 13 && len(h.pods) > 0:
		k := rng.IntN(len(h.pods))
		if h.pods[k].Labels[v1alpha1.PodGroup] == "" && h.pods[k].Labels[v1alpha1.LabelPlaceholder] == "" {
			h.note("%s is deleted", h.pods[k].Name)
			h.pods = slices.Delete(h.pods, k, k+1)
		}
	case n >= 14 && !h.calm:
		h.disturb(i)
	}
}

// submit adds a pod, or a group.
func (h *history) submit(name string, size int) {
	rng := h.rng
	limit, cpus := 1+rng.IntN(25), 1+rng.Int64N(3)
	runs := 1 + rng.IntN(limit)
	silent, within, head := rng.IntN(8) == 0, rng.IntN(3) == 0, rng.IntN(3) == 0
	in := ""
	if len(h.booked) > 0 && rng.IntN(3) == 0 {
		in = h.booked[rng.IntN(len(h.booked))].Name
	}
	if slices.ContainsFunc(h.pods, func(p *corev1.Pod) bool { return strings.HasPrefix(p.Name, name) }) {
		return
	}
	h.note("%s: %d pods of %d cpus for %d, runs %d, silent %v, within %v, head %v, in %q", name, size, cpus, limit, runs, silent, within, head, in)
	for i := range size {
		ask := cpus
		if i == 0 && head && size > 1 {
			ask = max(1, 3-cpus)
			h.rare["head"]++
		}
		p := h.addPod(fmt.Sprintf("%s-%d", name, i), ask, limit)
		p.Labels["runs"] = fmt.Sprintf("%ds", runs)
		switch {
		case silent:
			delete(p.Annotations, v1alpha1.Duration)
		case rng.IntN(4) == 0:
			seconds := int64(limit)
			delete(p.Annotations, v1alpha1.Duration)
			p.Spec.ActiveDeadlineSeconds = &seconds
		}
		if in != "" {
			p.Annotations[v1alpha1.InReservation] = in
		}
		if size > 1 {
			p.Labels[v1alpha1.PodGroup], p.Annotations[v1alpha1.PodGroupSize] = name, fmt.Sprint(size)
		}
		if within {
			p.Annotations[v1alpha1.Within] = "rack"
		}
	}
}

// book adds a reservation: with a start, in a window, or one that recurs.
func (h *history) book(name string) {
	rng := h.rng
	if slices.ContainsFunc(h.booked, func(r *v1alpha1.Reservation) bool { return r.Name == name }) {
		return
	}
	length := bookahead.Time(1 + rng.IntN(25))
	r := h.reserve(name, 1+rng.Int64N(3), 1+rng.Int64N(3), bookahead.Time(rng.IntN(30)), length)
	if rng.IntN(3) == 0 {
		r.Spec.Tasks.Within = "rack"
	}
	switch rng.IntN(4) {
	case 0:
		early := *r.Spec.When.Start
		late := metav1.NewTime(early.Add(time.Duration(length+bookahead.Time(rng.IntN(40))) * time.Second))
		r.Spec.When.Start, r.Spec.When.Earliest, r.Spec.When.Deadline = nil, &early, &late
	case 1:
		r.Spec.When.RRule = fmt.Sprintf("FREQ=DAILY;COUNT=%d", 1+rng.IntN(3))
		h.rare["recurs"]++
	}
	h.note("%s: %+v %+v", name, r.Spec.Tasks, r.Spec.When)
}

// disturb has a node fail or come back, or a foreign pod come.
func (h *history) disturb(i int) {
	n := h.nodes[h.rng.IntN(len(h.nodes))]
	switch h.rng.IntN(5) {
	case 0:
		n.Spec.Unschedulable = !n.Spec.Unschedulable
		h.note("%s is cordoned %v", n.Name, n.Spec.Unschedulable)
	case 1:
		c := &n.Status.Conditions[0]
		c.Status = map[corev1.ConditionStatus]corev1.ConditionStatus{corev1.ConditionTrue: corev1.ConditionFalse, corev1.ConditionFalse: corev1.ConditionTrue}[c.Status]
		c.LastTransitionTime = metav1.NewTime(cluster.Wall(h.now))
		h.settings.Repair.Duration = time.Duration(h.rng.IntN(2)*12) * time.Second
		h.note("%s is ready %v", n.Name, c.Status)
	case 2:
		p := h.addPod(fmt.Sprintf("foreign%d", i), 1+h.rng.Int64N(2), 0)
		p.Spec.SchedulingGates, p.Labels["runs"] = nil, fmt.Sprintf("%ds", 1+h.rng.IntN(20))
		h.schedule()
	case 3:
		if len(h.nodes) > 1 && h.used(n.Name, nil) == 0 {
			h.nodes = slices.DeleteFunc(h.nodes, func(x *corev1.Node) bool { return x == n })
			h.note("%s is deleted", n.Name)
		}
	case 4:
		h.settings.Enforce = !h.settings.Enforce
		for _, p := range h.pods {
			if h.rng.IntN(3) == 0 && cluster.Gated(p) {
				p.Labels["runs"] = "30s" // longer than it says, if nobody ends it
			}
		}
	}
}

// recover brings all nodes back, and ends what would run for ever.
func (h *history) recover() {
	for _, n := range h.nodes {
		n.Spec.Unschedulable, n.Status.Conditions[0].Status = false, corev1.ConditionTrue
	}
	h.note("all nodes are back")
	h.pass()
}

// check checks the laws at a second, once the pass of that second is over.
func (h *history) check() {
	for _, n := range h.nodes {
		for _, at := range h.rises() {
			sum := h.load(n.Name, at)
			if sum > has(n) {
				require.Fail(h.t, "a node holds too much", "%s: %d at %d\n%s", n.Name, sum, at-epoch, h.text())
			}
		}
	}
	h.groups()
	for _, r := range h.booked {
		h.honoured(r)
	}
	for _, p := range h.pods {
		h.keeps(p)
	}
}

// rises returns the seconds at which more may be taken than before: now, and when reservations begin.
func (h *history) rises() []bookahead.Time {
	list := []bookahead.Time{h.now}
	for _, r := range h.booked {
		for _, o := range r.Status.Occurrences {
			list = append(list, max(h.now, cluster.Ticks(o.Start.Time)))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// load returns the cpus of a node that are taken at a second: by pods that run or were let go, until they are known to end, and by
// reservations. A pod inside a reservation is part of it.
func (h *history) load(node string, at bookahead.Time) (sum int64) {
	inside := map[*v1alpha1.Reservation]int64{}
	for _, p := range h.pods {
		on := p.Spec.NodeName
		if on == "" && len(p.Spec.SchedulingGates) == 0 && h.calm { // otherwise a foreign pod may have taken its node first
			on = p.Annotations[v1alpha1.Node]
		}
		if on != node || cluster.Over(p) || p.Labels[v1alpha1.LabelPlaceholder] != "" || h.ends(p) <= at {
			continue
		}
		if r, o := h.reservationOn(p, node); r != nil && cluster.Ticks(o.Start.Time) <= h.now && h.now < cluster.Ticks(o.End.Time) {
			inside[r] += cpus(p)
			if at < cluster.Ticks(o.End.Time) {
				continue
			}
		}
		sum += cpus(p)
	}
	for _, r := range h.booked {
		for i, o := range r.Status.Occurrences {
			if at < cluster.Ticks(o.Start.Time) || at >= cluster.Ticks(o.End.Time) {
				continue
			}
			for _, x := range o.Nodes {
				if x.Name != node {
					continue
				}
				cpus := x.Tasks * r.Spec.Tasks.Resources.Cpu().Value()
				if i == 0 && h.calm && inside[r] > cpus {
					require.Fail(h.t, "a reservation holds too much", "inside %s\n%s", r.Name, h.text())
				}
				sum += cpus
			}
		}
	}
	return sum
}

// ends returns when a pod that runs is known to end. If nothing is known, it counts for now alone: a second ahead nobody is sure
// of it.
func (h *history) ends(p *corev1.Pod) bookahead.Time {
	if p.Spec.NodeName == "" || p.Spec.ActiveDeadlineSeconds == nil {
		return h.now + 1
	}
	return max(h.now+1, cluster.Ticks(p.Status.StartTime.Time)+bookahead.Time(*p.Spec.ActiveDeadlineSeconds))
}

// reservationOn returns the reservation that a pod names, and its first occurrence, if it has a node.
func (h *history) reservationOn(p *corev1.Pod, node string) (*v1alpha1.Reservation, *v1alpha1.Occurrence) {
	for _, r := range h.booked {
		if r.Name != p.Annotations[v1alpha1.InReservation] || len(r.Status.Occurrences) == 0 {
			continue
		}
		o := &r.Status.Occurrences[0]
		if slices.ContainsFunc(o.Nodes, func(n v1alpha1.NodeTasks) bool { return n.Name == node }) {
			return r, o
		}
	}
	return nil, nil
}

// must fails with all that has happened. The text is long, so it is written only then.
func (h *history) must(is bool, format string, args ...any) {
	if !is {
		require.Fail(h.t, fmt.Sprintf(format, args...), h.text())
	}
}

// groups checks that no group has started in part.
func (h *history) groups() {
	opened, waiting, nodes := map[string]int{}, map[string]int{}, map[string]map[string]bool{}
	for _, p := range h.pods {
		name := p.Labels[v1alpha1.PodGroup]
		if name == "" {
			continue
		}
		if len(p.Spec.SchedulingGates) > 0 {
			waiting[name]++
			continue
		}
		opened[name]++
		for _, n := range h.nodes {
			if n.Name == p.Annotations[v1alpha1.Node] && p.Annotations[v1alpha1.Within] != "" {
				if nodes[name] == nil {
					nodes[name] = map[string]bool{}
				}
				nodes[name][n.Labels["rack"]] = true
			}
		}
	}
	for name := range opened {
		h.must(waiting[name] == 0, "group %s has started in part", name)
		h.must(len(nodes[name]) <= 1, "group %s is in several racks", name)
		h.rare["gang"]++
	}
}

// honoured checks that a reservation is active exactly in its time, and in a calm history that it never moves.
func (h *history) honoured(r *v1alpha1.Reservation) {
	s := &r.Status
	if len(s.Occurrences) > 0 {
		from, to := cluster.Ticks(s.Start.Time), cluster.Ticks(s.End.Time)
		h.must((h.now >= from) == (s.Phase == v1alpha1.Active) && h.now < to, "%s is not active in its time", r.Name)
		require.Equal(h.t, bookahead.Time(r.Spec.When.Duration.Duration/time.Second), to-from)
		h.rare[map[bool]string{true: "active", false: "placed"}[s.Phase == v1alpha1.Active]]++
	}
	for _, c := range s.Conditions {
		if c.Type == v1alpha1.ConditionDisplaced {
			h.rare["displaced"]++
			h.must(!h.calm, "%s was displaced", r.Name)
		}
	}
	if s.Phase == v1alpha1.Refused {
		h.rare["refused"]++
	}
	h.whole(r)
	if !h.calm {
		return
	}
	for _, o := range s.Occurrences {
		key := fmt.Sprintf("%s/%d", r.Name, cluster.Ticks(o.Start.Time))
		at := fmt.Sprint(o.Nodes)
		if h.firm[key] != "" {
			h.must(h.firm[key] == at, "%s has moved", key)
		}
		h.firm[key] = at
		n := int64(0)
		for _, x := range o.Nodes {
			n += x.Tasks
		}
		h.must(r.Spec.Tasks.Count == n, "%s has %d tasks", r.Name, n)
	}
}

// whole checks that a reservation which says that it is placed has all tasks, never more, and each place in one rack if it must be.
func (h *history) whole(r *v1alpha1.Reservation) {
	for _, o := range r.Status.Occurrences {
		n, racks := int64(0), map[string]bool{}
		for _, x := range o.Nodes {
			n += x.Tasks
			for _, node := range h.nodes {
				if node.Name == x.Name {
					racks[node.Labels["rack"]] = true
				}
			}
		}
		h.must(r.Spec.Tasks.Within == "" || len(racks) <= 1, "%s is in several racks", r.Name)
		h.must(n <= r.Spec.Tasks.Count, "%s has %d tasks", r.Name, n)
		h.must(n == r.Spec.Tasks.Count || !meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionPlaced), "%s has %d tasks", r.Name, n)
	}
}

// keeps checks that a pod runs inside its reservation, and in a calm history that it starts as promised.
func (h *history) keeps(p *corev1.Pod) {
	start, ok := cluster.StartOf(p)
	if !ok || p.Labels[v1alpha1.LabelPlaceholder] != "" {
		return
	}
	if len(p.Spec.SchedulingGates) == 0 {
		h.rare["opened"]++
	} else {
		h.rare["promise"]++
	}
	before, known := h.promised[p.Name]
	if known && start > before {
		h.rare["delayed"]++
		h.must(!h.calm, "%s was promised %d, and has %d", p.Name, before-epoch, start-epoch)
	}
	h.promised[p.Name] = start
	if len(p.Spec.SchedulingGates) == 0 || !h.calm {
		if p.Annotations[v1alpha1.Duration] != "" && !cluster.Over(p) && p.Spec.ActiveDeadlineSeconds == nil {
			h.rare["overran"]++
		}
	}
	if h.calm && len(p.Spec.SchedulingGates) == 0 && !cluster.Over(p) {
		h.must(p.Annotations[v1alpha1.Node] == p.Spec.NodeName && start == cluster.Ticks(p.Status.StartTime.Time), "%s does not run where it should", p.Name)
	}
	in := p.Annotations[v1alpha1.InReservation]
	if in == "" || p.Spec.NodeName == "" || cluster.Over(p) || !h.calm {
		return
	}
	h.rare["inside"]++
	i := slices.IndexFunc(h.booked, func(r *v1alpha1.Reservation) bool { return r.Name == in })
	if i >= 0 { // otherwise it was deleted
		r, o := h.reservationOn(p, p.Spec.NodeName)
		h.must(r != nil && cluster.Ticks(o.Start.Time) <= h.now, "%s is not in its reservation", p.Name)
	}
}

// idle checks that nothing waits for ever: what waits at the end of a history has no room on an idle cluster, or waits for one of
// those.
func (h *history) idle() {
	for _, p := range h.pods {
		if len(p.Spec.SchedulingGates) == 0 || p.Annotations[v1alpha1.InReservation] != "" {
			continue
		}
		if h.roomFor(p) {
			require.Fail(h.t, "a pod waits for ever", "%s: %s\n%s", p.Name, p.Status.Conditions[0].Message, h.text())
		}
	}
}

// roomFor reports whether a pod without a group has a node that nobody else uses for as long as it runs.
func (h *history) roomFor(p *corev1.Pod) bool {
	if p.Labels[v1alpha1.PodGroup] != "" || p.Annotations[v1alpha1.Duration] == "" {
		return false // groups need several nodes, and one that is silent has none beside a reservation
	}
	for _, n := range h.nodes {
		room := true
		for at := h.now; at < h.now+30 && room; at++ {
			room = h.load(n.Name, at)+cpus(p) <= has(n)
		}
		if room {
			return true
		}
	}
	return false
}
