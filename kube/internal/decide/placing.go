package decide

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/plan"
)

// mostOccurrences is how many occurrences of a reservation have places at a time. A status stays far below the size of an object.
const mostOccurrences = 64

// placeNew looks for places for reservations without one, by creation. These go around all promises.
func (d *decider) placeNew(l *line) error {
	for _, f := range d.firm {
		if f.refused != "" || f.over {
			continue
		}
		f.why = nil
		if f.spec.When.RRule == "" {
			err := d.placeOnce(l, f)
			if err != nil {
				return err
			}
			continue
		}
		starts := d.starts(f)
		if len(starts) == 0 && len(f.places) == 0 {
			f.over = true // the rule has ended
		}
		for _, start := range starts[:min(len(starts), mostOccurrences)] {
			if slices.ContainsFunc(f.places, func(p *place) bool { return p.start == start }) {
				continue
			}
			err := d.placeAt(l, f, start)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// placeOnce places a reservation that does not recur.
func (d *decider) placeOnce(l *line, f *firm) error {
	if len(f.places) > 0 {
		return nil
	}
	if s := f.spec.When.Start; s != nil {
		start := cluster.Ticks(s.Time)
		if start+bookahead.Time(f.length()) <= d.Now {
			f.refused = "its time has passed"
			return nil
		}
		return d.placeAt(l, f, start)
	}
	ready, deadline := f.window(d.Now)
	if deadline != 0 && ready > deadline-bookahead.Time(f.length()) {
		f.refused = "its window has passed"
		return nil
	}
	return d.search(l, f, ready, deadline, f.length(), -1)
}

// window returns from when a reservation without a start may begin, and by when it must end; 0 for no deadline.
func (f *firm) window(now bookahead.Time) (ready, deadline bookahead.Time) {
	ready = now
	if e := f.spec.When.Earliest; e != nil {
		ready = max(now, cluster.Ticks(e.Time))
	}
	if e := f.spec.When.Deadline; e != nil {
		deadline = cluster.Ticks(e.Time)
	}
	return ready, deadline
}

// placeAt places an occurrence with a start. If that has passed, the rest of its time is placed.
func (d *decider) placeAt(l *line, f *firm, start bookahead.Time) error {
	end := start + bookahead.Time(f.length())
	ready := max(start, d.Now)
	return d.search(l, f, ready, end, bookahead.Duration(end-ready), start)
}

// search books the earliest place in a window. A start of -1 is that of the place.
func (d *decider) search(l *line, f *firm, ready, deadline bookahead.Time, length bookahead.Duration, start bookahead.Time) error {
	r := f.request
	r.Tasks = 0
	part := plan.Part{On: nodesOf, Units: f.spec.Tasks.Count, Duration: length, Tasks: &r}
	id, at, err := l.queue.Reserve(part, ready, deadline)
	if errors.Is(err, bookahead.ErrUnavailable) {
		if f.why == nil {
			f.why = func() string { return l.explain(f.request, part.Units, length, ready) }
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("decide: reservation %s: %w", f.key, err)
	}
	p := &place{start: at.Start, end: at.End, tasks: map[int]int64{}}
	if start >= 0 {
		p.start = start
	}
	for _, s := range at.Nodes {
		p.tasks[s.Node] = s.Tasks
	}
	d.enter(f, p, id)
	f.places = append(f.places, p)
	slices.SortFunc(f.places, func(a, b *place) int { return int(a.start - b.start) })
	return nil
}

// starts returns the starts of a reservation that recurs, of those that are not over and near enough.
func (d *decider) starts(f *firm) (list []bookahead.Time) {
	rule, err := f.spec.When.Rule()
	if err != nil {
		f.refused = err.Error()
		return nil
	}
	w := bookahead.Interval{Start: d.Now - bookahead.Time(f.length()) + 1, End: d.Now + 1 + bookahead.Time(cluster.Seconds(d.Settings.Ahead.Duration))}
	all, err := rule.Occurrences(cluster.Clock, w)
	if err != nil {
		f.refused = err.Error()
		return nil
	}
	for _, o := range all {
		list = append(list, o.Start)
	}
	last := len(list) - 1
	if last < 0 { // perhaps the next one is further ahead
		for start := range rule.Between(cluster.Wall(w.End), time.Time{}) {
			list = append(list, cluster.Ticks(start))
			break
		}
	}
	return list
}

// wants reports whether the spec may have a place with a start.
func (f *firm) wants(start, now bookahead.Time) bool {
	w := &f.spec.When
	switch {
	case w.RRule != "":
		rule, err := w.Rule()
		if err != nil {
			return false
		}
		for at := range rule.Between(cluster.Wall(start), cluster.Wall(start+1)) {
			return cluster.Ticks(at) == start
		}
		return false
	case w.Start != nil:
		return cluster.Ticks(w.Start.Time) == start
	}
	ready, deadline := f.window(min(now, start))
	return start >= ready && (deadline == 0 || start+bookahead.Time(f.length()) <= deadline)
}
