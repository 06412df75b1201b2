package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// RunCluster simulates gangs, which may be in any order, until all have ended or are rejected.
// An error is a fault of the cluster or the gangs, and wraps bookahead.ErrInvalid.
//
// With n gangs, a decision takes a Clone of the machine, and a Reserve for each of q gangs that
// wait, so that a run takes O(n q) of them at worst.
func RunCluster(c Cluster, gangs []Gang) (ClusterResult, error) {
	err := c.validate(gangs)
	if err != nil {
		return ClusterResult{}, err
	}
	e := newClusterEngine(c, gangs)
	for e.err == nil {
		at := e.next()
		if at < bookahead.MaxTime {
			e.tick(at)
			continue
		}
		if len(e.queue) == 0 {
			return e.ClusterResult, nil
		}
		// Nothing will happen any more, so the first in the queue never starts.
		e.Outcomes[e.queue[0]].Rejected = true
		e.queue = e.queue[1:]
		e.plan()
	}
	return ClusterResult{}, fmt.Errorf("at %d: %w", e.now, e.err)
}

// clusterEngine is the event loop. It fills the ClusterResult as it goes. Between two events the
// machine holds running gangs and AR gangs only: the plan of the queue is never on it.
type clusterEngine struct {
	Cluster
	ClusterResult
	m     *nodes.Machine
	empty *nodes.Machine // to find out which gangs never fit
	gangs []Gang
	ids   []bookahead.ID // of gangs that run or are booked
	rank  []int32        // place of each gang by when it comes in
	run   []int          // of gangs that run, which of the Runs; -1 for the others
	now   bookahead.Time
	err   error // the first fault

	coming []event
	news   []bookahead.Time      // when an outage is known, begins, or is over, ascending
	closed []bookahead.ClosureID // of each outage that is known
	starts *btree.BTreeG[event]  // of AR gangs that have not begun
	ends   *btree.BTreeG[event]  // of gangs that run
	queue  []int32               // in order
}

func newClusterEngine(c Cluster, gangs []Gang) *clusterEngine {
	earlier := func(a, b event) bool { return a.at < b.at || a.at == b.at && a.task < b.task }
	n := len(gangs)
	e := &clusterEngine{
		Cluster: c, gangs: gangs,
		ClusterResult: ClusterResult{Result: Result{Tasks: make([]Task, n), Outcomes: make([]Outcome, n), Units: []int64{c.Units}}},
		m:             c.Machine.Clone(), empty: c.Machine.Clone(),
		ids: make([]bookahead.ID, n), rank: make([]int32, n), run: slices.Repeat([]int{-1}, n),
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
	return e
}

// fail notes the first fault, which ends the run. That there is no room is none.
func (e *clusterEngine) fail(err error) {
	if e.err == nil && !errors.Is(err, bookahead.ErrUnavailable) {
		e.err = err
	}
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

// finish ends a gang that is done, and gives the rest of its estimate back.
func (e *clusterEngine) finish(i int32) {
	e.run[i] = -1
	if e.Tasks[i].Run < e.Tasks[i].Estimate {
		e.fail(e.m.Release(e.ids[i]))
	}
}

// takeIn books AR gangs that have come in, and puts the others into the queue.
func (e *clusterEngine) takeIn() {
	for len(e.coming) > 0 && e.coming[0].at <= e.now && e.err == nil {
		i := e.coming[0].task
		e.coming = e.coming[1:]
		if e.Tasks[i].AR {
			e.book(i, e.Tasks[i].Ready)
			if !e.Outcomes[i].Rejected {
				e.Outcomes[i].Promised = e.Outcomes[i].Start
			}
			continue
		}
		r := e.gangs[i].request(0, 0)
		r.Ready = e.empty.Frame().Now // whatever the horizon is, as it slides along
		_, err := e.empty.Search(r)
		e.fail(err)
		if err != nil {
			e.Outcomes[i].Rejected = true
			continue
		}
		e.enqueue(i)
	}
}

// book books an AR gang at the earliest place from some time on, or rejects it.
func (e *clusterEngine) book(i int32, from bookahead.Time) {
	t, o := &e.Tasks[i], &e.Outcomes[i]
	o.Provider, o.Start, o.End, o.Rejected = -1, 0, 0, true
	from = max(e.now, from)
	if e.err != nil || t.Due != 0 && from > t.Due-bookahead.Time(t.Estimate) {
		return
	}
	o.Attempts++
	res, err := e.m.Reserve(e.gangs[i].request(from, t.Due))
	if err != nil {
		e.fail(err)
		return
	}
	o.Rejected = false
	e.ids[i] = res.ID
	o.Provider, o.Start, o.End = 0, res.Start, res.Start+bookahead.Time(e.Tasks[i].Run)
	e.starts.ReplaceOrInsert(event{res.Start, i})
}

// arrive starts an AR gang where it is booked.
func (e *clusterEngine) arrive(i int32) {
	res, err := e.m.Reservation(e.ids[i])
	e.fail(err)
	if err != nil {
		return
	}
	if e.Outcomes[i].Displaced == 0 && e.lost(res) {
		e.Broken++
	}
	e.begin(i, res)
}

// lost reports whether a reservation that starts now holds a closed node.
func (e *clusterEngine) lost(res nodes.Reservation) bool {
	for o := range e.m.Overbooked(bookahead.Interval{Start: e.now, End: e.now + 1}) {
		for _, s := range res.Tasks {
			if slices.Contains(o.Servers, s.Node) {
				return true
			}
		}
		if slices.Contains(o.Servers, res.Head) {
			return true
		}
	}
	return false
}

// begin notes that a gang runs from now on.
func (e *clusterEngine) begin(i int32, res nodes.Reservation) {
	o := &e.Outcomes[i]
	o.Provider, o.Start, o.End = 0, res.Start, res.Start+bookahead.Time(e.Tasks[i].Run)
	e.ids[i], e.run[i] = res.ID, len(e.Runs)
	e.Runs = append(e.Runs, Ran{Task: int(i), When: bookahead.Interval{Start: o.Start, End: o.End}, On: res.Offer.Tasks, Head: res.Head})
	e.ends.ReplaceOrInsert(event{o.End, i})
}
