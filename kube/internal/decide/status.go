package decide

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
)

// status decides the status of a reservation, and what is told of the change.
func (d *decider) status(f *firm) {
	s := f.Status.DeepCopy()
	s.ObservedGeneration = f.Generation
	s.Phase = f.phase(d.Now)
	if !f.over {
		s.Start, s.End, s.Nodes, s.Occurrences = nil, nil, nil, nil
	} else {
		s.Occurrences = nil
	}
	for _, p := range f.places {
		o := v1alpha1.Occurrence{Start: metav1.NewTime(cluster.Wall(p.start)), End: metav1.NewTime(cluster.Wall(p.end)), Nodes: []v1alpha1.NodeTasks{}}
		for _, x := range p.shares() {
			o.Nodes = append(o.Nodes, v1alpha1.NodeTasks{Name: d.cluster.Names[x.Node], Tasks: x.Tasks})
		}
		s.Occurrences = append(s.Occurrences, o)
		d.due(p.start)
		d.due(p.end)
	}
	if len(s.Occurrences) > 0 {
		first := &s.Occurrences[0]
		s.Start, s.End, s.Nodes = &first.Start, &first.End, first.Nodes
	}
	if w := f.spec.When.Start; w != nil && len(f.places) == 0 {
		d.due(cluster.Ticks(w.Time) + bookahead.Time(f.length())) // then it is refused
	}
	d.conditions(f, &s)
	s.Start, s.End = s.Start.DeepCopy(), s.End.DeepCopy()
	if equality.Semantic.DeepEqual(s, f.Status) {
		return
	}
	d.out.Statuses = append(d.out.Statuses, Status{Reservation: f.Reservation, Status: s, Events: f.events(&s)})
}

// phase returns where a reservation is in its life.
func (f *firm) phase(now bookahead.Time) v1alpha1.Phase {
	switch {
	case f.over:
		return v1alpha1.Finished
	case f.refused != "":
		return v1alpha1.Refused
	case len(f.places) == 0:
		return v1alpha1.Pending
	case f.places[0].start <= now:
		return v1alpha1.Active
	}
	return v1alpha1.Placed
}

// lacks returns how many tasks of all places have no node.
func (f *firm) lacks() (n int64) {
	for _, p := range f.places {
		n += p.lost
	}
	return n
}

func (d *decider) conditions(f *firm, s *v1alpha1.ReservationStatus) {
	set := func(kind string, is bool, reason, message string) {
		c := metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: f.Generation}
		if is {
			c.Status = metav1.ConditionTrue
		}
		c.LastTransitionTime = metav1.NewTime(cluster.Wall(d.Now))
		meta.SetStatusCondition(&s.Conditions, c)
	}
	lacks := f.lacks()
	switch {
	case f.over:
		set(v1alpha1.ConditionPlaced, false, "Finished", "its time is over")
	case f.refused != "":
		set(v1alpha1.ConditionPlaced, false, "Refused", f.refused)
	case lacks > 0:
		set(v1alpha1.ConditionPlaced, false, "LacksNodes", fmt.Sprintf("%d tasks have no node", lacks))
	case f.why != nil:
		set(v1alpha1.ConditionPlaced, false, "NoRoom", f.why())
	default:
		p := f.places[0]
		set(v1alpha1.ConditionPlaced, true, "Placed", fmt.Sprintf("%d tasks on %d nodes from %s to %s", f.spec.Tasks.Count, len(p.tasks), text(p.start), text(p.end)))
	}
	switch told := strings.TrimPrefix(strings.Join(f.moved, "; "), "; "); {
	case len(f.moved) > 0 && lacks > 0 && told == "": // as before
	case len(f.moved) > 0 && (lacks > 0 || len(f.places) == 0):
		set(v1alpha1.ConditionDisplaced, true, "LostNodes", told)
	case len(f.moved) > 0 && told != "":
		set(v1alpha1.ConditionDisplaced, false, "Moved", told)
	case lacks == 0 && len(f.places) > 0 && meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionDisplaced):
		set(v1alpha1.ConditionDisplaced, false, "HasNodes", "it has all nodes again")
	}
}

// events tells what has changed with a status.
func (f *firm) events(s *v1alpha1.ReservationStatus) (list []Event) {
	if told := slices.DeleteFunc(slices.Clone(f.moved), func(why string) bool { return why == "" }); len(told) > 0 {
		e := Event{Warning: true, Reason: "Displaced", Message: strings.Join(told, "; ")}
		switch lacks := f.lacks(); {
		case len(f.places) == 0:
			e.Message += ": there is no other place"
		case lacks > 0:
			e.Message += fmt.Sprintf(": %d tasks have no node", lacks)
		default:
			e.Message += fmt.Sprintf(": it has a new place from %s to %s on %s", text(f.places[0].start), text(f.places[0].end), onNodes(s.Nodes))
		}
		list = append(list, e)
	}
	if s.Phase == f.Status.Phase {
		return list
	}
	switch s.Phase {
	case v1alpha1.Placed:
		list = append(list, Event{Reason: "Placed", Message: fmt.Sprintf("from %s to %s on %s", text(f.places[0].start), text(f.places[0].end), onNodes(s.Nodes))})
	case v1alpha1.Active:
		list = append(list, Event{Reason: "Started", Message: "on " + onNodes(s.Nodes)})
	case v1alpha1.Finished:
		list = append(list, Event{Reason: "Finished", Message: "its time is over"})
	case v1alpha1.Refused:
		list = append(list, Event{Warning: true, Reason: "Refused", Message: f.refused})
	case v1alpha1.Pending:
		list = append(list, Event{Warning: true, Reason: "NoRoom", Message: f.why()})
	}
	return list
}

// onNodes lists nodes, three at most.
func onNodes(list []v1alpha1.NodeTasks) string {
	var b strings.Builder
	for i, n := range list[:min(3, len(list))] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(n.Name)
	}
	if more := len(list) - 3; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
