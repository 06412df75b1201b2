package decide

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// mostSentences is how many jobs a pass explains. A sentence takes three searches, about a millisecond with a thousand nodes, and gates
// must not wait for thousands of them.
const mostSentences = 100

// turn is how long the same jobs come first for a sentence, if not all can have one. A sentence that is still true is not written again,
// so no object says who was looked at last, but the time does, to any leader:
//
//	jobs 0-99      12:00:00 to 12:00:10
//	jobs 100-199   12:00:10 to 12:00:20
//	jobs 200-249   12:00:20 to 12:00:30, and then jobs 0-49
const turn = bookahead.Time(10)

// notes decides the conditions of the pods that go on waiting. Those without one come first, and then the others in turn.
func (d *decider) notes(lines []*line) {
	type waits struct {
		*line
		*job
	}
	var fresh, again []waits
	for _, l := range lines {
		for _, j := range l.jobs {
			switch {
			case j.opens:
			case slices.ContainsFunc(j.pods, func(p *corev1.Pod) bool { return condition(p) == nil }):
				fresh = append(fresh, waits{l, j})
			default:
				again = append(again, waits{l, j})
			}
		}
	}
	if n := bookahead.Time(len(again)); n > 0 {
		first := d.Now / turn % n * mostSentences % n
		again = slices.Concat(again[first:], again[:first])
	}
	said := 0
	for _, w := range append(fresh, again...) {
		may := false
		for _, p := range w.pods {
			may = d.mayNote(p) || may
		}
		switch {
		case !may:
		case said < mostSentences:
			said++
			reason, message := w.note(w.job)
			for _, p := range w.pods {
				d.note(p, corev1.ConditionFalse, reason, message)
			}
		case said < len(fresh):
			d.due(d.Now + 1) // each that was explained was new, and is written
		default:
			d.due((d.Now/turn + 1) * turn)
		}
	}
}

// note says when a job starts, and why not now.
func (l *line) note(j *job) (reason, message string) {
	p := j.part()
	why := func() string { return l.explain(j.request, p.Units, p.Duration, l.d.Now) }
	switch {
	case j.refused != "":
		return "Refused", j.refused
	case l.d.postponed(j):
		return "Retried", "the API server has refused to open its gate, and is asked again at " + text(l.d.failed[j.name])
	case errors.Is(j.blocked, nodes.ErrNever), j.blocked != nil:
		return "NoRoom", why()
	case j.place != nil && j.known:
		return "Promised", fmt.Sprintf("is promised to start at %s; %s", text(j.place.Start), why())
	case j.expects != plan.Never:
		return "Expected", fmt.Sprintf("is not expected to start before %s; %s", text(j.expects), why())
	}
	return "NoRoom", why()
}

// noteOpened decides the conditions of pods whose gates are open, and that had a condition before.
func (d *decider) noteOpened() {
	for _, p := range d.Pods {
		if cluster.Opened(p) && !cluster.Over(p) && condition(p) != nil && d.mayNote(p) {
			d.note(p, corev1.ConditionTrue, "Opened", fmt.Sprintf("its gate was opened for %s on node %s", p.Annotations[startKey], p.Annotations[nodeKey]))
		}
	}
}

// mayNote reports whether the condition of a pod may change yet.
func (d *decider) mayNote(p *corev1.Pod) bool {
	old := condition(p)
	if old == nil {
		return true
	}
	next := cluster.Ticks(old.LastProbeTime.Time) + bookahead.Time(cluster.Seconds(d.Settings.Conditions.Duration))
	if cluster.Gated(p) {
		d.due(next)
	}
	return next <= d.Now
}

func (d *decider) note(p *corev1.Pod, is corev1.ConditionStatus, reason, message string) {
	old := condition(p)
	if old != nil && (!d.mayNote(p) || old.Status == is && old.Reason == reason && old.Message == message) {
		return
	}
	at := metav1.NewTime(cluster.Wall(d.Now))
	c := corev1.PodCondition{Type: v1alpha1.ConditionPlanned, Status: is, Reason: reason, Message: message, LastProbeTime: at, LastTransitionTime: at}
	if old != nil && old.Status == is {
		c.LastTransitionTime = old.LastTransitionTime
	}
	n := Note{Pod: p, Condition: c}
	if is == corev1.ConditionFalse && (old == nil || old.Reason != reason) { // kubectl describe shows no message of a condition
		n.Events = []Event{{Warning: reason == "Refused" || reason == "NoRoom", Reason: reason, Message: message}}
	}
	d.out.Notes = append(d.out.Notes, n)
}

func condition(p *corev1.Pod) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == v1alpha1.ConditionPlanned {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}
