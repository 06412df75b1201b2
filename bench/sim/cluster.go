package sim

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// Cluster is a machine of nodes with its local scheduler, and with nodes that fail or are
// drained.
type Cluster struct {
	// Machine has no reservations, and its clock is at the first submission or before. A run works on
	// a clone and leaves Machine as it is.
	Machine *nodes.Machine
	// Units is how many units the machine has, for Metrics.Utilisation; see Gang.
	Units int64
	// Local has no Period.
	Local Local
	// Outages may be in any order, and may overlap.
	Outages []Outage
	// Pools books the sum of each resource in a pool (carts.Indexed), and chooses nodes when a
	// gang starts, so that its cost can be compared with a machine of nodes. A pool knows how much the
	// tasks and the head of a gang take together. It does not know that a task lies on one node,
	// nor Within, PerNode, Head, Nodes, Set or Except of a Request; the choice of nodes obeys them
	// all. A batch gang that finds no nodes is proposed again, and a reservation that finds none is broken.
	Pools bool
	// Forecast notes when each batch gang is expected to start as it comes in. That takes a copy of the plan, and a search for
	// each gang that waits.
	Forecast bool
	// Watch is called after each event, with the run as it is; nil stands for no call.
	Watch func(Moment)
}

// Moment is how far a run has come. Gangs that are not in Ended, Running or Waiting are booked
// ahead, or have not come in yet.
type Moment struct {
	Now     bookahead.Time
	Ended   int // gangs that are done or rejected
	Running int
	Waiting int // batch gangs in the queue
	Total   int // all gangs
}

// Gang is a Task that runs on nodes. An AR gang that cannot end by its Due is rejected.
type Gang struct {
	// Task has the times. Its Units are read by Orders and Metrics only; they may be GPUs,
	// cores, or tasks.
	Task
	// On is the gang's request to the machine: its tasks, their vector, and the nodes that they
	// may use. Its Ready, Deadline and Duration are not read.
	On nodes.Request
}

// Outage closes nodes. A failure is an Outage that is known when it begins, lasts until
// bookahead.MaxTime, and is Repaired when nobody expects it. A drain is known ahead.
//
//	a failure    Known 100    [100, MaxTime)    Repaired 150
//	a drain      Known  50    [100, 120)
//
// A batch task goes on until the outage begins, since it may be done by then. It is stopped
// if it still runs, and waits again. A reservation that has not begun moves as soon as the
// outage is known. A reservation that is running is stopped when the outage begins, and booked
// anew. Either is rejected if the machine has no place for it by its Due, or none that it knows
// of, since nobody has said when the nodes will be back.
type Outage struct {
	bookahead.Interval
	// Known is when the scheduler hears of the outage: at its Start, or before.
	Known bookahead.Time
	// Repaired is when the outage is over; 0 stands for its End.
	Repaired bookahead.Time
	// Nodes are those that are closed.
	Nodes []int
}

// ClusterResult is the Result of a Cluster, with one provider.
type ClusterResult struct {
	Result
	// Runs are all runs, also those that an outage stopped, by their start.
	Runs []Ran
	// Broken are the AR gangs whose promise was broken, as in Result.Tasks, ascending: they had
	// no nodes at the start that they were booked for, though no outage had displaced them. Such
	// a gang is booked anew, or rejected.
	Broken []int
	// Forecasts has the start that was expected of each batch gang when it came in, and Never for the others. It is nil without
	// Cluster.Forecast.
	Forecasts []bookahead.Time
	// Delayed counts how often a promise to a batch gang was broken, by cause.
	Delayed map[plan.Cause]int
}

// Ran is a run of a gang.
type Ran struct {
	Task int                // as in Result.Tasks
	When bookahead.Interval // to the end of the run, not of the estimate
	On   []nodes.Share
	Head int // the node of the head; -1 if there is none
}

// over returns when an outage is over.
func (o *Outage) over() bookahead.Time {
	if o.Repaired != 0 {
		return o.Repaired
	}
	return o.End
}

// request asks for the gang from now on, to end by due if that is not 0.
func (g *Gang) request(now, due bookahead.Time) nodes.Request {
	r := g.On
	r.Ready, r.Deadline, r.Duration = max(now, g.Ready), due, g.Estimate
	return r
}
