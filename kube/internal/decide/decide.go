package decide

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/api/v1alpha1"
	"github.com/bookahead/bookahead/kube/internal/cluster"
)

// decider is a pass.
type decider struct {
	*cluster.Snapshot
	cluster *cluster.Cluster
	failed  map[string]bookahead.Time
	firm    []*firm // by creation, then by name
	byKey   map[string]*firm
	out     Decisions
}

// Decide makes a pass. Failed has the jobs whose launch the API server has refused, and until when they are not tried again.
func Decide(ctx context.Context, s *cluster.Snapshot, failed map[string]bookahead.Time) (Decisions, error) {
	d := &decider{Snapshot: s, failed: failed, byKey: map[string]*firm{}, out: Decisions{Next: bookahead.MaxTime}}
	d.readReservations()
	var err error
	d.cluster, err = cluster.Of(s, func(p *corev1.Pod) bool { return isPlaceholder(p) || d.inside(p) != nil })
	if err != nil {
		return Decisions{}, err
	}
	err = d.bookRecorded()
	if err != nil {
		return Decisions{}, err
	}
	jobs := d.jobs()
	out := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.in != "" })
	l, err := d.newLine(d.cluster.Machine, names{d.cluster.Holders, d.cluster.Closed}, out)
	if err == nil {
		err = l.submit()
	}
	if err == nil {
		err = d.placeNew(l)
	}
	if err == nil {
		err = l.pass(ctx)
	}
	if err != nil {
		return Decisions{}, err
	}
	lines := []*line{l}
	for _, f := range d.firm {
		in := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.in != f.key })
		if len(in) == 0 {
			continue
		}
		l, err := d.lineInside(ctx, f, in)
		if err != nil {
			return Decisions{}, err
		}
		lines = append(lines, l)
	}
	for _, f := range d.firm {
		d.status(f)
	}
	d.protect()
	for _, l := range lines {
		for _, j := range l.jobs {
			launch, ok := d.launch(j)
			if ok && !d.postponed(j) {
				d.out.Launches = append(d.out.Launches, launch)
			}
		}
	}
	for _, l := range lines {
		d.notes(l)
	}
	d.noteOpened()
	for t := range d.cluster.Edges() {
		d.due(t)
	}
	return d.out, nil
}

// due notes that a decision may be due at a time.
func (d *decider) due(t bookahead.Time) {
	if t > d.Now {
		d.out.Next = min(d.out.Next, t)
	}
}

// postponed reports whether the launch of a job has failed a short time ago.
func (d *decider) postponed(j *job) bool {
	until := d.failed[j.name]
	d.due(until)
	return until > d.Now
}

// inside returns the reservation in whose amounts a pod runs; nil if it runs in those of the cluster. A pod that has outlived its
// reservation, or is left on a node that the reservation has lost, takes its node from all.
func (d *decider) inside(p *corev1.Pod) *firm {
	f := d.byKey[reservationOf(p)]
	if f == nil || f.refused != "" || f.forbids(p) != "" || len(f.Status.Occurrences) == 0 {
		return nil
	}
	o := f.Status.Occurrences[0]
	on := func(n v1alpha1.NodeTasks) bool { return n.Name == cluster.NodeOf(p) && n.Name != "" }
	if cluster.Ticks(o.Start.Time) > d.Now || cluster.Ticks(o.End.Time) <= d.Now || !slices.ContainsFunc(o.Nodes, on) {
		return nil
	}
	return f
}
