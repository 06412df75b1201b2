package cluster

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/settings"
)

// Gated reports whether a pod waits for the controller.
func Gated(p *corev1.Pod) bool {
	return !Over(p) && slices.ContainsFunc(p.Spec.SchedulingGates, func(g corev1.PodSchedulingGate) bool { return g.Name == v1alpha1.Gate })
}

// Opened reports whether the controller has opened the gate of a pod.
func Opened(p *corev1.Pod) bool { return !Gated(p) && p.Annotations[v1alpha1.Node] != "" }

// Over reports whether a pod holds no node any more, and never will.
func Over(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed || p.DeletionTimestamp != nil && p.Spec.NodeName == ""
}

// Length returns how long a pod holds its node from the opening of its gate, in ticks, and false if the pod does not say.
//
//	bookahead.dev/duration: 1h                             1h
//	activeDeadlineSeconds: 3600, 30 s to terminate         1h and 30 s, and the time to start
//	neither                                                the default duration
func Length(p *corev1.Pod, s *settings.Settings) (d bookahead.Duration, known bool, err error) {
	if text, ok := p.Annotations[v1alpha1.Duration]; ok {
		wall, err := time.ParseDuration(text)
		if err != nil || wall < time.Second || wall > v1alpha1.MaxDuration {
			return 0, false, fmt.Errorf("annotation %s %q is not a duration from 1s to ten years", v1alpha1.Duration, text)
		}
		return Seconds(wall), true, nil
	}
	if p.Spec.ActiveDeadlineSeconds != nil {
		n := min(*p.Spec.ActiveDeadlineSeconds, int64(v1alpha1.MaxDuration/time.Second))
		return bookahead.Duration(max(1, n)) + Ending(p) + Seconds(s.Startup.Duration), true, nil
	}
	d = Seconds(s.DefaultDuration.Duration)
	return d, d > 0, nil
}

// Ending returns how long a pod may take to terminate.
func Ending(p *corev1.Pod) bookahead.Duration {
	if p.Spec.TerminationGracePeriodSeconds == nil {
		return 0
	}
	return bookahead.Duration(max(0, min(*p.Spec.TerminationGracePeriodSeconds, int64(v1alpha1.MaxDuration/time.Second))))
}

// StartOf returns the start that is written on a pod.
func StartOf(p *corev1.Pod) (bookahead.Time, bool) {
	t, err := time.Parse(time.RFC3339, p.Annotations[v1alpha1.Start])
	return Ticks(t), err == nil && t.Unix() >= 0
}

// Until returns until when a pod holds its node; bookahead.MaxTime if nobody knows. A pod that has outlived its time is expected to
// run for another grace.
//
//	is being deleted        the time that it has to terminate
//	does not run yet        its length, from the opening of its gate; another grace, each time that it should have begun
//	runs, was opened        its length, from the opening of its gate; later if it was bound later than a start takes
//	runs, has no gate       activeDeadlineSeconds, from the second that the kubelet has noted, which is rounded down
func Until(p *corev1.Pod, s *Snapshot) bookahead.Time {
	length, known, err := Length(p, &s.Settings)
	d := bookahead.Time(length)
	startup := bookahead.Time(Seconds(s.Settings.Startup.Duration))
	var end bookahead.Time
	switch at, opened := StartOf(p); {
	case p.DeletionTimestamp != nil:
		end = Ticks(p.DeletionTimestamp.Time)
	case !known || err != nil:
		return bookahead.MaxTime
	case p.Spec.NodeName == "" || p.Status.StartTime == nil:
		if !opened || !Opened(p) {
			return s.Now + d
		}
		return graced(at, s.Now-startup, s) + d
	case opened && Opened(p):
		end = at + d
		if late := Ticks(p.Status.StartTime.Time) - startup; late > at && p.Spec.ActiveDeadlineSeconds == nil {
			end = late + d
		}
		if p.Spec.ActiveDeadlineSeconds != nil {
			end = max(end, Ticks(p.Status.StartTime.Time)+deadline(p))
		}
	case p.Spec.ActiveDeadlineSeconds != nil:
		end = Ticks(p.Status.StartTime.Time) + deadline(p) + 1
	default:
		end = Ticks(p.Status.StartTime.Time) + d
	}
	return graced(end, s.Now+1, s)
}

// graced returns the first of t and the times that follow it by a grace each that is not before another time.
func graced(t, before bookahead.Time, s *Snapshot) bookahead.Time {
	if t >= before {
		return t
	}
	grace := bookahead.Time(Seconds(s.Settings.Grace.Duration))
	return t + (before-t+grace-1)/grace*grace
}

// deadline returns the ticks from the start of a pod until its deadline has ended it.
func deadline(p *corev1.Pod) bookahead.Time {
	return bookahead.Time(max(0, min(*p.Spec.ActiveDeadlineSeconds, int64(v1alpha1.MaxDuration/time.Second)))) + bookahead.Time(Ending(p))
}
