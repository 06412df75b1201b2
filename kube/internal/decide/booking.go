package decide

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/nodes"
)

// firm is a reservation in a pass.
type firm struct {
	*v1alpha1.Reservation
	key     string
	spec    v1alpha1.ReservationSpec // with defaults
	request nodes.Request            // without times
	refused string                   // why it never has a place
	over    bool
	places  []*place      // by start
	why     func() string // why something has no place; nil if all have one
	moved   []string      // why places have changed
}

// place is an occurrence of a reservation. It lasts from its start even if it was placed later than that.
type place struct {
	start, end bookahead.Time
	tasks      map[int]int64
	lost       int64 // tasks without a node
	ids        []bookahead.ID
}

// readReservations lists the reservations that are not being deleted.
func (d *decider) readReservations() {
	for _, r := range d.Reservations {
		if r.DeletionTimestamp != nil {
			continue
		}
		f := &firm{Reservation: r, key: keyOf(r.Namespace, r.Name), spec: r.DeepCopy().Spec}
		f.spec.Default()
		if all := f.spec.Validate(d.Settings.TopologyKeys); len(all) > 0 {
			f.refused = all.ToAggregate().Error()
		}
		f.over = f.isOver(d.Now)
		d.firm = append(d.firm, f)
		d.byKey[f.key] = f
	}
	slices.SortFunc(d.firm, func(a, b *firm) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.key, b.key))
	})
}

// isOver reports whether the reservation was there, and its time is over.
func (f *firm) isOver(now bookahead.Time) bool {
	s := &f.Status
	if f.spec.When.RRule != "" {
		return s.Phase == v1alpha1.Finished && s.ObservedGeneration == f.Generation
	}
	return s.Phase != v1alpha1.Pending && s.ObservedGeneration == f.Generation && s.End != nil && cluster.Ticks(s.End.Time) <= now
}

// length returns the duration of a reservation.
func (f *firm) length() bookahead.Duration { return cluster.Seconds(f.spec.When.Duration.Duration) }

// recorded returns the places that the status holds, as far as they agree with the spec. Nodes that are gone have lost their tasks. A
// reservation that is refused keeps its places as they are: its spec, or what others ask for, may be mended.
func (d *decider) recorded(f *firm) (list []*place) {
	for _, o := range f.Status.Occurrences {
		start := cluster.Ticks(o.Start.Time)
		p := &place{start: start, end: start + bookahead.Time(f.length()), tasks: map[int]int64{}, lost: f.spec.Tasks.Count}
		for _, n := range o.Nodes {
			p.lost -= n.Tasks
			k, ok := d.cluster.Index(n.Name)
			if ok {
				p.tasks[k] += n.Tasks
			} else {
				p.lost += n.Tasks
				f.moved = append(f.moved, fmt.Sprintf("node %s is gone", n.Name))
			}
		}
		if f.refused != "" {
			p.end, p.lost = cluster.Ticks(o.End.Time), 0
		}
		same := f.Status.ObservedGeneration == f.Generation && f.Status.Phase != v1alpha1.Refused
		if p.end > d.Now && p.lost >= 0 && (same || f.refused != "" || f.wants(start, d.Now)) {
			list = append(list, p)
		}
	}
	return list
}

// bookRecorded books the places that reservations have: first those that are whole, so that no other takes their nodes, and then
// those that must be repaired.
func (d *decider) bookRecorded() error {
	type broken struct {
		*firm
		*place
	}
	var later []broken
	for _, f := range d.firm {
		if f.over {
			continue
		}
		var err error
		f.request, err = d.cluster.Tasks(&f.spec.Tasks)
		if err != nil && f.refused == "" {
			f.refused = err.Error()
		}
		f.places = d.recorded(f)
		if f.refused != "" {
			d.keep(f)
			continue
		}
		for _, p := range f.places {
			if p.lost > 0 || !d.take(f, p, p.tasks) {
				later = append(later, broken{f, p})
			}
		}
	}
	for _, b := range later {
		d.repair(b.firm, b.place)
	}
	for _, f := range d.firm {
		f.places = slices.DeleteFunc(f.places, func(p *place) bool { return len(p.tasks) == 0 })
	}
	return nil
}

// keep books what a refused reservation has, as far as there is room. Its places stay as they are. An amount that is negative is left
// out, since no server takes a placeholder with one.
func (d *decider) keep(f *firm) {
	maps.DeleteFunc(f.spec.Tasks.Resources, func(_ corev1.ResourceName, q resource.Quantity) bool { return q.Sign() < 0 })
	f.request, f.moved = nodes.Request{Each: f.request.Each}, nil
	for _, p := range f.places {
		if d.take(f, p, p.tasks) {
			continue
		}
		for _, s := range p.shares() {
			for n := s.Tasks; n > 0 && !d.take(f, p, map[int]int64{s.Node: n}); n-- {
			}
		}
	}
}

// take books tasks of a place, and reports whether there is room on nodes that its terms allow.
func (d *decider) take(f *firm, p *place, tasks map[int]int64) bool {
	if !d.allows(&f.request, tasks) {
		return false
	}
	r := f.request
	r.Tasks = 0
	at := nodes.Offer{Interval: bookahead.Interval{Start: max(p.start, d.Now), End: p.end}, Tasks: sharesOf(tasks), Head: -1}
	got, err := d.cluster.Machine.ReserveOffer(at, r)
	if err != nil {
		return false
	}
	d.enter(f, p, got.ID)
	return true
}

// enter notes that a reservation of the machine is part of a place.
func (d *decider) enter(f *firm, p *place, id bookahead.ID) {
	p.ids = append(p.ids, id)
	d.cluster.Holders[id] = "reservation " + f.key
}

// reservationOf returns the reservation that a pod names, as "namespace/name"; "" for none.
func reservationOf(p *corev1.Pod) string {
	name := p.Annotations[v1alpha1.InReservation]
	if name == "" || strings.Contains(name, "/") {
		return name
	}
	return keyOf(p.Namespace, name)
}

// forbids returns why a pod may not run in a reservation; "" if it may.
func (f *firm) forbids(p *corev1.Pod) string {
	u := &f.spec.Users
	in := u.Namespaces
	if len(in) == 0 {
		in = []string{f.Namespace}
	}
	account := cmp.Or(p.Spec.ServiceAccountName, "default")
	switch {
	case !slices.Contains(in, p.Namespace):
		return fmt.Sprintf("reservation %s is not for namespace %s", f.key, p.Namespace)
	case len(u.ServiceAccounts) > 0 && !slices.Contains(u.ServiceAccounts, account):
		return fmt.Sprintf("reservation %s is not for service account %s", f.key, account)
	}
	for name, value := range u.MatchLabels {
		if p.Labels[name] != value {
			return fmt.Sprintf("reservation %s is only for pods with its labels, such as %s=%s", f.key, name, value)
		}
	}
	return ""
}

// enters notes the reservation of a job, and returns why it cannot run there.
func (d *decider) enters(j *job) (refused string) {
	key := reservationOf(j.pods[0])
	f := d.byKey[key]
	for _, p := range j.pods {
		switch {
		case reservationOf(p) != key:
			return fmt.Sprintf("pods %s and %s of a group name different reservations", j.pods[0].Name, p.Name)
		case key == "":
			continue
		case f == nil:
			return fmt.Sprintf("there is no reservation %s", key)
		case f.over:
			return fmt.Sprintf("reservation %s is over", key)
		case f.refused != "":
			return fmt.Sprintf("reservation %s is refused", key)
		}
		if why := f.forbids(p); why != "" {
			return why
		}
	}
	j.in = key
	return ""
}
