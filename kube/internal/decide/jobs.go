package decide

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// forever is the length of a job that does not say how long it runs.
const forever = bookahead.Duration(v1alpha1.MaxDuration / 1e9)

// job is a pod or a group of pods that waits for its start.
type job struct {
	id   plan.ID
	name string        // for sentences
	pods []*corev1.Pod // with the gate, by name
	head *corev1.Pod   // the one that asks for other amounts; nil if all ask for the same

	in        string // the reservation, as "namespace/name"; "" for none
	length    bookahead.Duration
	said      bool // by the user, and not by default
	known     bool
	request   nodes.Request
	priority  int64
	submitted bookahead.Time
	rest      bool // of a group that has begun

	refused string // why it is not planned at all
	blocked error  // why it has no place, whoever else waits
	delayed string // why it is not where it was promised
	place   *plan.Place
	opens   bool
	expects bookahead.Time // a start without a promise; plan.Never if none is known
}

// groupOf names the group of a pod, or the pod itself if it has none.
func (d *decider) groupOf(p *corev1.Pod) string {
	name, _ := d.groupNames(p)
	if name == "" {
		return "pod " + p.Namespace + "/" + p.Name
	}
	return "group " + p.Namespace + "/" + name
}

// groupNames returns the name and the size of the group of a pod, as they are written.
func (d *decider) groupNames(p *corev1.Pod) (name, size string) {
	read := func(key string) string { return cmp.Or(p.Labels[key], p.Annotations[key]) }
	size = read(v1alpha1.PodGroupSize)
	if name = read(v1alpha1.PodGroup); name != "" {
		return name, size
	}
	for _, key := range d.Settings.Groups {
		if name = read(key.Name); name != "" {
			if size == "" && key.Size != "" {
				size = read(key.Size)
			}
			return name, size
		}
	}
	return "", ""
}

// lacks refuses a group that is not there as a whole; all are its pods, with those that are not waiting.
func (j *job) lacks(d *decider, all []*corev1.Pod) {
	name, text := d.groupNames(j.pods[0])
	if name == "" || j.refused != "" {
		return
	}
	size, err := strconv.Atoi(text)
	switch {
	case err != nil || size < 1:
		j.refused = fmt.Sprintf("%s %q is not the number of pods of group %s", v1alpha1.PodGroupSize, text, name)
	case len(all) < size:
		j.refused = fmt.Sprintf("group %s has %d of %d pods", name, len(all), size)
	}
}

// shorten takes the time off by which a job is late. The rest of a group ends with the others of the group, and a job in a reservation
// ends in its time: it would not fit otherwise, since the server was slow for a second.
func (j *job) shorten(now bookahead.Time) {
	start, ok := cluster.StartOf(j.pods[0])
	if ok && (j.rest || j.in != "") && j.known && start < now {
		j.length = max(1, j.length-bookahead.Duration(now-start))
	}
}

func (d *decider) newJob(id string, pods []*corev1.Pod) *job {
	j := &job{id: plan.ID(id), name: id, pods: pods, submitted: bookahead.MaxTime, priority: math.MinInt64, said: true, known: true, expects: plan.Never}
	for _, p := range pods {
		j.submitted = min(j.submitted, max(0, cluster.Ticks(p.CreationTimestamp.Time)))
		if p.Spec.Priority != nil {
			j.priority = max(j.priority, int64(*p.Spec.Priority))
		}
		length, known, err := cluster.Length(p, &d.Settings)
		if err == nil {
			err = d.cluster.Check(p)
		}
		if err == nil && d.Settings.Enforce && p.Annotations[v1alpha1.Duration] != "" && length <= cluster.Ending(p)+cluster.Seconds(d.Settings.Startup.Duration) {
			err = fmt.Errorf("annotation %s %q leaves no time to run: pod %s may take %d s to start, and %d s to terminate",
				v1alpha1.Duration, p.Annotations[v1alpha1.Duration], p.Name, cluster.Seconds(d.Settings.Startup.Duration), cluster.Ending(p))
		}
		if err == nil && len(p.Spec.SchedulingGates) > 1 {
			err = fmt.Errorf("pod %s has other gates, which come first: %v", p.Name, p.Spec.SchedulingGates)
		}
		if err != nil {
			j.refused = err.Error()
			return j
		}
		j.length, j.known = max(j.length, length), j.known && known
		j.said = j.said && (p.Annotations[v1alpha1.Duration] != "" || p.Spec.ActiveDeadlineSeconds != nil)
	}
	if !j.known {
		j.length = forever
	}
	if j.priority == math.MinInt64 {
		j.priority = 0
	}
	j.refused = d.shape(j)
	if j.refused == "" {
		j.refused = d.enters(j)
	}
	return j
}

// shape sets the request of a job, and returns why it has none. All pods of a group ask for the same, but for one, the head.
func (d *decider) shape(j *job) (refused string) {
	first := j.pods[0]
	r := nodes.Request{Within: first.Annotations[v1alpha1.Within], Together: first.Annotations[v1alpha1.Together], Nodes: d.cluster.Allowed(first)}
	for _, key := range []string{r.Within, r.Together} {
		if key != "" && !slices.Contains(d.Settings.TopologyKeys, key) {
			return fmt.Sprintf("topology key %q is none of %q", key, d.Settings.TopologyKeys)
		}
	}
	var kinds [][]*corev1.Pod
	for _, p := range j.pods {
		if !slices.Equal(d.cluster.Allowed(p), r.Nodes) {
			return fmt.Sprintf("pods %s and %s of a group may use different nodes", first.Name, p.Name)
		}
		i := slices.IndexFunc(kinds, func(k []*corev1.Pod) bool { return slices.Equal(d.cluster.Takes(k[0]), d.cluster.Takes(p)) })
		if i < 0 {
			i, kinds = len(kinds), append(kinds, nil)
		}
		kinds[i] = append(kinds[i], p)
	}
	most := kinds[0]
	if len(kinds) == 2 && (len(kinds[0]) == 1 || len(kinds[1]) == 1) {
		j.head, most = kinds[0][0], kinds[1]
		if len(kinds[0]) > 1 {
			j.head, most = kinds[1][0], kinds[0]
		}
		r.Head = d.cluster.Takes(j.head)
	} else if len(kinds) > 1 {
		return fmt.Sprintf("pods of a group ask for %d different amounts: all but one must ask for the same", len(kinds))
	}
	r.Each = d.cluster.Takes(most[0])
	j.request = r
	return ""
}

// part returns a job as a part of the plan.
func (j *job) part() plan.Part {
	r := j.request
	n := int64(len(j.pods))
	if j.head != nil {
		n--
	}
	return plan.Part{On: nodesOf, Units: n, Duration: j.length, Tasks: &r}
}

// keyOf returns the name of an object as "namespace/name".
func keyOf(namespace, name string) string {
	return types.NamespacedName{Namespace: namespace, Name: name}.String()
}
