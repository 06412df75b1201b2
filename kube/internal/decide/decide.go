package decide

import (
	"cmp"
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
	opening map[string]int64 // pods that start now, by reservation and node
	out     Decisions
}

// Decide makes a pass. Failed has the jobs whose launch the API server has refused, and until when they are not tried again.
//
// A pod that does not say how long it runs leaves no end in the plan once it has started, while a queue needs a length. So if such
// pods start, the others are planned again beside them, as the next pass would.
func Decide(ctx context.Context, s *cluster.Snapshot, failed map[string]bookahead.Time) (Decisions, error) {
	var silent []Launch
	for {
		d, more, err := pass(ctx, s, failed)
		if err != nil {
			return Decisions{}, err
		}
		if len(more) == 0 {
			d.Launches = append(silent, d.Launches...)
			slices.SortStableFunc(d.Launches, inOrder)
			return d, nil
		}
		silent = append(silent, more...)
		s = after(s, more)
	}
}

// inOrder compares launches: those that start now come first, and then promises by their starts. If a pass ends early, what was written
// keeps no place from what was not.
func inOrder(a, b Launch) int {
	if a.Open != b.Open {
		return map[bool]int{true: -1, false: 1}[a.Open]
	}
	return cmp.Compare(a.Pods[0].Start, b.Pods[0].Start)
}

// after returns a snapshot in which launches are done.
func after(s *cluster.Snapshot, done []Launch) *cluster.Snapshot {
	c := *s
	c.Pods = slices.Clone(s.Pods)
	for _, l := range done {
		for _, a := range l.Pods {
			p := a.Pod.DeepCopy()
			p.Spec.SchedulingGates = nil
			if p.Annotations == nil {
				p.Annotations = map[string]string{}
			}
			p.Annotations[startKey], p.Annotations[nodeKey] = text(a.Start), a.Node
			if a.Deadline > 0 {
				p.Spec.ActiveDeadlineSeconds = &a.Deadline
			}
			p.Status.Conditions = nil
			i := slices.IndexFunc(c.Pods, func(x *corev1.Pod) bool { return x.Namespace == p.Namespace && x.Name == p.Name })
			c.Pods[i] = p
		}
	}
	return &c
}

// pass decides everything. If pods start that do not say how long they run, it returns their launches alone.
func pass(ctx context.Context, s *cluster.Snapshot, failed map[string]bookahead.Time) (out Decisions, silent []Launch, err error) {
	d := &decider{Snapshot: s, failed: failed, byKey: map[string]*firm{}, opening: map[string]int64{}, out: Decisions{Next: bookahead.MaxTime}}
	d.readReservations()
	d.cluster, err = cluster.Of(s, func(p *corev1.Pod) bool { return d.isPlaceholder(p) || d.inside(p) != nil })
	if err != nil {
		return Decisions{}, nil, err
	}
	err = d.bookRecorded()
	if err != nil {
		return Decisions{}, nil, err
	}
	jobs := d.jobs()
	outside := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.in != "" })
	l, err := d.newLine(d.cluster.Machine, names{d.cluster.Holders, d.cluster.Closed}, outside)
	if err == nil {
		err = l.submit()
	}
	if err == nil {
		err = d.placeNew(l)
	}
	if err == nil {
		err = l.pass(ctx)
	}
	if err == nil {
		err = d.placeNew(l) // promises have moved, and may have left room
	}
	if err == nil {
		err = l.read(ctx)
	}
	if err != nil {
		return Decisions{}, nil, err
	}
	for _, j := range outside {
		if launch, ok := d.launch(j); ok && j.opens && !j.known {
			silent = append(silent, launch)
		}
	}
	if len(silent) > 0 {
		return Decisions{}, silent, nil
	}
	lines := []*line{l}
	for _, f := range d.firm {
		in := slices.DeleteFunc(slices.Clone(jobs), func(j *job) bool { return j.in != f.key })
		if len(in) == 0 {
			continue
		}
		l, err := d.lineInside(ctx, f, in)
		if err != nil {
			return Decisions{}, nil, err
		}
		lines = append(lines, l)
	}
	for _, f := range d.firm {
		d.status(f)
	}
	for _, l := range lines {
		for _, j := range l.jobs {
			launch, ok := d.launch(j)
			if ok && !d.postponed(j) {
				d.out.Launches = append(d.out.Launches, launch)
				d.openInside(j, launch)
			}
		}
	}
	d.protect()
	d.noteOpened()
	d.notes(lines)
	for t := range d.cluster.Edges() {
		d.due(t)
	}
	if len(d.out.Launches) > 0 { // what starts or moves may leave room behind it, for a reservation or for an earlier promise
		d.due(d.Now + 1)
	}
	return d.out, nil, nil
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
	if f == nil || f.forbids(p) != "" || len(f.Status.Occurrences) == 0 {
		return nil
	}
	o := f.Status.Occurrences[0]
	on := func(n v1alpha1.NodeTasks) bool { return n.Name == cluster.NodeOf(p) && n.Name != "" }
	if cluster.Ticks(o.Start.Time) > d.Now || cluster.Ticks(o.End.Time) <= d.Now || !slices.ContainsFunc(o.Nodes, on) {
		return nil
	}
	return f
}
