package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// RunCluster simulates gangs, which may be in any order, until all have ended or are rejected.
// It looks at ctx once for each event. An error wraps that of ctx, if ctx is done, or else
// bookahead.ErrInvalid: it is a fault of the cluster or the gangs.
//
// A decision is a Pass of a plan.Queue, on the machine, or on pools.
func RunCluster(ctx context.Context, c Cluster, gangs []Gang) (ClusterResult, error) {
	err := c.validate(gangs)
	if err != nil {
		return ClusterResult{}, err
	}
	e, err := newClusterEngine(ctx, c, gangs)
	if err != nil {
		return ClusterResult{}, err
	}
	for e.err == nil {
		e.fail(ctx.Err())
		at := e.next()
		switch {
		case e.err != nil:
		case at < bookahead.MaxTime:
			e.tick(at)
		case e.waiting == 0:
			return e.ClusterResult, nil
		default:
			// Nothing will happen any more, so the first in the queue never starts.
			i, err := first(e.q)
			e.fail(err)
			if i >= 0 {
				e.reject(i)
				e.postponed = slices.DeleteFunc(e.postponed, func(x int32) bool { return x == i })
			}
			e.waiting--
			e.pass()
		}
		e.tell()
	}
	return ClusterResult{}, fmt.Errorf("at %d: %w", e.now, e.err)
}

// clusterEngine is the event loop. It fills the ClusterResult as it goes. The site holds running gangs and
// AR gangs only: the promises of the queue are on its copy.
type clusterEngine struct {
	Cluster
	ClusterResult
	ctx   context.Context
	m     site
	q     *plan.Queue
	empty *nodes.Machine // to find out which gangs never fit
	gangs []Gang
	held  []booking // of gangs that run or are booked
	rank  []int32   // place of each gang by when it comes in
	run   []int     // of gangs that run, which of the Runs; -1 for the others
	now   bookahead.Time
	err   error // the first fault

	coming []event
	news   []bookahead.Time      // when an outage is known, begins, or is over, ascending
	closed []bookahead.ClosureID // of each outage that is known
	starts *btree.BTreeG[event]  // of AR gangs that have not begun
	ends   *btree.BTreeG[event]  // of gangs that run

	waiting   int     // batch gangs
	postponed []int32 // those that have found no nodes
	fresh     []int32 // those that have come in at this event, for Forecasts
}

func newClusterEngine(ctx context.Context, c Cluster, gangs []Gang) (*clusterEngine, error) {
	earlier := func(a, b event) bool { return a.at < b.at || a.at == b.at && a.task < b.task }
	n := len(gangs)
	e := &clusterEngine{
		Cluster: c, gangs: gangs, ctx: ctx,
		ClusterResult: ClusterResult{
			Result:  Result{Tasks: make([]Task, n), Outcomes: make([]Outcome, n), Units: []int64{c.Units}},
			Delayed: map[plan.Cause]int{},
		},
		m: onNodes{c.Machine.Clone()}, empty: c.Machine.Clone(),
		held: make([]booking, n), rank: make([]int32, n), run: slices.Repeat([]int{-1}, n),
		closed: make([]bookahead.ClosureID, len(c.Outages)),
		starts: btree.NewG(32, earlier), ends: btree.NewG(32, earlier),
	}
	for i, g := range gangs {
		at := g.Ready
		if g.AR {
			at = g.Submit
		}
		e.coming = append(e.coming, event{at, int32(i)})
		e.Tasks[i] = g.Task
		e.Outcomes[i] = Outcome{Provider: -1, Promised: Never}
	}
	if c.Forecast {
		e.Forecasts = slices.Repeat([]bookahead.Time{Never}, n)
	}
	slices.SortStableFunc(e.coming, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for place, c := range e.coming {
		e.rank[c.task] = int32(place)
	}
	for i := range c.Outages {
		o := &c.Outages[i]
		e.news = append(e.news, o.Known, o.Start, o.over())
	}
	slices.Sort(e.news)
	if c.Pools {
		p, err := newPooled(c.Machine)
		if err != nil {
			return nil, err
		}
		e.m = p
	}
	var err error
	e.q, err = plan.New(plan.Config{Schedules: e.m.schedules(), Order: c.Local.Order, Backfill: c.Local.Backfill, Limits: limits})
	return e, err
}

// fail notes the first fault, which ends the run. That there is no room is none.
func (e *clusterEngine) fail(err error) {
	if e.err == nil && !errors.Is(err, bookahead.ErrUnavailable) {
		e.err = err
	}
}

// tell calls Watch after an event.
func (e *clusterEngine) tell() {
	if e.Watch == nil || e.err != nil {
		return
	}
	w := Moment{Now: e.now, Running: e.ends.Len(), Waiting: e.waiting, Total: len(e.gangs)}
	// Each gang is in one of these places until it has ended.
	w.Ended = w.Total - w.Running - w.Waiting - e.starts.Len() - len(e.coming)
	e.Watch(w)
}

// next returns the time of the next event. A gang that waits starts at no other: only an end, of a
// gang or of an outage, makes room.
func (e *clusterEngine) next() bookahead.Time {
	at := bookahead.MaxTime
	if len(e.coming) > 0 {
		at = e.coming[0].at
	}
	if len(e.news) > 0 {
		at = min(at, e.news[0])
	}
	for _, tree := range []*btree.BTreeG[event]{e.starts, e.ends} {
		first, ok := tree.Min()
		if ok {
			at = min(at, first.at)
		}
	}
	return at
}

// tick does all of one tick. Ends come first, since they make room. Reservations come before the
// queue, which gets the rest.
func (e *clusterEngine) tick(at bookahead.Time) {
	e.now = at
	e.fail(e.q.Advance(at))
	e.fail(e.m.advance(at))
	for i := range e.due(e.ends) {
		e.finish(i)
	}
	e.outages()
	e.takeIn()
	for i := range e.due(e.starts) {
		e.arrive(i)
	}
	e.pass()
	e.foresee()
}

// due yields the gangs of a tree whose time has come, and removes them.
func (e *clusterEngine) due(tree *btree.BTreeG[event]) func(func(int32) bool) {
	return func(yield func(int32) bool) {
		for {
			first, ok := tree.Min()
			if !ok || first.at > e.now || e.err != nil {
				return
			}
			tree.DeleteMin()
			if !yield(first.task) {
				return
			}
		}
	}
}

// all returns the gangs of a tree, by time.
func all(tree *btree.BTreeG[event]) []int32 {
	list := make([]int32, 0, tree.Len())
	tree.Ascend(func(v event) bool {
		list = append(list, v.task)
		return true
	})
	return list
}
