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
)

// RunCluster simulates gangs, which may be in any order, until all have ended or are rejected.
// It looks at ctx once for each event. An error wraps that of ctx, if ctx is done, or else
// bookahead.ErrInvalid: it is a fault of the cluster or the gangs.
//
// With n gangs, a decision takes a Clone of the machine, and a Reserve for each of q gangs that
// wait, so that a run takes O(n q) of them at worst. On pools, a Reserve is a grid.CoAllocate, and one on
// the nodes besides for a gang that may begin.
func RunCluster(ctx context.Context, c Cluster, gangs []Gang) (ClusterResult, error) {
	err := c.validate(gangs)
	if err != nil {
		return ClusterResult{}, err
	}
	e, err := newClusterEngine(c, gangs)
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
		case len(e.queue) == 0:
			return e.ClusterResult, nil
		default:
			// Nothing will happen any more, so the first in the queue never starts.
			e.reject(e.queue[0])
			e.queue = e.queue[1:]
			e.plan()
		}
		e.tell()
	}
	return ClusterResult{}, fmt.Errorf("at %d: %w", e.now, e.err)
}

// clusterEngine is the event loop. It fills the ClusterResult as it goes. Between two events the
// machine holds running gangs and AR gangs only: the plan of the queue is never on it.
type clusterEngine struct {
	Cluster
	ClusterResult
	m     site
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
	queue  []int32               // in order
}

func newClusterEngine(c Cluster, gangs []Gang) (*clusterEngine, error) {
	earlier := func(a, b event) bool { return a.at < b.at || a.at == b.at && a.task < b.task }
	n := len(gangs)
	e := &clusterEngine{
		Cluster: c, gangs: gangs,
		ClusterResult: ClusterResult{Result: Result{Tasks: make([]Task, n), Outcomes: make([]Outcome, n), Units: []int64{c.Units}}},
		m:             onNodes{c.Machine.Clone()}, empty: c.Machine.Clone(),
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
	slices.SortStableFunc(e.coming, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for place, c := range e.coming {
		e.rank[c.task] = int32(place)
	}
	for i := range c.Outages {
		o := &c.Outages[i]
		e.news = append(e.news, o.Known, o.Start, o.over())
	}
	slices.Sort(e.news)
	if !c.Pools {
		return e, nil
	}
	p, err := newPooled(c.Machine)
	e.m = p
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
	w := Moment{Now: e.now, Running: e.ends.Len(), Waiting: len(e.queue), Total: len(e.gangs)}
	// Each gang is in one of these places until it has ended.
	w.Ended = w.Total - w.Running - w.Waiting - e.starts.Len() - len(e.coming)
	e.Watch(w)
}

// next returns the time of the next event. A gang that waits starts at no other: only an end, of a
// gang or of an outage, makes room. On pools a gang for which there are no nodes now is planned for the time
// at which there are, and a tick later perhaps for one before, at which the pools have room. Nobody looks
// before the next event.
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
	e.fail(e.m.Advance(at))
	for i := range e.due(e.ends) {
		e.finish(i)
	}
	e.outages()
	e.takeIn()
	for i := range e.due(e.starts) {
		e.arrive(i)
	}
	e.plan()
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
