package decide

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// mostSentences is how many jobs a pass explains. A sentence takes three searches, about a millisecond with a thousand nodes, and gates
// must not wait for thousands of them. The next pass explains others.
const mostSentences = 100

// notes decides the conditions of the pods of a line that go on waiting.
func (d *decider) notes(l *line) {
	for _, j := range l.jobs {
		if j.opens {
			continue
		}
		due := false
		for _, p := range j.pods {
			due = d.mayNote(p) || due
		}
		if !due {
			continue
		}
		if d.sentences == mostSentences {
			d.due(d.Now + 1)
			return
		}
		d.sentences++
		reason, message := l.note(j)
		for _, p := range j.pods {
			d.note(p, corev1.ConditionFalse, reason, message)
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
	d.out.Notes = append(d.out.Notes, Note{Pod: p, Condition: c})
}

func condition(p *corev1.Pod) *corev1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == v1alpha1.ConditionPlanned {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}
