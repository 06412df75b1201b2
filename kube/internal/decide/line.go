package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/kube/internal/cluster"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// nodesOf is the name of the machine in a queue.
const nodesOf = "nodes"

// line is jobs that wait for a machine: that of the cluster, or that of a reservation.
type line struct {
	d       *decider
	machine *nodes.Machine
	names   names
	jobs    []*job
	queue   *plan.Queue
}

func (d *decider) newLine(machine *nodes.Machine, n names, jobs []*job) (*line, error) {
	backfill := plan.EASY(d.Settings.Backfill)
	switch d.Settings.Backfill {
	case -1:
		backfill = plan.Conservative()
	case 0:
		backfill = plan.FirstFit()
	}
	q, err := plan.New(plan.Config{
		Schedules: []plan.Schedule{{Name: nodesOf, Nodes: machine}}, Order: plan.ByPriority(), Backfill: backfill,
		Limits: plan.Limits{Steps: math.MaxInt64},
	})
	return &line{d: d, machine: machine, names: n, jobs: jobs, queue: q}, err
}

// submit puts jobs in the queue that have a place once all others that wait are gone. Others would count as the first that wait, and
// nobody behind them would be promised anything.
func (l *line) submit() error {
	for _, j := range l.jobs {
		if j.refused != "" || l.d.postponed(j) {
			continue
		}
		r := j.request
		p := j.part()
		r.Tasks, r.Duration = p.Units, p.Duration
		_, j.blocked = l.machine.Search(r)
		if j.blocked != nil {
			continue
		}
		err := l.queue.Submit(plan.Job{ID: j.id, Priority: j.priority, Submitted: j.submitted, Shapes: []plan.Shape{{p}}})
		if err != nil {
			j.refused = err.Error()
		}
	}
	return l.restore()
}

// waits reports whether a job is in the queue.
func (j *job) waits(l *line) bool { return j.refused == "" && j.blocked == nil && !l.d.postponed(j) }

// restore gives the promises again that pods carry, first the rest of groups that have begun, then by start. A promise whose place
// is gone, or is not allowed any more, gets the earliest place beside the others.
func (l *line) restore() error {
	type promise struct {
		*job
		at plan.Place
	}
	var list, lost []promise
	for _, j := range l.jobs {
		at, ok := l.carried(j)
		if ok && j.waits(l) {
			list = append(list, promise{j, at})
		}
	}
	slices.SortFunc(list, func(a, b promise) int {
		if a.rest != b.rest {
			return map[bool]int{true: -1, false: 1}[a.rest]
		}
		return cmp.Or(cmp.Compare(a.at.Start, b.at.Start), cmp.Compare(b.priority, a.priority), cmp.Compare(a.submitted, b.submitted), cmp.Compare(a.id, b.id))
	})
	for _, p := range list {
		err := l.queue.Promise(p.id, 0, []plan.Place{p.at})
		if err != nil {
			lost = append(lost, p)
		}
	}
	for _, p := range lost {
		p.delayed = l.d.forbidden(p.job, &p.at)
		if p.delayed == "" {
			p.delayed = l.d.lost(p.at)
		}
		at, err := l.queue.Search(p.part(), l.d.Now, 0)
		if err == nil {
			err = l.queue.Promise(p.id, 0, []plan.Place{at})
		}
		if err != nil && !errors.Is(err, bookahead.ErrUnavailable) {
			return fmt.Errorf("decide: %s: %w", p.name, err)
		}
	}
	return nil
}

// carried returns the place that all pods of a job carry, and false if they carry none. A start that has passed is now.
func (l *line) carried(j *job) (at plan.Place, ok bool) {
	start, ok := cluster.StartOf(j.pods[0])
	if !ok {
		return at, false
	}
	at = plan.Place{On: nodesOf, Units: j.part().Units, Head: -1}
	tasks := map[int]int64{}
	for _, p := range j.pods {
		s, ok := cluster.StartOf(p)
		node, known := l.d.cluster.Index(p.Annotations[nodeKey])
		if !ok || s != start || p.Annotations[nodeKey] == "" {
			return at, false
		}
		if !known {
			node = len(l.d.cluster.Names) // it is gone, so the place has no room
		}
		if p == j.head {
			at.Head = node
		} else {
			tasks[node]++
		}
	}
	at.Nodes = sharesOf(tasks)
	at.Start = max(start, l.d.Now)
	at.End = at.Start + bookahead.Time(j.length)
	return at, true
}

// pass lets the queue decide who starts, and who is promised a start.
func (l *line) pass(ctx context.Context) error {
	_, err := l.queue.Pass(ctx, l.d.Now)
	if err != nil {
		return fmt.Errorf("decide: %w", err)
	}
	return nil
}

// read notes the place of each job.
func (l *line) read(ctx context.Context) error {
	all, err := l.queue.Forecasts(ctx)
	if err != nil {
		return fmt.Errorf("decide: %w", err)
	}
	known := map[plan.ID]plan.Forecast{}
	for _, f := range all {
		known[f.Job] = f
	}
	for _, j := range l.jobs {
		f, ok := known[j.id]
		if !ok {
			continue
		}
		j.opens, j.expects = f.State == plan.Starting, f.Start
		if f.State == plan.Promised || f.State == plan.Starting {
			j.place = &f.Places[0]
		}
		if j.rest && !j.opens {
			j.place, j.expects = nil, f.Start // its pod keeps the start of the group, by which it is known
		}
	}
	l.d.due(l.queue.Next())
	return nil
}

func sharesOf(tasks map[int]int64) (list []nodes.Share) {
	for node, n := range tasks {
		list = append(list, nodes.Share{Node: node, Tasks: n})
	}
	slices.SortFunc(list, func(a, b nodes.Share) int { return cmp.Compare(a.Node, b.Node) })
	return list
}
